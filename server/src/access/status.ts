import { type Static, Type } from 'typebox';
import type { RealClock } from '../base/clock.ts';
import { countFailingChannels } from '../channels/health.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import type { Queue } from '../engine/queue.ts';
import { data } from '../http/answer.ts';
import { operatorRead, type Route } from '../http/route.ts';
import { Nullable, Timestamp, timestamp, timestampOrNull, Uuid } from '../http/schema.ts';
import { readSystemMailState, type SystemMailChannel, SystemMailState } from '../people/system-mail.ts';

/** A process that did not report for so long is not running any more. */
const GONE = `interval '1 minute'`;

const installation = systemStatement<
  [],
  { postgres: string; bytes: number; migration: string | null; tenants: number; held_at: Date | null }
>(
  'status.installation',
  `select current_setting('server_version') as postgres, pg_database_size(current_database())::float8 as bytes,
          (select max(name) from migrations) as migration, (select count(*)::int from visible_tenants) as tenants,
          (select held_at from installation) as held_at`,
);
const processes = systemStatement<[], { id: string; seen_at: Date; shards: number }>(
  'status.processes',
  `select w.id, w.seen_at, (select count(*)::int from shards s where s.owner = w.id) as shards
     from workers w where w.seen_at > now() - ${GONE} order by w.id`,
);
const versionUsage = systemStatement<[], { calls: number; tenants: number; last_called_at: Date | null }>(
  'status.version_usage',
  `select coalesce(sum(calls), 0)::float8 as calls, count(distinct tenant_id)::int as tenants,
          max(last_called_at) as last_called_at
     from v2_usage u where exists (select 1 from visible_tenants t where t.id = u.tenant_id)`,
);

const Status = Type.Object(
  {
    versions: Type.Object({
      parley: Type.String(),
      node: Type.String(),
      postgres: Type.String(),
      schema: Nullable(Type.String({ description: 'The last migration that was applied' })),
    }),
    database: Type.Object({ bytes: Type.Integer({ description: 'Its size on the disk' }) }),
    tenants: Type.Integer(),
    failingChannels: Type.Integer({ description: 'Channels of all tenants that cannot send' }),
    systemMail: SystemMailState,
    heldSince: Nullable(
      Timestamp('Since when due work is held after a restore, until `parley release`; otherwise null'),
    ),
    queues: Type.Array(
      Type.Object({
        name: Type.String(),
        purpose: Type.String(),
        due: Type.Integer({ description: 'How many rows are due, at most 1,000 per ordering key' }),
        oldestDueAt: Nullable(Timestamp('Since when the oldest of them is due')),
      }),
    ),
    processes: Type.Array(
      Type.Object({
        id: Uuid(),
        seenAt: Timestamp('When it reported last'),
        shards: Type.Integer({ description: 'How many of the 65 parts of all queues it works on' }),
      }),
      { description: 'Processes that work on queues and reported within the last minute' },
    ),
    v2: Type.Object({
      calls: Type.Integer({ description: 'All calls that were counted; see `GET /admin/v2-usage`' }),
      tenants: Type.Integer({ description: 'How many tenants made them' }),
      lastCalledAt: Nullable(Timestamp()),
    }),
  },
  { title: 'InstallationStatus' },
);
type Status = Static<typeof Status>;

interface StatusDeps {
  clock: RealClock;
  queues: readonly Pick<Queue, 'name' | 'purpose' | 'depth'>[];
  /** Of Parley. */
  version: string;
  systemMail: SystemMailChannel | undefined;
}

async function readStatus(db: Database, { clock, queues, version, systemMail }: StatusDeps): Promise<Status> {
  const now = clock.real();
  const [found, running, usage] = await Promise.all([
    db.find(installation, []),
    db.all(processes, []),
    db.find(versionUsage, []),
  ]);
  const measured: Status['queues'] = [];
  // One after another: each may read many rows, and the operator is not in a hurry.
  for (const { name, purpose, depth } of queues) {
    const row = await db.find(depth, [now]);
    measured.push({ name, purpose, due: row?.due ?? 0, oldestDueAt: timestampOrNull(row?.oldest ?? null) });
  }
  return {
    versions: {
      parley: version,
      node: process.versions.node,
      postgres: found?.postgres ?? '',
      schema: found?.migration ?? null,
    },
    database: { bytes: found?.bytes ?? 0 },
    tenants: found?.tenants ?? 0,
    failingChannels: await countFailingChannels(db),
    systemMail: await readSystemMailState(db, systemMail),
    heldSince: timestampOrNull(found?.held_at ?? null),
    queues: measured,
    processes: running.map(({ id, seen_at, shards }) => ({ id, seenAt: timestamp(seen_at), shards })),
    v2: {
      calls: usage?.calls ?? 0,
      tenants: usage?.tenants ?? 0,
      lastCalledAt: timestampOrNull(usage?.last_called_at ?? null),
    },
  };
}

export const statusRoutes = (deps: StatusDeps): Route[] => [
  operatorRead(
    {
      method: 'GET',
      path: '/admin/status',
      operationId: 'getStatus',
      tag: 'Operator',
      summary: 'Get the status of the installation',
      description:
        'Versions, the size of the database, what is due in each queue and since when, the processes that work on it, and how much v2 is used. For monitoring use `/metrics`.',
      access: 'operator',
      answer: data(Status),
      failures: [],
      example: {
        answer: {
          versions: { parley: '3.0.0', node: '22.12.0', postgres: '18.0', schema: '0015_inbox.sql' },
          database: { bytes: 52_428_800 },
          tenants: 3,
          failingChannels: 0,
          systemMail: { status: 'none', tenantId: null, channelId: null, problem: null },
          heldSince: null,
          queues: [
            {
              name: 'messages',
              purpose: 'send messages',
              due: 2,
              oldestDueAt: '2026-11-15T01:02:03.456Z',
            },
          ],
          processes: [
            {
              id: '019a82a0-0000-7000-8000-0000000000a1',
              seenAt: '2026-11-15T01:02:03.456Z',
              shards: 65,
            },
          ],
          v2: { calls: 42, tenants: 1, lastCalledAt: '2026-11-15T01:02:03.456Z' },
        },
      },
    },
    (_call, db) => readStatus(db, deps),
  ),
];
