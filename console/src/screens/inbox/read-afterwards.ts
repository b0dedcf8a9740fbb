import type { QueryKey } from '@tanstack/react-query';
import { queryClient } from '../../api/api.ts';

const waiting = new Set<string>();

/**
 * If something is being read at the moment of an event, the answer may be from before the event: it is read once more afterwards.
 * A further page is not: what is new is on the first one, which events change.
 */
export function readAfterwards(queryKey: QueryKey): void {
  const query = queryClient.getQueryCache().find({ queryKey, exact: true });
  const isReading = query?.state.fetchStatus === 'fetching' && !query.state.fetchMeta?.fetchMore;
  const name = JSON.stringify(queryKey);
  if (!isReading || waiting.has(name)) return;
  waiting.add(name);
  const again = (): void => {
    waiting.delete(name);
    void queryClient.invalidateQueries({ queryKey, exact: true });
  };
  query.promise?.then(again, again);
}
