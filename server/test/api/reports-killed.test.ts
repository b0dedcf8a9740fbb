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
