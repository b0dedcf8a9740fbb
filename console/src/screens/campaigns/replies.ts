import { type Campaign, searchReports } from '@parley/sdk';
import { client, queryClient, useRead } from '../../api/api.ts';
import { useScope } from '../../api/session.tsx';
import { useEvents } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';

const KEY = ['reports', 'campaignReplies'];
/** A report begins and ends at a quarter of an hour. */
const QUARTER_MS = 15 * 60_000;
const MAX_PERIOD_MS = 3_650 * 24 * 3600_000;
/** Replies come one after the other; nobody needs the figure sooner. */
const AGAIN_MS = 30_000;
const readAgain = runSoon(AGAIN_MS, () => void queryClient.invalidateQueries({ queryKey: KEY }));

/** How many recipients of each campaign have replied: from the report, in one request for all of them. */
export function useReplies(campaigns: readonly Campaign[]): ReadonlyMap<string, number> {
  const canRead = useScope('reports:read');
  const [first] = campaigns.flatMap(({ startedAt }) => startedAt ?? []).sort();
  const { data } = useRead(
    [...KEY, first],
    async (signal) => {
      const begun = Date.parse(first as string);
      // The clock of a test tenant may be ahead.
      const to = Math.ceil((Math.max(Date.now(), begun) + 1) / QUARTER_MS) * QUARTER_MS;
      const from = Math.max(Math.floor(begun / QUARTER_MS) * QUARTER_MS, to - MAX_PERIOD_MS);
      const rows = await searchReports(client, {
        body: {
          name: 'campaigns',
          groupBy: 'campaign',
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
        },
        signal,
      });
      return new Map(rows.flatMap(({ group, replied = 0 }) => (group?.id ? [[group.id, replied]] : [])));
    },
    { enabled: canRead && first !== undefined, keepsPrevious: true, freshMs: AGAIN_MS },
  );
  useEvents(['message.received'], () => readAgain('all', undefined));
  return data ?? new Map();
}
