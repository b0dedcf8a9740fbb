import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { storeRequest } from '../../src/channels/receive-request.ts';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { TASK_PROGRAM } from '../../src/system.ts';
import { expectShortGaps, useHeartbeat } from '../kit/heartbeat.ts';
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

describe('I1: a mail of nearly 40 MB', () => {
  const lines = (count: number, line: string): string => `${line}\r\n`.repeat(count);
  // Made by the test: what is in the table stays in memory as long as the process.
  const bodies = {
    'of text': () => ['', lines(440_000, 'x'.repeat(88))],
    'with a file': () => [
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'See the file',
      '--b',
      'Content-Type: application/octet-stream; name=a.bin',
      'Content-Transfer-Encoding: base64',
      '',
      lines(500_000, 'AAAA'.repeat(19)),
      '--b--',
    ],
  };
  it.each(
    Object.entries(bodies),
  )('%s is stored and read, and other work runs meanwhile', async (_, makeParts) => {
    const raw = Buffer.from(['From: ada@example.com', ...makeParts()].join('\r\n'));
    // How long this machine needs to encode and decode it in one piece: PostgreSQL's text of bytes is hexadecimal.
    const atOnce = useHeartbeat();
    expect(Buffer.from(raw.toString('hex'), 'hex')).toHaveLength(raw.length);
    await expectShortGaps(atOnce.longestGapMs(), async () => {
      const tenant = await server.tenant();
      const channelId = await mailChannel(tenant);
      await storeRequest(
        server.system.db,
        [{ id: channelId, tenantId: tenant.id }],
        { url: '', headers: {}, body: raw },
        { clock: server.clock },
      );
      await server.settle();
      expect(await textsOf(tenant)).toHaveLength(1);
    });
  });
});
