import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ApiError } from '../../src/base/errors.ts';
import { eventStream } from '../../src/http/answer.ts';
import { stream } from '../../src/http/route.ts';
import { useBareServer } from '../kit/bare-server.ts';
import { useServer } from '../kit/server.ts';
import { dial, listen, send } from '../kit/wire.ts';

const server = await useServer();
const { token } = await server.tenant();
const opened: Readable[] = [];
const spec = {
  method: 'GET' as const,
  operationId: 'test',
  tag: 'Test',
  summary: 'Test',
  description: 'Test.',
  access: 'events:read' as const,
  answer: eventStream,
  failures: [],
  example: { answer: '' },
};
const bare = await useBareServer(server, [
  stream({ ...spec, path: '/v3/endless' }, async () => {
    const readable = new Readable({ read() {} });
    readable.push(': hello\n\n');
    opened.push(readable);
    return readable;
  }),
  stream({ ...spec, path: '/v3/refused' }, async () => {
    throw new ApiError('conflict', { detail: 'not today' });
  }),
]);
const port = await listen(bare);
const authorization = `Bearer ${token}`;

it('answers with the envelope what goes wrong before there is a stream', async () => {
  const answer = await send(port, 'GET', '/v3/refused', { headers: { authorization } });
  expect([answer.status, answer.body.error.message]).toEqual([409, 'Conflict: not today']);
  expect(answer.headers['content-type']).toContain('application/json');
});

it('passes on each piece as it comes, and takes away the stream of a client that has gone', async () => {
  const { socket } = dial(port);
  const heard: string[] = [];
  socket.on('data', (bytes: Buffer) => heard.push(bytes.toString('utf8')));
  socket.write(`GET /v3/endless HTTP/1.1\r\nHost: here\r\nAuthorization: ${authorization}\r\n\r\n`);
  await expect.poll(() => heard.join('')).toContain(': hello\n\n');
  const readable = opened.pop() as Readable;
  readable.push('data: 1\n\n');
  await expect.poll(() => heard.join('')).toContain('data: 1\n\n');
  expect(readable.destroyed).toBe(false);
  socket.destroy();
  await expect.poll(() => readable.destroyed).toBe(true);
});

it('cuts off a client that does not take the last bytes of a stream that has ended', async () => {
  const connected = once(bare.server, 'connection');
  const { socket } = dial(port);
  const [ours] = (await connected) as [Socket];
  socket.pause();
  socket.write(`GET /v3/endless HTTP/1.1\r\nHost: here\r\nAuthorization: ${authorization}\r\n\r\n`);
  await expect.poll(() => opened.length).toBe(1);
  const readable = opened.pop() as Readable;
  // Little by little, until the kernel takes no more and some of it is left with us.
  for (let stuck = 0; stuck < 50; stuck = ours.writableLength > 0 ? stuck + 1 : 0) {
    if (ours.writableLength === 0) readable.push('x'.repeat(4_096));
    await turn();
  }
  expect(readable.readableLength).toBe(0);
  readable.push(null);
  await expect.poll(() => ours.destroyed, { timeout: 30_000 }).toBe(true);
  socket.destroy();
});
