import { expect, it } from 'vitest';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { useHeartbeat } from '../kit/heartbeat.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
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
async function postMail(channelId: string, mail: string): Promise<void> {
  const raw = Buffer.from(mail, 'latin1');
  const { status } = await server.call('POST', `/providers/smtp/${channelId}`, {
    raw,
    headers: { 'content-type': 'message/rfc822', 'x-parley-signature': mailSignature(raw, SECRET) },
  });
  expect(status).toBe(200);
}

it('X1: a mail that takes too much time or memory is listed at once, and the mails of others are not held up', async () => {
  const [hostile, other] = [await server.tenant(), await server.tenant()];
  const [theirs, others] = [await mailChannel(hostile), await mailChannel(other)];
  const head = 'From: ada@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n';
  await postMail(theirs, `${head}${'--b\r\nA: b\r\n\r\n'.repeat(3_000_000)}--b--\r\n`);
  await postMail(others, 'From: bob@example.com\r\n\r\nhello');
  const heart = useHeartbeat();
  let isSettled = false;
  const settled = server.settle().finally(() => {
    isSettled = true;
  });
  const messages = async (tenant: TestTenant) => (await tenant.post('/v3/messages/search', {})).body.data;
  while ((await messages(other)).length === 0) expect(isSettled).toBe(false);
  await settled;
  expect(heart.longestGapMs()).toBeLessThan(1_000);
  const failed = (await hostile.post(`/v3/channels/${theirs}/failed_requests/search`, {})).body.data;
  expect(failed).toMatchObject([
    { attempts: 1, error: expect.stringMatching(/^TaskError: It (takes|needs)/) },
  ]);
  expect(await messages(hostile)).toEqual([]);

  // The channel goes on, and a replay fails again in the same way.
  await postMail(theirs, 'From: ada@example.com\r\n\r\nhello');
  await hostile.post(`/v3/channels/${theirs}/failed_requests/${failed[0].id}/replay`);
  await server.settle();
  expect(await messages(hostile)).toMatchObject([{ text: 'hello' }]);
  expect((await hostile.post(`/v3/channels/${theirs}/failed_requests/search`, {})).body.data).toMatchObject([
    { id: failed[0].id, attempts: 1 },
  ]);
}, 300_000);
