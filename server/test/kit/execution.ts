import { createLog } from '../../src/base/log.ts';
import type { Database } from '../../src/db/database.ts';
import { claimsOf } from '../../src/engine/claims.ts';
import { SHARDS } from '../../src/engine/queue.ts';
import type { BoundQueue } from '../../src/engine/runner.ts';
import type { Adapters } from '../../src/providers/adapters.ts';
import { bindQueues } from '../../src/queues.ts';
import { useDatabase } from './database.ts';
import type { TestServer, TestTenant } from './server.ts';
import { testHooks } from './tenant-hooks.ts';
import { workerDeps } from './worker-deps.ts';

/** Executes campaigns, schedules and runs; messages are queued and go no further by themselves. */
export interface Execution {
  /** The messages that runs have queued so far, in the order in which they were. */
  sent(): Promise<SentMessage[]>;
  /** Does everything that is due by the clock. */
  settle(): Promise<void>;
  /** The same for campaigns and schedules only: their runs stay where they are. */
  settleCampaigns(): Promise<void>;
}

interface SentMessage {
  contactId: string;
  channelId: string;
  text: string | null;
  author: string;
  campaignId: string | null;
  content: Record<string, unknown>;
}

/**
 * Does everything of these queues that is due for a tenant. Callers that run at the same time claim the same rows, as two
 * workers may.
 */
export async function settleQueues(
  db: Database,
  tenantId: string,
  queues: readonly BoundQueue[],
  now: () => Date,
): Promise<void> {
  for (let found = 1; found > 0; ) {
    found = 0;
    for (const { queue, handle } of queues)
      for (const { shard, ordering_key } of await db.all(queue.find, [[0], [SHARDS - 1], now()])) {
        const rows = await claimsOf(db, queue, now)(shard, ordering_key, queue.rowsPerCall, new Set());
        if (rows[0]?.tenant_id !== tenantId) continue;
        found += rows.length;
        const result = await handle(rows, { shard, orderingKey: ordering_key });
        if (typeof result !== 'string') await result.stored;
      }
  }
}

/** The server's database as its worker has it. */
export function workerDatabase({ databaseUrl, clock }: TestServer): Database {
  return useDatabase(databaseUrl, {}, testHooks(clock));
}

const sentMessages = `select m.contact_id as "contactId", m.channel_id as "channelId", m.text, m.author,
    m.campaign_id as "campaignId", m.content
  from messages m where m.tenant_id = $1 and m.run_id is not null order by m.id`;

const CAMPAIGNS = ['automations', 'campaigns'];

/** An execution of its own of what one tenant has, by default with all vendors. */
export function execution(
  server: TestServer,
  db: Database,
  { id: tenantId }: TestTenant,
  { through = db, adapters }: { through?: Database; adapters?: Adapters } = {},
): Execution {
  const log = createLog({
    level: 'error',
    json: true,
    destination: { write: (line) => void server.logged.push(line) },
  });
  const bound = bindQueues({ ...workerDeps(server, through), ...(adapters ? { adapters } : {}), log });
  const named = (names: string[]): BoundQueue[] => bound.filter(({ queue }) => names.includes(queue.name));
  const settle = (names: string[]): Promise<void> =>
    settleQueues(db, tenantId, named(names), server.clock.now);
  return {
    sent: async () => (await db.query(sentMessages, [tenantId])).rows as unknown as SentMessage[],
    settle: () => settle([...CAMPAIGNS, 'automation_runs', 'automation_calls']),
    settleCampaigns: () => settle(CAMPAIGNS),
  };
}

/** Brings a campaign's messages that wait to be sent to a status, as the sending and the vendor do. */
export async function deliver(
  { system: { db } }: TestServer,
  campaignId: string,
  status = 'sent',
  error: object | null = null,
): Promise<number> {
  const { rows } = await db.query(
    `update messages set status = $2, error = $3, due_at = null where campaign_id = $1 and due_at <= now() returning id`,
    [campaignId, status, error],
  );
  return rows.length;
}
