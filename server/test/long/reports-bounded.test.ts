import { beforeEach, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { PublishedEvent } from '../../src/engine/outbox.ts';
import { countPeriod } from '../../src/reports/count-hours.ts';
import { createReportsSubscriber } from '../../src/reports/note-changes.ts';
import { countAll, storedFigures, totalOf } from '../kit/reports.ts';
import { openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const at = (time: string): Date => new Date(`2026-11-02T${time}Z`);
const DAY = { from: '2026-11-02T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' };
/** More than a report counts. */
const MANY = 50_001;
/** What no report can count by itself. */
const MARK = 1_000_000;

let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  server.clock.set(at('08:10:00'));
  tenant = await server.tenant();
  channel = await tenant.channel('sms');
});

/** Inserts received messages of a chat. */
const receive = (chatId: string, from: Date, count: number, everyMs = 1) =>
  db.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                           timestamp, created_at, updated_at)
     select gen_random_uuid(), k.tenant_id, k.id, k.channel_id, k.contact_id, 'inbound', 'contact', 'text', 'more', '[]', '{}',
            'delivered', t.at, t.at, t.at
       from chats k cross join (select $2::timestamptz + n * $4::int * interval '1 ms' as at from generate_series(0, $3::int - 1) as n) t
      where k.id = $1`,
    [chatId, from, count, everyMs],
  );
/** Stores the figures of the first half of the hour, and makes what is stored differ from what is counted. */
async function storeAndMark(): Promise<void> {
  await db.forTenant(tenant.id).transaction((tx) => countPeriod(tx, at('08:00:00'), at('08:30:00')));
  await db.query(
    `update report_figures set count = count + $3 where tenant_id = $1 and figure = 'received' and at = $2`,
    [tenant.id, at('08:15:00'), MARK],
  );
}
const received = async (): Promise<number> => (await totalOf(tenant, { name: 'volumes', ...DAY })).received;

it.each([
  ['counts 50,000 messages of the running hour', MANY - 2, 0],
  ['uses what is stored where it would have to count more', MANY, MARK],
])('a report %s', async (_, count, expected) => {
  const chat = await openChat(server, tenant, channel);
  await receive(chat.id, at('08:20:00'), count);
  await storeAndMark();
  server.clock.set(at('08:40:00'));
  expect(await received()).toBe(1 + count + expected);
  // The last quarters of an hour are counted in any case.
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550002502', text: 'hello' });
  await server.settle();
  expect(await received()).toBe(2 + count + (count === MANY ? expected : 0));
});

it('a report counts nothing of a quarter of an hour with too many messages, until that is stored', async () => {
  const chat = await openChat(server, tenant, channel);
  await receive(chat.id, at('08:31:00'), MANY);
  await storeAndMark();
  server.clock.set(at('08:44:00'));
  expect(await received()).toBe(1);
  await countAll(server);
  expect(await received()).toBe(1 + MANY);
});

it('a report counts not more of earlier hours that have changed', async () => {
  const chat = await openChat(server, tenant, channel);
  await receive(chat.id, at('08:20:00'), MANY);
  await countAll(server);
  server.clock.set(at('10:10:00'));
  await db.query(
    `insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
     values ($1, $2, $3, $3::timestamptz + interval '1 hour', false, 0, 'infinity', $3)`,
    [newId(), tenant.id, at('08:00:00')],
  );
  await storeAndMark();
  expect(await received()).toBe(1 + MANY + MARK);
});

it('an hour with more messages than one statement may count is counted in parts, which add up', async () => {
  const chat = await openChat(server, tenant, channel);
  await receive(chat.id, at('08:20:00'), 60_001, 30);
  await countAll(server);
  const stored = (await storedFigures(server, tenant)).filter(({ figure }) => figure === 'received');
  expect(stored.length).toBeGreaterThan(2);
  expect(stored.reduce((sum, { count }) => sum + Number(count), 0)).toBe(60_002);
  expect(await received()).toBe(60_002);
});

const eventOf = (): PublishedEvent =>
  ({
    id: newId(),
    type: 'message.received',
    channel_id: channel.id,
    contact_id: null,
    chat_id: null,
    origin_run_id: null,
    facts: null,
    created_at: server.clock.now(),
  }) as unknown as PublishedEvent;
const marksOf = async (): Promise<string[]> =>
  (
    await db.query('select due_at from report_marks where tenant_id = $1 order by due_at', [tenant.id])
  ).rows.map((row) => (row.due_at as Date).toISOString().slice(11, 19));

it('an hour with many events is stored after each of its quarters, another one after its end', async () => {
  const subscriber = createReportsSubscriber();
  const publish = (count: number) =>
    db.forTenant(tenant.id).transaction(async (tx) => {
      const { write } = await subscriber(tx, Array.from({ length: count }, eventOf));
      write(new Map());
    });
  for (let batch = 0; batch < 19; batch += 1) await publish(500);
  await publish(499);
  expect(await marksOf()).toEqual(['09:00:30']);
  await publish(1);
  await publish(1);
  expect(await marksOf()).toEqual(['08:15:30', '09:00:30']);
  server.clock.set(at('08:20:00'));
  await publish(1);
  expect(await marksOf()).toEqual(['08:15:30', '08:30:30', '09:00:30']);
  server.clock.set(at('08:50:00'));
  await publish(1);
  expect(await marksOf()).toEqual(['08:15:30', '08:30:30', '09:00:30']);
  // The next hour starts from zero.
  server.clock.set(at('09:00:00'));
  await publish(1);
  expect(await marksOf()).toEqual(['08:15:30', '08:30:30', '09:00:30', '10:00:30']);
});

it('a quarter of a running hour that is due is stored, and the hour again after its end', async () => {
  const chat = await openChat(server, tenant, channel);
  const subscriber = createReportsSubscriber();
  await db.forTenant(tenant.id).transaction(async (tx) => {
    const { write } = await subscriber(tx, Array.from({ length: 10_000 }, eventOf));
    write(new Map());
  });
  server.clock.set(at('08:16:00'));
  await server.settle();
  const counted = async () =>
    (await storedFigures(server, tenant))
      .filter(({ figure }) => figure === 'received')
      .map(({ count }) => count);
  expect(await counted()).toEqual([1]);
  expect(await received()).toBe(1);
  await receive(chat.id, at('08:16:00'), 3);
  expect(await received()).toBe(4);
  await countAll(server);
  expect(await counted()).toEqual([1, 3]);
  expect(await received()).toBe(4);
});
