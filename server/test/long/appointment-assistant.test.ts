import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { useHttpServer } from '../kit/listeners.ts';
import { outboxOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { advance, settled, testTenant } from '../kit/test-clock.ts';

const page = readFileSync(new URL('../../../docs/use/appointment-assistant.md', import.meta.url), 'utf8');
const blocks = new Map(
  [...page.matchAll(/```json (\w+)\n([\s\S]*?)```/g)].map(([, name, json]) => [
    name as string,
    json as string,
  ]),
);
const server = await useServer({ timers: true });
const requests: string[] = [];
const practice = await useHttpServer((request, response) => {
  requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  request.resume();
  response.end('{}');
});
const KEY = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const ADA = '+4915112345678';
const MAIL = 'ada@example.com';

let tenant: TestTenant;
let whatsapp: { id: string };
let email: { id: string };
let ids: Record<string, string>;
beforeEach(async () => {
  requests.length = 0;
  tenant = await testTenant(server);
  whatsapp = await tenant.channel('whatsapp');
  email = await tenant.channel('email');
  const userId = await made('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
  ids = {
    WHATSAPP_ID: whatsapp.id,
    EMAIL_ID: email.id,
    USER_ID: userId,
    TEAM_ID: await made('/v3/teams', { name: 'Practice', userIds: [userId] }),
    APPOINTMENTS_URL: practice.url,
    CONTACT_ID: await made('/v3/contacts', {
      firstName: 'Ada',
      phoneNumber: ADA,
      email: MAIL,
      language: 'de',
      timezone: 'Europe/Berlin',
    }),
  };
});

async function made(path: string, body: object): Promise<string> {
  const answer = await tenant.post(path, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data.id;
}
const block = (name: string): object =>
  JSON.parse(
    Object.entries(ids)
      .sort(([a], [b]) => b.length - a.length)
      .reduce((text, [word, id]) => text.replaceAll(word, id), blocks.get(name) ?? ''),
  );

/** Everything that the page creates, up to the reminder that has arrived. */
async function remind(meanwhile = async () => {}): Promise<string> {
  ids.TEMPLATE_ID = await made('/v3/message_templates', block('template'));
  await advance(tenant, { by: 'PT1M' });
  expect((await tenant.put('/v3/secrets/appointmentsKey', block('secret'))).status).toBe(200);
  const automationId = await made('/v3/automations', block('automation'));
  expect((await tenant.post(`/v3/automations/${automationId}/publish`)).status).toBe(200);
  const started = await tenant.post(`/v3/automations/${automationId}/trigger`, block('trigger'));
  expect(started.status).toBe(200);
  await advance(tenant, { to: '2027-01-14T08:00:00Z' });
  await meanwhile();
  await advance(tenant, { to: '2027-01-14T09:01:00Z' });
  return started.headers['x-automation-run-id'] as string;
}
const write = async (channel: { id: string }, from: string, more: object): Promise<void> => {
  expect((await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, ...more })).status).toBe(200);
  await settled(tenant);
};
const said = async (channel: { id: string }): Promise<string[]> =>
  (await outboxOf(tenant, channel)).map((sent: { text: string | null }) => sent.text);
const runOf = async (id: string) => (await tenant.get(`/v3/automation_runs/${id}`)).body.data;
const chatOf = async (channel: { id: string }) =>
  (await tenant.post('/v3/chats/search', { query: `eq(channelId,"${channel.id}")` })).body.data[0];

describe('docs/use/appointment-assistant.md', () => {
  it('has every block that it is tested by', () => {
    expect([...blocks.keys()]).toEqual([
      'template',
      'secret',
      'automation',
      'trigger',
      'reply',
      'note',
      'refused',
      'newsletter',
    ]);
  });

  it('reminds with the picture, in the language and the zone of the patient', async () => {
    await remind();
    const [sent] = await outboxOf(tenant, whatsapp);
    expect(sent).toMatchObject({ to: ADA, type: 'template' });
    expect(sent.text).toContain('Hello Ada, see you on Freitag, 15 Januar, 09:00.');
    expect(JSON.stringify(sent.content)).toContain('https://practice.example.com/floor-2.png');
  });

  it.each([
    ['Yes, thank you', 'confirm', 'see you then'],
    ['No, I am ill', 'cancel', 'It is cancelled'],
  ])('understands "%s" and proves to the practice who it is', async (text, path, answer) => {
    const runId = await remind();
    await write(whatsapp, ADA, { text });
    expect(requests).toEqual([`POST /4711/${path} Bearer ${KEY}`]);
    expect((await said(whatsapp)).at(-1)).toContain(answer);
    expect(JSON.stringify(await runOf(runId))).not.toContain(KEY);
  });

  it('does not cancel for "I do not know yet": a person is asked', async () => {
    await remind();
    await write(whatsapp, ADA, { text: 'I do not know yet' });
    expect(requests).toEqual([]);
    expect((await said(whatsapp)).at(-1)).toContain('A colleague will answer');
    expect(await chatOf(whatsapp)).toMatchObject({ assignedTeamId: ids.TEAM_ID, isUnread: true });
    expect((await chatOf(whatsapp)).waitingSince).not.toBeNull();
  });

  it('is silent after a colleague has answered, and her note never leaves', async () => {
    const runId = await remind(() => write(whatsapp, ADA, { text: 'Where do I park?' }));
    const chat = await chatOf(whatsapp);
    await made(`/v3/chats/${chat.id}/messages`, block('reply'));
    await made(`/v3/chats/${chat.id}/notes`, block('note'));
    const refused = await tenant.post(`/v3/chats/${chat.id}/messages`, block('refused'));
    expect([refused.status, refused.body.error.invalidParams.private.key]).toEqual([
      400,
      'unrecognized_keys',
    ]);
    await settled(tenant);
    expect(await runOf(runId)).toMatchObject({ status: 'cancelled', error: { code: 'taken_over' } });
    await write(whatsapp, ADA, { text: 'Yes, tomorrow' });
    expect(requests).toEqual([]);
    const texts = await said(whatsapp);
    expect(texts.at(-1)).toBe('This is Grace. When would suit you?');
    expect([...texts, ...(await said(email))].join('\n')).not.toContain('needles');
  });

  it('ends marketing by STOP on WhatsApp, and still reminds', async () => {
    await write(whatsapp, ADA, { text: 'Stop.' });
    expect(await said(whatsapp)).toHaveLength(1);
    const refused = await tenant.post('/v3/messages', block('newsletter'));
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
    await remind();
    expect((await said(whatsapp)).at(-1)).toContain('Hello Ada, see you on');
  });

  it('ends marketing by STOP in a mail, but not by what the mail quotes', async () => {
    const quoted =
      '\n\nOn Mon, 4 Jan 2027 at 09:00, Practice <practice@example.com> wrote:\n> stop\n> Reply STOP';
    const mail = {
      channelId: email.id,
      contactId: ids.CONTACT_ID,
      email: { subject: 'News' },
      text: 'Offer',
    };
    const send = () => tenant.post('/v3/messages', { ...mail, purpose: 'marketing' });
    await write(email, MAIL, { text: `Thank you!${quoted}` });
    expect((await send()).status).toBe(200);
    await write(email, MAIL, { text: `STOP${quoted}` });
    expect((await send()).status).toBe(409);
    const contact = (await tenant.get(`/v3/contacts/${ids.CONTACT_ID}`)).body.data;
    expect(contact.subscriptions).toMatchObject([{ channelKind: 'email', status: 'unsubscribed' }]);
  });
});
