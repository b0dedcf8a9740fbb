import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/base/errors.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { systemStatement } from '../../../src/db/statement.ts';
import { cleanUp } from '../../kit/clean-up.ts';
import { useTcpServer } from '../../kit/listeners.ts';

const one = systemStatement<[], { one: number }>('test.broken_server', 'select 1 as one');
const packet = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const WELCOME = Buffer.concat([packet('R', Buffer.alloc(4)), packet('Z', Buffer.from('I'))]);
const GOODBYE = packet(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

/** Something that answers on the port of a database. */
async function openTo(greet: (socket: Socket) => void) {
  const { port } = await useTcpServer((socket) => void socket.once('data', () => greet(socket)));
  const losses: unknown[] = [];
  const db = openDatabase({
    connection: { host: '127.0.0.1', port, user: 'test', password: 'test', database: 'test' },
    applicationName: 'test',
    poolSize: 3,
    readers: 1,
    onLoss: (error) => losses.push(error),
  });
  cleanUp(() => void db.close().catch(() => {}));
  return { db, losses };
}

describe.each<[string, (socket: Socket) => void]>([
  // Both in one packet: the connection breaks before the caller could listen to it.
  [
    'welcomes and ends the connection in one breath',
    (socket) => socket.end(Buffer.concat([WELCOME, GOODBYE])),
  ],
  ['refuses every connection', (socket) => socket.end(GOODBYE)],
  ['hangs up without a word', (socket) => socket.destroy()],
  ['speaks another language', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('a database server that %s', (_name, greet) => {
  it('is out of reach, for every way of asking, and harms nobody', async () => {
    const { db, losses } = await openTo(greet);
    const asked = await Promise.allSettled([
      db.ping(),
      db.find(one, []),
      db.systemTransaction((tx) => tx.find(one, [])),
      db.byKey.find(one, []),
      db.byKey.find(one, []),
    ]);
    for (const end of asked)
      expect(end).toMatchObject({ status: 'rejected', reason: { key: 'service_unavailable' } });
    expect(asked.every((end) => end.status === 'rejected' && end.reason instanceof ApiError)).toBe(true);
    expect(losses.length).toBeGreaterThanOrEqual(5);
  });
});
