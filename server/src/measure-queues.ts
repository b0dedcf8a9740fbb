import type { Database } from './db/database.ts';
import type { BoundQueue } from './engine/runner.ts';
import type { Worker } from './engine/worker.ts';
import type { QueueReport } from './http/metrics.ts';

/** How much is due in each queue, since when, and how many calls have failed. */
export async function measureQueues(
  db: Database,
  bound: BoundQueue[],
  worker: Worker,
  now: Date,
): Promise<QueueReport[]> {
  const failures = new Map(worker.failures().map((entry) => [entry.queue, entry.failures]));
  return Promise.all(
    bound.map(async ({ queue: { name, depth } }) => {
      const row = await db.find(depth, [now]);
      const oldestSeconds = row?.oldest ? Math.max(0, (now.getTime() - row.oldest.getTime()) / 1000) : 0;
      return { queue: name, due: row?.due ?? 0, oldestSeconds, failures: failures.get(name) ?? 0 };
    }),
  );
}
