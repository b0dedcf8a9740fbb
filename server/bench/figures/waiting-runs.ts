import { setTimeout as delay } from 'node:timers/promises';
import { readMemory } from '../cpu.ts';
import type { Case, Side } from '../figure.ts';
import { seedContacts, withoutForeignKeys } from '../seed.ts';
import { createResource, type Target, type Tenant } from '../target.ts';
import { hasNoRows, waitUntil } from '../wait.ts';
import { chargeServer } from '../workload.ts';

const RUNS = 1_000_000;
const AUTOMATIONS = 50;
const CONTACTS = 1000;
/** So many of them become due at one moment. */
const DUE = 1000;
const AHEAD_MS = 1_500;
const LATE_GOAL_MS = 2_000;
const MEMORY_GOAL_MB = 50;
/** For so long the server is left alone with the waiting runs before its memory is read. */
const QUIET_MS = 5_000;
const POLL_MS = 50;

const MAKE_DUE = `
  update automation_runs set due_at = $2 where id in (
    select id from automation_runs where tenant_id = $1 and status = 'waiting' order by id limit ${DUE})
  returning id`;

/** Triggers each of the automations once and waits until its run waits. */
async function startRuns(target: Target, tenant: Tenant, contactId: string): Promise<void> {
  for (let number = 0; number < AUTOMATIONS; number += 1) {
    const id = await createResource(tenant, '/v3/automations', {
      name: `Waiting ${number}`,
      trigger: { type: 'api' },
      steps: [
        { id: 'pause', type: 'wait', parameters: { for: 'P1D' } },
        { id: 'end', type: 'end' },
      ],
    });
    await tenant.call('POST', `/v3/automations/${id}/publish`, {});
    await tenant.call('POST', `/v3/automations/${id}/trigger`, { contactId });
  }
  const { tenantId } = tenant;
  await waitUntil(() =>
    hasNoRows(
      target.db,
      `select 1 from automation_runs where tenant_id = $1 and status <> 'waiting' limit 1`,
      [tenantId],
    ),
  );
}

/**
 * Copies the runs that the server itself has written until there are a million, due from an hour to a day from now on. So
 * no name of a column and nothing of a run's state is written here. The times in the state are moved to the past: a run
 * that becomes due earlier than its state says would only wait again.
 */
async function copyRuns({ db }: Target, tenantId: string, contactIds: string[]): Promise<void> {
  const { rows } = await db.query<{ column_name: string }>(
    `select column_name from information_schema.columns
      where table_schema = 'public' and table_name = 'automation_runs' and is_generated = 'NEVER' order by ordinal_position`,
  );
  const columns = rows.map((row) => row.column_name);
  const expressions: Record<string, string> = {
    id: 'uuidv7()',
    contact_id: `($2::uuid[])[n % ${CONTACTS} + 1]`,
    due_at: `now() + interval '1 hour' + (n % 82800) * interval '1 second'`,
    state: `regexp_replace(state::text, '\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z', '2020-01-01T00:00:00.000Z', 'g')::jsonb`,
  };
  const text = `with numbered as (
       select r.*, row_number() over (order by r.id) - 1 as number from automation_runs r where tenant_id = $1),
     copied as (
       insert into automation_runs (${columns.join(', ')})
       select ${columns.map((name) => expressions[name] ?? name).join(', ')}
         from generate_series(0, ${RUNS} - 1) as n join numbered on number = n % ${AUTOMATIONS})
     delete from automation_runs where id in (select id from numbered)`;
  await withoutForeignKeys(db, async () => void (await db.query(text, [tenantId, contactIds])));
  await db.query('vacuum analyze automation_runs');
  await db.query('checkpoint');
}

/** A million runs that wait: how late those are that become due, and how much memory the server needs for them. */
export async function createWaitingRuns({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const { db } = target;
  const tenant = await target.createTenant();
  const { tenantId } = tenant;
  const contactIds = await seedContacts(db, tenantId, CONTACTS);
  await startRuns(target, tenant, contactIds[0] as string);
  await delay(QUIET_MS);
  const readRss = async (): Promise<number> => (await readMemory([target.server.pid])).rss;
  const before = await readRss();
  await copyRuns(target, tenantId, contactIds);
  await delay(QUIET_MS);
  let dueAt = new Date();
  let due: string[] = [];
  return [
    {
      title: `1,000,000 waiting runs, ${DUE} become due`,
      warmUp: DUE,
      count: () => DUE,
      effort: { rounds: 6 },
      restarts: 'once',
      hasRate: false,
      values: {
        late: { title: '  until the last of them is done', unit: 'ms', goal: LATE_GOAL_MS },
        memory: { title: '  memory of the server', unit: 'MB', betweenCommits: 'shown' },
        grown: {
          title: '  memory of the server that they take',
          unit: 'MB',
          goal: MEMORY_GOAL_MB,
          betweenCommits: 'hidden',
        },
      },
      ours: {
        ...chargeServer(target),
        async prepare() {
          dueAt = new Date(Date.now() + AHEAD_MS);
          const { rows } = await db.query<{ id: string }>(MAKE_DUE, [tenantId, dueAt]);
          due = rows.map(({ id }) => id);
          await delay(dueAt.getTime() - Date.now() - 100);
        },
        async run() {
          await waitUntil(
            () =>
              hasNoRows(
                db,
                `select 1 from automation_runs where id = any ($1) and status <> 'completed' limit 1`,
                [due],
              ),
            POLL_MS,
          );
          const { rows } = await db.query<{ late: number }>(
            `select extract(epoch from max(ended_at) - $2::timestamptz)::float8 * 1000 as late
               from automation_runs where id = any ($1)`,
            [due, dueAt],
          );
          const late = (rows[0] as { late: number }).late;
          const memory = await readRss();
          return { operations: DUE, seconds: late / 1000, values: { late, memory, grown: memory - before } };
        },
        async stop() {
          await db.query('delete from automation_runs where tenant_id = $1', [tenantId]);
          await db.query('vacuum analyze automation_runs');
        },
      },
    },
  ];
}
