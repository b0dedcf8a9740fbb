import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { queryClient } from './api.ts';
import { type ListData, mapPages } from './lists.ts';

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

/** Changes the rows of all lists whose keys begin alike. */
export function changeLists<T>(cache: QueryClient, queryKey: QueryKey, change: (rows: T[]) => T[]): void {
  for (const [key] of cache.getQueriesData<ListData<T>>({ queryKey })) {
    const changeOne = (): void =>
      void cache.setQueryData<ListData<T>>(key, (data) => data && mapPages(data, change));
    readAfterwards(key, changeOne);
    changeOne();
  }
}
