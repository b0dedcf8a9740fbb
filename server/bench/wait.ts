import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { shardOf } from './shards.ts';
import type { Target } from './target.ts';

const POLL_MS = 5;
/** After this long something is lost or stuck. */
export const TIMEOUT_MS = 120_000;

export async function waitUntil(isDone: () => Promise<boolean>, pollMs = POLL_MS): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('Timed out: something is lost or stuck.');
    await delay(pollMs);
  }
}

export const hasNoRows = async (db: pg.Client, text: string, values: unknown[]): Promise<boolean> =>
  (await db.query(text, values)).rows.length === 0;

/** Whether nothing of a channel is due in one of the queues. */
export const isQueueEmpty =
  ({ db, shardColumn }: Target, queue: 'inbound' | 'messages', channelId: string) =>
  (): Promise<boolean> =>
    hasNoRows(
      db,
      `select 1 from ${queue} where ${shardColumn} = $1 and channel_id = $2 and due_at <= now() limit 1`,
      [shardOf(channelId), channelId],
    );

/** Waits until all events are numbered, so that the next round does not pay for it. */
export const waitForNumbering = ({ db, shardColumn }: Target, tenantId: string): Promise<void> =>
  waitUntil(() =>
    hasNoRows(
      db,
      `select 1 from events where ${shardColumn} = $1 and tenant_id = $2 and sequence is null limit 1`,
      [shardOf(tenantId), tenantId],
    ),
  );
