import { ParleyError } from '@parley/sdk';
import {
  keepPreviousData,
  MutationCache,
  notifyManager,
  QueryCache,
  type QueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { PlainKey } from '../i18n/catalogue.ts';
import { useText } from '../i18n/i18n.tsx';
import { useShowError, useToast } from '../ui/toast.tsx';
import { isLoggedOut, statusOf } from './errors.ts';
import { ReadingClient } from './query-client.ts';

export { client } from './client.ts';

export const SESSION_KEY = ['session'] as const;

/**
 * After a 401 the session is read again. If it has ended, that fails too, and the shell shows the login. After a 403 as well: the
 * person may have another role by now, or no longer belong to the tenant.
 */
function checkSession(error: unknown): void {
  if (isLoggedOut(error) || statusOf(error) === 403)
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}

/** Whether another attempt may succeed; the SDK has made two already. */
const isWorthRetrying = (error: unknown): boolean => error instanceof ParleyError && error.status === 0;

/** By default in a later task: until then a dialog could be closed, or a form sent again, although it is being stored. */
notifyManager.setScheduler(queueMicrotask);

/**
 * Everything that was read. It stays fresh: events change it (see live/patches.ts), and it is read again after events
 * may have been missed.
 */
export const queryClient: QueryClient = new ReadingClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== SESSION_KEY[0]) checkSession(error);
    },
  }),
  mutationCache: new MutationCache({ onError: checkSession }),
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => count < 3 && isWorthRetrying(error),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

interface ReadOptions {
  /** False: not yet, because something that it needs is unknown. */
  enabled?: boolean;
  /** Reads again after so many milliseconds while the page is shown; false: not again. For what has no events. */
  everyMs?: number | ((data: unknown) => number | false);
  /** Keeps showing the result for the key before, as in a search while typing. */
  keepsPrevious?: boolean;
  /** After so many milliseconds it is read again when it is opened again. For what has no events; left out: never. */
  freshMs?: number;
}

/**
 * Reads something: `useRead(['labels'], (signal) => searchLabels(client, { body: {}, signal }))`. The key begins with the
 * name of the resource, so that patches and `useWrite` find it.
 */
export const useRead = <T>(
  key: QueryKey,
  read: (signal: AbortSignal) => Promise<T>,
  { enabled = true, keepsPrevious = false, everyMs, freshMs }: ReadOptions = {},
): UseQueryResult<T> =>
  useQuery({
    queryKey: key,
    queryFn: ({ signal }) => read(signal),
    enabled,
    ...(freshMs === undefined ? {} : { staleTime: freshMs }),
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval:
            typeof everyMs === 'number'
              ? everyMs
              : ({ state }: { state: { data: unknown; error: unknown } }) =>
                  // What does not exist is not asked for again and again.
                  state.error && state.data === undefined ? false : everyMs(state.data),
        }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  }) as UseQueryResult<T>;

interface WriteOptions<T, A> {
  /** The beginnings of keys that must be read again. */
  invalidates?: readonly QueryKey[];
  onSuccess?: (result: T, argument: A) => void;
  /** Shown when it has worked. */
  done?: PlainKey;
  /** The caller shows the error itself, as a form does. Without it a toast says what to do. */
  showsError?: boolean;
}

/** Changes something: `const save = useWrite((body: Body) => updateLabel(client, { path, body }), { invalidates: [['labels']] })`. */
export function useWrite<T, A = void>(
  write: (argument: A) => Promise<T>,
  { invalidates = [], onSuccess, done, showsError = false }: WriteOptions<T, A> = {},
): UseMutationResult<T, unknown, A> {
  const cache = useQueryClient();
  const toast = useToast();
  const showError = useShowError();
  const t = useText();
  return useMutation({
    mutationFn: write,
    onSuccess: async (result, argument) => {
      for (const queryKey of invalidates) void cache.invalidateQueries({ queryKey });
      if (done) toast({ text: t(done) });
      onSuccess?.(result, argument);
    },
    onError: (error) => {
      if (!showsError) showError(error);
    },
  });
}
