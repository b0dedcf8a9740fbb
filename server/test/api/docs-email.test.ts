import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outboxOf } from '../kit/sending.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const page = readFileSync(new URL('../../../docs/use/channels/email.md', import.meta.url), 'utf8');

it.each([
  'Microsoft 365',
  'Gmail',
])('the channel of %s in docs/use/channels/email.md is accepted', async (section) => {
  const [, text = ''] = page.split(`### ${section}\n`);
  const [, raw = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  const tenant = await server.tenant();
  const made = await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@example.com',
    config: JSON.parse(raw.replaceAll('…', '00000000-0000-0000-0000-000000000000')),
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
});

it('the mail of docs/use/channels/email.md goes out with its subject, HTML and copies', async () => {
  const [, raw = ''] = /\/messages [\s\S]*?-d '(\{[\s\S]*?\})'/.exec(page) ?? [];
  const { text, email } = JSON.parse(raw);
  const tenant = await server.tenant();
  const channel = await tenant.channel('email');
  const sent = await tenant.post('/v3/messages', {
    channelId: channel.id,
    to: 'ada@example.com',
    text,
    email,
  });
  expect([sent.status, sent.body.error]).toEqual([200, undefined]);
  await server.settle();
  expect(await outboxOf(tenant, channel)).toMatchObject([{ type: 'email', text, content: email }]);
  expect(Object.keys(email).sort()).toEqual(['cc', 'html', 'subject']);
});
