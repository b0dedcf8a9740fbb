import { setTimeout as delay } from 'node:timers/promises';
import { realShardOf } from '../src/engine/queue.ts';
import type { CountedSide } from './counted.ts';
import { callApi, type World } from './world.ts';

const POLL_MS = 5;
/** Something is lost or stuck when nothing is left to be done after this long. */
const PATIENCE_MS = 60_000;

export async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await isDone())) {
    if (performance.now() > until) throw new Error('Something is lost or stuck.');
    await delay(POLL_MS);
  }
}

/** A side whose round ends when everything that was asked for is done, and not when it is acknowledged. */
export const untilDone = (side: CountedSide, isDone: () => Promise<boolean>): CountedSide => ({
  ...side,
  async run(count) {
    const begun = performance.now();
    await side.run(count);
    await waitUntil(isDone);
    return { operations: count, seconds: (performance.now() - begun) / 1000 };
  },
});

/** Whether a bare program says that it has nothing left to do. */
export const isIdle = (port: number) => async (): Promise<boolean> =>
  (await callApi<{ pending: number }>(port, 'GET', '/pending')).pending === 0;

/** Whether nothing of a channel is due on one of our work lists: `inbound` or `messages`. */
export const isWorkedOff =
  ({ db }: World, list: 'inbound' | 'messages', channelId: string) =>
  async (): Promise<boolean> =>
    (
      await db.query(
        `select 1 from ${list} where shard = $1 and channel_id = $2 and due_at = '-infinity' limit 1`,
        [realShardOf(channelId), channelId],
      )
    ).rows.length === 0;

/** What is still to be numbered must not be charged to whoever comes next. */
export const eventsNumbered = ({ db }: World, tenantId: string): Promise<void> =>
  waitUntil(
    async () =>
      (
        await db.query(
          'select 1 from events where shard = $1 and tenant_id = $2 and sequence is null limit 1',
          [realShardOf(tenantId), tenantId],
        )
      ).rows.length === 0,
  );
