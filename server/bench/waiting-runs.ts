import { setTimeout as delay } from 'node:timers/promises';
import { realShardOf } from '../src/engine/queue.ts';
import { memoryOf } from './cpu.ts';
import type { Effort } from './reads.ts';
import { waitUntil } from './until.ts';
import type { World } from './world.ts';

const RUNS = 1_000_000;
const AUTOMATIONS = 50;
const PEOPLE = 1000;
/** So many of them come due at one moment. */
const DUE = 1000;
const AHEAD_MS = 5_000;
const LATE_GOAL_MS = 2_000;
const MEMORY_GOAL_MB = 50;
/** For so long the server is left alone with what waits, so that what it holds can show. */
const QUIET_MS = 5_000;

const CONTACTS = `
  insert into contacts (id, tenant_id, first_name, is_subscribed, metadata, created_at, updated_at)
  select uuidv7(), $1, 'Waiting', true, '{}', now(), now() from generate_series(1, ${PEOPLE}) returning id`;

/** Runs in the middle of a step that waits, due from an hour to a day from now on. */
const INSERT = `
  insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, status, step, state, shard, scheduled_at,
                               due_at, started_at, created_at, updated_at)
  select uuidv7(), $1, a.id, a.version_id, ($5::uuid[])[n % ${PEOPLE} + 1], 'waiting', 'pause',
         '{"variables":{},"saved":{},"messageId":null,"begun":1,"templateId":null,
           "pending":{"startedAt":"2026-01-01T00:00:00.000Z","until":"2026-01-01T00:00:01.000Z"}}',
         a.shard, now(), now() + interval '1 hour' + (n % 82800) * interval '1 second', now(), now(), now()
    from generate_series(0, ${RUNS} - 1) as n
    join unnest($2::uuid[], $3::uuid[], $4::smallint[]) with ordinality as a (id, version_id, shard, number)
      on a.number = n % ${AUTOMATIONS} + 1`;

const MAKE_DUE = `
  update automation_runs set due_at = $2 where id in (
    select id from automation_runs where tenant_id = $1 and status = 'waiting' order by id limit ${DUE})
  returning id`;

/** A million runs that wait: how late those begin that come due, and what waiting costs the server's memory. */
export async function waitingRunsFigure(world: World, _effort: Effort): Promise<string[][]> {
  const { db, server } = world;
  const { tenantId, call } = await world.newTenant();
  const automations: { id: string; activeVersionId: string }[] = [];
  for (let number = 0; number < AUTOMATIONS; number += 1) {
    const { data } = await call<{ data: { id: string } }>('POST', '/v3/automations', {
      name: `Waiting ${number}`,
      trigger: { type: 'api' },
      steps: [
        { id: 'pause', type: 'wait', parameters: { for: 'P1D' } },
        { id: 'end', type: 'end' },
      ],
    });
    const published = await call<{ data: (typeof automations)[0] }>(
      'POST',
      `/v3/automations/${data.id}/publish`,
      {},
    );
    automations.push(published.data);
  }
  const { rows: people } = await db.query<{ id: string }>(CONTACTS, [tenantId]);
  await delay(QUIET_MS);
  const memory = async (): Promise<number> => (await memoryOf([server.pid])).rss;
  const before = await memory();
  const ids = automations.map(({ id }) => id);
  const versions = automations.map(({ activeVersionId }) => activeVersionId);
  await db.query(INSERT, [tenantId, ids, versions, ids.map(realShardOf), people.map(({ id }) => id)]);
  await db.query('vacuum analyze automation_runs');
  await db.query('checkpoint');
  await delay(QUIET_MS);

  const dueAt = new Date(Date.now() + AHEAD_MS);
  const { rows: chosen } = await db.query<{ id: string }>(MAKE_DUE, [tenantId, dueAt]);
  const due = chosen.map(({ id }) => id);
  await waitUntil(
    async () =>
      (
        await db.query(
          `select 1 from automation_runs where id = any ($1) and status <> 'completed' limit 1`,
          [due],
        )
      ).rows.length === 0,
  );
  const { rows } = await db.query(
    `select extract(epoch from max(ended_at) - $2::timestamptz)::float8 * 1000 as latest,
            extract(epoch from min(ended_at) - $2::timestamptz)::float8 * 1000 as first
       from automation_runs where id = any ($1)`,
    [due, dueAt],
  );
  const { first, latest } = rows[0] as { first: number; latest: number };
  const grown = (await memory()) - before;
  await db.query('delete from automation_runs where tenant_id = $1', [tenantId]);
  await db.query('vacuum analyze automation_runs');
  process.stderr.write('.');
  return [
    [
      `1,000,000 waiting runs: ${DUE} come due, the last is done after`,
      `${Math.round(latest)} ms (the first after ${Math.round(first)})`,
      `≤ ${LATE_GOAL_MS} ms ${latest <= LATE_GOAL_MS ? 'met' : 'missed'}`,
    ],
    [
      '  memory of the server that they take',
      `${Math.round(grown)} MB RSS (${Math.round(before)} before)`,
      `≤ ${MEMORY_GOAL_MB} MB ${grown <= MEMORY_GOAL_MB ? 'met' : 'missed'}`,
    ],
  ];
}
