import { expect, it } from 'vitest';
import { usePgClient } from '../kit/pg-client.ts';
import { customers, openChat } from '../kit/sending.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
const { db } = server.system;

it('a message that waited for another of its chat has a later id, so that reading on by id misses nothing', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel('sms');
  const chat = await openChat(server, tenant, channel, customers.sms);
  const blocker = await usePgClient(server.databaseUrl);
  const waiting = async (): Promise<number> =>
    (
      await db.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      )
    ).rows.length;
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
