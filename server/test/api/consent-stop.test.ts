import { beforeEach, expect, it } from 'vitest';
import { adapters } from '../../src/providers/adapters.ts';
import { automationOf } from '../kit/automations.ts';
import { fillChat } from '../kit/bulk.ts';
import { contactOf, historyOf, textsOf } from '../kit/consents.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { customers, messageOf, openChat, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { ADA, echoed, pigeon, pigeonChannel, postEvents, written } from '../kit/vendor.ts';

const server = await useServer({ adapters: new Map([...adapters, ['pigeon', pigeon]]) });
const { db } = server.system;
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const write = async (channel: { id: string }, from: string, text: string) => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
  await server.settle();
};
const runs = async () =>
  (await tenant.post('/v3/automation_runs/search', { sortBy: 'asc(createdAt)' })).body.data;
const service = (chat: { id: string }) =>
  tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Your invoice' });
const deadlocks = async (): Promise<number> =>
  Number(
    (await db.query('select deadlocks from pg_stat_database where datname = current_database()', [])).rows[0]
      ?.deadlocks,
  );

it('STOP that opens a chat, or opens it again, is answered by no automation', async () => {
  const channel = await tenant.channel('whatsapp');
  await automationOf(tenant, {
    trigger: { type: 'chat_opened' },
    steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Welcome!' } }],
  });
  await tenant.put(`/v3/channels/${channel.id}`, { optOutConfirmation: 'Done.' });
  await write(channel, customers.whatsapp, 'Stop');
  expect(await textsOf(tenant, channel)).toEqual(['Done.']);
  const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
  for (const [text, answers] of [
    ['START', []],
    ['STOP', ['Done.']],
    ['stop', []],
    ['Where is my parcel?', ['Welcome!']],
  ] as const) {
    const before = await textsOf(tenant, channel);
    await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'closed' });
    await write(channel, customers.whatsapp, text);
    expect((await tenant.get(`/v3/chats/${chat.id}`)).body.data.status).toBe('open');
    expect([text, (await textsOf(tenant, channel)).slice(before.length)]).toEqual([text, answers]);
  }
  expect(await runs()).toHaveLength(1);
});

it('a word that the vendor says is an opt-out is one, also while an automation waits for an answer', async () => {
  const channel = await pigeonChannel(tenant, 'sms');
  await automationOf(tenant, {
    trigger: { type: 'message_received', parameters: { keywords: ['hello'] } },
    steps: [{ id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } }],
  });
  const now = server.clock.now();
  await postEvents(server, channel, written('hello', now));
  await server.settle();
  const [{ contactId }] = await runs();
  await postEvents(server, channel, written('1', now, { text: 'Cancel', subscription: 'stop' }));
  await server.settle();
  expect(await contactOf(tenant, contactId)).toMatchObject({
    subscriptions: [{ channelKind: 'sms', status: 'unsubscribed', source: 'contact' }],
  });
  expect(await runs()).toMatchObject([{ status: 'waiting' }]);
});

it('STOP that the business writes itself unsubscribes nobody', async () => {
  const channel = await pigeonChannel(tenant, 'whatsapp');
  await postEvents(server, channel, written('hello', server.clock.now()), echoed('STOP', server.clock.now()));
  await server.settle();
  const [contact] = (await tenant.post('/v3/contacts/search', {})).body.data;
  expect(contact).toMatchObject({ isSubscribed: true, subscriptions: [] });
});

it('after STOP by SMS nothing is sent, whatever was or is noted besides, until START', async () => {
  const channel = await tenant.channel('sms');
  const chat = await openChat(server, tenant, channel, customers.sms);
  await tenant.put(`/v3/contacts/${chat.contactId}`, { isSubscribed: false });
  expect((await service(chat)).status).toBe(200);
  server.clock.advance(1_000);
  await write(channel, customers.sms, 'STOP');
  expect((await service(chat)).status).toBe(409);
  const noted = { channelKinds: ['sms'], status: 'unsubscribed', proof: { call: 'asked for no more' } };
  expect((await tenant.post(`/v3/contacts/${chat.contactId}/consents`, noted)).status).toBe(200);
  expect((await service(chat)).status).toBe(409);
  expect((await historyOf(tenant, chat.contactId)).slice(-2)).toMatchObject([
    { channelKind: 'sms', source: 'contact' },
    { channelKind: 'sms', source: 'api', proof: noted.proof },
  ]);
  await write(channel, customers.sms, 'START');
  expect((await service(chat)).status).toBe(200);
});

it('START ends what the vendor has reported as an opt-out', async () => {
  const channel = await tenant.channel('sms');
  // The sandbox refuses this number as opted out.
  const chat = await openChat(server, tenant, channel, '+15550000003');
  await service(chat);
  await server.settle();
  expect((await service(chat)).status).toBe(409);
  await write(channel, '+15550000003', 'Start');
  expect((await contactOf(tenant, chat.contactId)).subscriptions).toMatchObject([
    { channelKind: 'sms', status: 'subscribed', source: 'contact' },
  ]);
  expect((await service(chat)).status).toBe(200);
});

