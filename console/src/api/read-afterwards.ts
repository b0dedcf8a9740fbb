import type { QueryKey } from '@tanstack/react-query';
import { queryClient } from './api.ts';

const waiting = new Set<string>();

/**
 * If a list is being read at the moment of a change, the answer may be from before it: the list is read once more afterwards. A
 * further page is put behind the pages as they were when it was asked for: the change is made once more.
 */
export function readAfterwards(queryKey: QueryKey, changeAgain: () => void): void {
  const query = queryClient.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus !== 'fetching') return;
  if (query.state.fetchMeta?.fetchMore) return void query.promise?.then(changeAgain, () => {});
  const name = JSON.stringify(queryKey);
  if (waiting.has(name)) return;
  waiting.add(name);
  const again = (): void => {
    waiting.delete(name);
    void queryClient.invalidateQueries({ queryKey, exact: true });
  };
  query.promise?.then(again, again);
}
