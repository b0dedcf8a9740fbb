import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { TASK_PROGRAM } from '../../src/system.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

/** The real program, except that some mails end its thread, as if they needed too much memory. */
const program = join(await useTempFolder(), 'program.mjs');
await writeFile(
  program,
  `import { parentPort } from 'node:worker_threads';
   parentPort.on('message', ({ input }) => {
     if (Buffer.from(input.body ?? '').includes('too large')) process.exit(1);
   });
   await import(${JSON.stringify(TASK_PROGRAM.href)});`,
);
const server = await useServer({ taskProgram: pathToFileURL(program) });
const SECRET = 'a secret of sixteen';

async function mailChannel(tenant: TestTenant): Promise<string> {
  const answer = await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config: { from: 'help@shop.test', smtp: { host: '127.0.0.1', port: 25 }, inboundSecret: SECRET },
  });
  return answer.body.data.id;
}
async function postMail(channelId: string, text: string): Promise<void> {
  const raw = Buffer.from(`From: ada@example.com\r\n\r\n${text}`);
  const { status } = await server.call('POST', `/providers/smtp/${channelId}`, {
    raw,
    headers: { 'content-type': 'message/rfc822', 'x-parley-signature': mailSignature(raw, SECRET) },
  });
  expect(status).toBe(200);
}
const textsOf = async (tenant: TestTenant): Promise<string[]> =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body.data.map(
    (message: { text: string }) => message.text,
  );

it('X1: a mail that takes too much is listed at once, and the mails around it become messages', async () => {
  const tenant = await server.tenant();
  const channelId = await mailChannel(tenant);
  const failed = async () =>
    (await tenant.post(`/v3/channels/${channelId}/failed_requests/search`, {})).body.data;
  for (const text of ['first', 'too large', 'second']) await postMail(channelId, text);
  await server.settle();
  expect((await textsOf(tenant)).sort()).toEqual(['first', 'second']);
  const [request, ...others] = await failed();
  expect(others).toEqual([]);
  expect(request).toMatchObject({
    attempts: 1,
    error: 'TaskError: It needs more memory than allowed',
    body: expect.stringContaining('too large'),
  });

  // It fails again in the same way when it is replayed, and the channel goes on.
  await tenant.post(`/v3/channels/${channelId}/failed_requests/${request.id}/replay`);
  await postMail(channelId, 'third');
  await server.settle();
  expect((await textsOf(tenant)).sort()).toEqual(['first', 'second', 'third']);
  expect(await failed()).toMatchObject([{ id: request.id, attempts: 1 }]);
});
