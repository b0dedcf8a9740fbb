import { expect, it } from 'vitest';
import { adapters } from '../../src/providers/adapters.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { customers, openChat } from '../kit/sending.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { pigeonChannel, postEvents, withPigeon, written } from '../kit/vendor.ts';

const server = await useServer({ adapters: new Map([...adapters, ...withPigeon]) });
const { db } = server.system;

/** How many transactions wait for a lock. */
const waiting = async (): Promise<number> =>
  (
    await db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      [],
    )
  ).rows.length;

it('a message that waited for another of its chat has a later id, so that reading on by id misses nothing', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel('sms');
  const chat = await openChat(server, tenant, channel, customers.sms);
  const blocker = await usePgClient(server.databaseUrl);
  const byId = async (after?: string) =>
    (
      await tenant.post(`/v3/chats/${chat.id}/messages/search`, {
        sortBy: 'asc(id)',
        ...(after ? { query: `gt(id,"${after}")` } : {}),
      })
    ).body.data;

  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: customers.sms, text: 'question' });
  await blocker.query('begin');
  await blocker.query('select 1 from chats where id = $1 for update', [chat.id]);
  const sending = tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'answer' });
  await until(async () => (await waiting()) === 1);
  const receiving = server.settle();
  await until(async () => (await waiting()) === 2);
  await blocker.query('rollback');
  const sent = (await sending).body.data;
  await receiving;

  expect(await byId(sent.id)).toMatchObject([{ text: 'question' }]);
  expect((await byId()).map(({ text }: { text: string }) => text)).toEqual(['hello', 'answer', 'question']);
  // The vendor's id leads to the message with its new id: a repetition is known.
  const [question] = await byId(sent.id);
  expect(
    (await db.query('select message_id from vendor_messages where vendor_id = $1', [question.vendorId])).rows,
  ).toEqual([{ message_id: question.id }]);
  const { data: events } = (
    await tenant.post('/v3/events/search', { query: 'eq(type,"message.received")', sortBy: 'desc(sequence)' })
  ).body;
  expect(events[0].data.id).toBe(question.id);
});

it('so has one of a chat whose latest message is ahead of the clock', async () => {
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant, 'sms');
  const later = (ms: number) => new Date(server.clock.now().getTime() + ms);
  await postEvents(server, channel, written('ahead', later(60_000)));
  await server.settle();
  const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
  expect(chat.latestMessage.text).toBe('ahead');

  await postEvents(server, channel, written('question', later(0)));
  const blocker = await usePgClient(server.databaseUrl);
  await blocker.query('begin');
  await blocker.query('select 1 from chats where id = $1 for update', [chat.id]);
  const sending = tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'answer' });
  await until(async () => (await waiting()) === 1);
  const receiving = server.settle();
  await until(async () => (await waiting()) === 2);
  // The answer, which waits before the question, gets its id only now.
  await blocker.query('rollback');
  const sent = (await sending).body.data;
  await receiving;
  const read = { sortBy: 'asc(id)', query: `gt(id,"${sent.id}")` };
  expect((await tenant.post(`/v3/chats/${chat.id}/messages/search`, read)).body.data).toMatchObject([
    { text: 'question' },
  ]);
});

it('a time of the vendor far in the future or in the past changes neither the order nor the reply window', async () => {
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant, 'whatsapp');
  const dayMs = 24 * 3_600_000;
  const at = (ms: number) => new Date(server.clock.now().getTime() + ms);
  const receive = async (vendorId: string, time: Date, text = vendorId) => {
    await postEvents(server, channel, written(vendorId, time, { text }));
    await server.settle();
    return (await tenant.post('/v3/chats/search', {})).body.data[0];
  };
  const tomorrow = at(dayMs).toISOString();
  const now = at(0).toISOString();
  expect(await receive('ahead', at(365 * dayMs))).toMatchObject({
    openUntil: tomorrow,
    waitingSince: now,
    latestMessage: { text: 'ahead', timestamp: now },
  });
  server.clock.advance(1_000);
  expect(await receive('old', at(-365 * dayMs))).toMatchObject({
    openUntil: tomorrow,
    unreadCount: 2,
    latestMessage: { text: 'ahead' },
  });
  server.clock.advance(1_000);
  const chat = await receive('new', at(0));
  expect(chat).toMatchObject({ openUntil: at(dayMs).toISOString(), latestMessage: { text: 'new' } });
  const { data } = (await tenant.post(`/v3/chats/${chat.id}/messages/search`, {})).body;
  expect(data.map(({ text }: { text: string }) => text)).toEqual(['new', 'old', 'ahead']);
  // A clock that is ahead a little is believed.
  expect(await receive('soon', at(60_000))).toMatchObject({
    latestMessage: { text: 'soon', timestamp: at(60_000).toISOString() },
  });
});

it('STOP from the future is undone by START', async () => {
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant, 'whatsapp');
  await tenant.put(`/v3/channels/${channel.id}`, { optOutConfirmation: '' });
  for (const [text, ahead] of [
    ['Stop', 86_400_000],
    ['Start', 0],
  ] as const) {
    const time = new Date(server.clock.now().getTime() + ahead);
    await postEvents(server, channel, written(text, time));
    await server.settle();
    const [contact] = (await tenant.post('/v3/contacts/search', {})).body.data;
    expect([text, contact.isSubscribed]).toEqual([text, text === 'Start']);
    server.clock.advance(1_000);
  }
});
