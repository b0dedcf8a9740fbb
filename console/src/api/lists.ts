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

/** No event says that a colleague has added a label, a saved reply or a person. */
const FRESH_MS = 60_000;

interface AllOptions {
  enabled?: boolean;
  sortBy?: string;
  /** The key must name it as well. */
  query?: string;
}

/** Everything that a search finds, for what a tenant has few of: `useAll(['labels'], searchLabels)`. */
export const useAll = <T>(
  key: QueryKey,
  search: Search<T>,
  { enabled = true, sortBy = 'asc(name)', query }: AllOptions = {},
): UseQueryResult<readonly T[]> =>
  useRead(
    [...key, 'all'],
    async (signal) => {
      const all: T[] = [];
      const filter = query === undefined ? {} : { query };
      const body = { ...filter, sortBy, pagination: { limit: PAGE_SIZE } };
      for await (const item of items(search, client, { body, signal })) all.push(item);
      return all as readonly T[];
    },
    { enabled, freshMs: FRESH_MS },
  );

export type ListData<T> = InfiniteData<Page<T>, string | undefined>;

/** A list that was read, with other items on each page. */
export const mapPages = <T>(data: ListData<T>, change: (items: T[], index: number) => T[]): ListData<T> => ({
  ...data,
  pages: data.pages.map((page, index) => ({ ...page, items: change(page.items, index) })),
});

export interface List<T> {
  /** Of the pages that were read; undefined before the first. */
  rows: readonly T[] | undefined;
  /** Only if asked for. */
  total: { count: number; isCapped: boolean } | undefined;
  error: unknown;
  /** Set if the search stopped: what is older was not looked at. */
  searchedTo: string | undefined;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore(): void;
  refetch(): void;
}

interface ListOptions {
  enabled?: boolean;
  pageSize?: number;
  /** Whether all that is found is counted. Without it, the list of a tenant with many is read faster. */
  withTotal?: boolean;
  /** As in `useRead`. */
  freshMs?: number;
}

/** A search that is read page by page, for what a tenant may have many of. */
export function useList<T>(
  key: QueryKey,
  search: Search<T>,
  body: SearchBody,
  { enabled = true, pageSize = PAGE_SIZE, withTotal = false, freshMs }: ListOptions = {},
): List<T> {
  const query = useInfiniteQuery({
    enabled,
    ...(freshMs === undefined ? {} : { staleTime: freshMs }),
    queryKey: [...key, 'list', body],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === undefined ? {} : { cursor: pageParam };
      const pagination = { limit: pageSize, withTotal, ...cursor };
      return search(client, { body: { ...body, pagination }, signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.pagination.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const pagination = withTotal ? query.data?.pages[0]?.pagination : undefined;
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
