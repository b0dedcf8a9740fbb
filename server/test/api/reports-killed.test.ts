import { beforeEach, expect, it } from 'vitest';
import { countMarkedHours } from '../../src/reports/count-hours.ts';
import type { DueMark } from '../../src/reports/queues.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { countAll, storedFigures, totalOf } from '../kit/reports.ts';
import { openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
const { db } = server.system;
const DAY = { from: '2026-11-02T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' };
const MESSAGES = 60_001;
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-02T08:10:00.000Z'));
  tenant = await server.tenant();
});

async function talk() {
  const chat = await openChat(server, tenant, await tenant.channel('sms'), '+15550002501');
  server.clock.advance(5 * 60_000);
  await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Yes' });
  await server.settle();
  return chat;
}
const marksOf = async (): Promise<DueMark[]> =>
  (await db.query('select * from report_marks where tenant_id = $1', [tenant.id])).rows as never;

it('a connection that is lost before the commit of an hour: it is counted again, once', async () => {
  await talk();
  const marks = await marksOf();
  expect(marks.length).toBeGreaterThan(0);
  const holder = await usePgClient(server.databaseUrl);
  await holder.query('begin');
  // The figures are inserted by then: deleting the marks is the last thing that the transaction does.
  await holder.query('select 1 from report_marks where tenant_id = $1 for update', [tenant.id]);
  const counting = countMarkedHours({ db }, marks).then(
    () => 'counted',
    () => 'lost',
  );
  const { rows } = await holder.query('select pg_backend_pid() as pid');
  const findWaiting = async (): Promise<unknown> =>
    (
      await db.query(
        `select pid from pg_stat_activity where $1::int = any (pg_blocking_pids(pid)) and query like 'delete from report_marks%'`,
        [rows[0].pid],
      )
    ).rows[0]?.pid;
  await until(async () => (await findWaiting()) !== undefined);
  await db.query('select pg_terminate_backend($1)', [await findWaiting()]);
  expect(await counting).toBe('lost');
  await holder.query('rollback');
  expect(await storedFigures(server, tenant)).toEqual([]);
  expect(await marksOf()).toHaveLength(marks.length);

  await countAll(server);
  // What happened while the connection was lost has marked the hour again.
  await countAll(server);
  expect(await marksOf()).toEqual([]);
  expect(await totalOf(tenant, { name: 'volumes', ...DAY })).toMatchObject({
    received: 1,
    sent: 1,
    opened: 1,
  });
});

it('an hour that two processes count at the same time is counted once', async () => {
  await talk();
  const marks = await marksOf();
  await Promise.all([countMarkedHours({ db }, marks), countMarkedHours({ db }, marks)]);
  const counted = await storedFigures(server, tenant);
  await countAll(server);
  expect(counted).toEqual(await storedFigures(server, tenant));
  expect(await totalOf(tenant, { name: 'volumes', ...DAY })).toMatchObject({ received: 1, sent: 1 });
});

it('an hour with more messages than one statement may count is counted in parts, which add up', async () => {
  const { id } = await talk();
  await db.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                           timestamp, created_at, updated_at)
     select uuidv7(), m.tenant_id, m.chat_id, m.channel_id, m.contact_id, 'inbound', 'contact', 'text', 'more', '[]', '{}', 'delivered',
            t.at, t.at, t.at
       from messages m cross join (select '2026-11-02T08:20:00Z'::timestamptz + n * interval '30 milliseconds' as at
                                     from generate_series(1, $2::int) as n) t
      where m.chat_id = $1 and m.sender = 'inbound'`,
    [id, MESSAGES],
  );
  await countAll(server);
  const received = (await storedFigures(server, tenant)).filter(({ figure }) => figure === 'received');
  expect(received.length).toBeGreaterThan(2);
  expect(received.reduce((sum, { count }) => sum + Number(count), 0)).toBe(MESSAGES + 1);
  expect(await totalOf(tenant, { name: 'volumes', ...DAY })).toMatchObject({
    received: MESSAGES + 1,
    sent: 1,
  });
});