it.each([
  ['that disappears', 1],
  ['that stays', 0],
] as const)('an opt-out of the contact %s stays when two become one, also if the other decided later', async (_, who) => {
  const channel = await tenant.channel('sms');
  const numbers = ['+15550002345', '+15550002346'] as const;
  const chats = [
    await openChat(server, tenant, channel, numbers[0]),
    await openChat(server, tenant, channel, numbers[1]),
  ] as const;
  await write(channel, numbers[who], 'STOP');
  server.clock.advance(60_000);
  const other = chats[1 - who] as (typeof chats)[0];
  await tenant.post(`/v3/contacts/${other.contactId}/consents`, {
    channelKinds: ['sms'],
    status: 'subscribed',
    proof: { form: 'newsletter' },
  });
  const [stays, disappears] = chats;
  const merged = await tenant.post(`/v3/contacts/${stays.contactId}/merge`, {
    fromContactId: disappears.contactId,
  });
  expect(merged.body.data).toMatchObject({
    isSubscribed: false,
    subscriptions: [
      { channelKind: 'sms', status: 'unsubscribed', source: 'contact', proof: { text: 'STOP' } },
    ],
  });
  expect((await service(chats[who])).status).toBe(409);
});

it('STOP while its contact becomes part of another one counts for that one, without a deadlock', async () => {
  const channel = await pigeonChannel(tenant, 'whatsapp');
  const grace = { ...ADA, value: '+15550002222', name: 'Grace Hopper' };
  const now = server.clock.now();
  await postEvents(server, channel, written('a', now), written('b', now, { contact: grace }));
  await server.settle();
  const byName = async (name: string) =>
    (await tenant.post('/v3/contacts/search', { search: name })).body.data[0];
  const [stays, disappears] = [await byName('Ada'), await byName('Grace')];
  const waiting = async (): Promise<number> =>
    (
      await db.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      )
    ).rows.length;
  const before = await deadlocks();
  const blocker = await usePgClient(server.databaseUrl);
  await blocker.query('begin');
  await blocker.query('select 1 from contacts where id = $1 for update', [disappears.id]);
  const merging = tenant.post(`/v3/contacts/${stays.id}/merge`, { fromContactId: disappears.id });
  await until(async () => (await waiting()) === 1);
  await postEvents(server, channel, written('c', now, { contact: grace, text: 'STOP' }));
  const receiving = server.settle();
  await until(async () => (await waiting()) === 2);
  await blocker.query('rollback');
  expect((await merging).status).toBe(200);
  await receiving;
  expect(await contactOf(tenant, stays.id)).toMatchObject({
    isSubscribed: false,
    subscriptions: [{ channelKind: 'whatsapp', status: 'unsubscribed', proof: { text: 'STOP' } }],
  });
  expect(await deadlocks()).toBe(before);
});

it('what a vendor refuses while messages of a merged contact are still to be moved is learnt about the one that is left', async () => {
  const channel = await tenant.channel('sms');
  const stays = await openChat(server, tenant, channel, customers.sms);
  const disappears = await openChat(server, tenant, channel, '+15550000003');
  await fillChat(server, tenant, disappears.id, 1_001);
  const hourMs = 3_600_000;
  const schedule = async (hours: number): Promise<string> =>
    (
      await send(tenant, disappears, {
        text: 'News',
        scheduledAt: new Date(server.clock.now().getTime() + hours * hourMs).toISOString(),
      })
    ).id;
  const [first, second] = [await schedule(1), await schedule(2)];
  await tenant.post(`/v3/contacts/${stays.contactId}/merge`, { fromContactId: disappears.contactId });
  const blocker = await usePgClient(server.databaseUrl);
  await blocker.query('begin');
  await blocker.query('select 1 from jobs where tenant_id = $1 for update', [tenant.id]);
  const isDone = async (id: string): Promise<boolean> => (await messageOf(tenant, id)).status === 'failed';
  server.clock.advance(hourMs);
  const working = server.settle();
  await until(() => isDone(first));
  const isUnsubscribed = async (): Promise<boolean> =>
    !(await contactOf(tenant, stays.contactId)).isSubscribed;
  await until(isUnsubscribed);
  server.clock.advance(hourMs);
  const workingOn = server.settle();
  await until(() => isDone(second));
  await blocker.query('rollback');
  await Promise.all([working, workingOn]);
  expect((await contactOf(tenant, stays.contactId)).subscriptions).toMatchObject([
    { channelKind: 'sms', status: 'unsubscribed', source: 'vendor', proof: { messageId: first } },
  ]);
  expect((await messageOf(tenant, second)).error.code).toBe('opted_out');
});
