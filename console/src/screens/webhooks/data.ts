import { type ApiWebhook, getApiWebhookStats, searchApiWebhooks, type WebhookStats } from '@parley/sdk';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { client, useRead } from '../../api/api.ts';
import { type ListData, useAll } from '../../api/lists.ts';
import { addPatch } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';

export const WEBHOOKS_KEY = ['webhooks'];
export const DELIVERIES_KEY = [...WEBHOOKS_KEY, 'deliveries'];
const STATS_KEY = [...WEBHOOKS_KEY, 'stats'];

export const useWebhooks = (): UseQueryResult<readonly ApiWebhook[]> =>
  useAll(WEBHOOKS_KEY, searchApiWebhooks, { sortBy: 'asc(createdAt)' });

type Interval = WebhookStats['interval'];

export const useStats = (webhookId: string, interval: Interval = 'hour'): UseQueryResult<WebhookStats> =>
  useRead([...STATS_KEY, webhookId, interval], (signal) =>
    getApiWebhookStats(client, { path: { webhookId }, query: { interval }, signal }),
  );

type Counts = Record<'delivered' | 'failed' | 'pending', number>;

/** What became of the deliveries of all intervals. */
export const sumOf = ({ intervals }: WebhookStats): Counts =>
  intervals.reduce<Counts>(
    (sum, { delivered, failed, pending }) => ({
      delivered: sum.delivered + delivered,
      failed: sum.failed + failed,
      pending: sum.pending + pending,
    }),
    { delivered: 0, failed: 0, pending: 0 },
  );

/** Which part has arrived; undefined while nothing has ended. */
export const rateOf = ({ delivered, failed }: Counts): number | undefined =>
  delivered + failed === 0 ? undefined : delivered / (delivered + failed);

/** Deliveries have no events of their own, but each follows one: soon after it, what is shown is read again. */
const READ_MS = 2_000;
const readSoon = runSoon(READ_MS, (_, cache: QueryClient) => {
  void cache.invalidateQueries({
    queryKey: DELIVERIES_KEY,
    // Lists that somebody has read further in stay as they are.
    predicate: ({ state }) => ((state.data as Partial<ListData<unknown>>)?.pages?.length ?? 1) === 1,
  });
});
/** They count a day of deliveries. */
const STATS_MS = 15_000;
const readStatsSoon = runSoon(STATS_MS, (_, cache: QueryClient) => {
  void cache.invalidateQueries({ queryKey: STATS_KEY });
});
addPatch(['*'], (_, cache) => {
  readSoon('', cache);
  readStatsSoon('', cache);
});
addPatch(['webhook.disabled'], (_, cache) => void cache.invalidateQueries({ queryKey: WEBHOOKS_KEY }));
