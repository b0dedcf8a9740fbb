import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';

/**
 * What has changed while it is read for the first time is read once more afterwards: the answer may be from before the change.
 * TanStack Query itself begins again only what was read before.
 */
export class ReadingClient extends QueryClient {
  readonly #waiting = new WeakSet<Query>();

  override invalidateQueries<K extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<K>,
    options?: InvalidateOptions,
  ): Promise<void> {
    if (filters?.refetchType !== 'none')
      for (const query of this.getQueryCache().findAll(filters)) this.#readOnceMore(query);
    return super.invalidateQueries(filters, options);
  }

  #readOnceMore(query: Query): void {
    const { queryKey, state, promise } = query;
    if (state.fetchStatus === 'idle' || state.data !== undefined || this.#waiting.has(query)) return;
    this.#waiting.add(query);
    const forget = (): boolean => this.#waiting.delete(query);
    promise?.then(() => {
      forget();
      void this.invalidateQueries({ queryKey, exact: true });
    }, forget);
  }
}
