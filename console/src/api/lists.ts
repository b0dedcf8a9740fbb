import { type Client, items, type Page, type SearchBody } from '@parley/sdk';
import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { client, useRead } from './api.ts';

type Search<T> = (
  client: Client,
  input: { body?: SearchBody | undefined; signal?: AbortSignal | undefined },
) => Promise<Page<T>>;

const PAGE_SIZE = 100;

/** Everything that a search finds, for what a tenant has few of: `useAll(['labels'], searchLabels)`. */
export const useAll = <T>(
  key: QueryKey,
  search: Search<T>,
  { enabled = true, sortBy = 'asc(name)' }: { enabled?: boolean; sortBy?: string } = {},
): UseQueryResult<readonly T[]> =>
  useRead(
    [...key, 'all'],
    async (signal) => {
      const all: T[] = [];
      const body = { sortBy, pagination: { limit: PAGE_SIZE } };
      for await (const item of items(search, client, { body, signal })) all.push(item);
      return all as readonly T[];
    },
    { enabled },
  );

export type ListData<T> = InfiniteData<Page<T>, string | undefined>;

export interface List<T> {
  /** Of the pages that were read; undefined before the first. */
  rows: readonly T[] | undefined;
  total: { count: number; isCapped: boolean } | undefined;
  error: unknown;
  /** Set if the search stopped: what is older was not looked at. */
  searchedTo: string | undefined;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore(): void;
  refetch(): void;
}

/** A search that is read page by page, for what a tenant may have many of. */
export function useList<T>(
  key: QueryKey,
  search: Search<T>,
  body: SearchBody,
  { enabled = true, pageSize = PAGE_SIZE }: { enabled?: boolean; pageSize?: number } = {},
): List<T> {
  const query = useInfiniteQuery({
    enabled,
    queryKey: [...key, 'list', body],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === undefined ? {} : { cursor: pageParam };
      return search(client, { body: { ...body, pagination: { limit: pageSize, ...cursor } }, signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.pagination.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const pagination = query.data?.pages[0]?.pagination;
  return {
    rows: query.data?.pages.flatMap((page) => page.items),
    total: pagination && { count: pagination.total, isCapped: pagination.totalIsCapped === true },
    error: query.error,
    searchedTo: query.data?.pages.at(-1)?.pagination.searchedTo,
    hasMore: query.hasNextPage,
    isReadingMore: query.isFetchingNextPage,
    readMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  };
}
