import { ApiError } from '../base/errors.ts';
import { fairPlaces } from '../base/fair-places.ts';
import { isStatementTimeout } from './errors.ts';
import type { Send } from './pipelined.ts';

export interface SearchLimits {
  /** How many searches run at the same time. */
  connections: number;
  /** How long one search may take, all statements together. */
  timeoutMs: number;
}

/** A tenant may use a quarter of the connections, so that it takes four to delay a fifth. */
const SHARES = 4;
const MIN_PER_TENANT = 2;
const MAX_WAITING = 100;

const tooSlow = (detail: string, cause?: unknown): ApiError =>
  new ApiError('search_too_slow', { detail, cause });
const tookTooLong = (cause?: unknown): ApiError =>
  tooSlow('use fewer or more selective conditions, such as a range of createdAt', cause);
const tooMany = (): ApiError =>
  tooSlow('too many searches are running at the same time; wait for earlier ones before you send more');

/** Runs work on one connection. */
type OnConnection = <T>(work: (send: Send) => Promise<T>) => Promise<T>;

/** Runs searches so that those of one tenant do not delay others: 20 at once took every connection of the API. */
export function limitSearches({ connections, timeoutMs }: SearchLimits, onConnection: OnConnection) {
  const places = fairPlaces({
    places: connections,
    perKey: Math.max(MIN_PER_TENANT, Math.floor(connections / SHARES)),
    maxWaitMs: timeoutMs,
    maxWaiting: MAX_WAITING,
    refuse: tooMany,
  });

  /**
   * A search has several statements: each may take what the ones before it have left. Those with a name are planned once.
   * The others are planned each time: a generic plan would be the same for a rare name and for one that most rows have.
   */
  async function searchOn<T>(send: Send, work: (send: Send) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let limitMs = timeoutMs;
    let plans = 'generic';
    // A setting takes a message, which is sent with the next statement.
    const limitTo = (ms: number): void => {
      limitMs = ms;
      send({ text: `set statement_timeout = ${ms}` }).catch(() => {});
    };
    const plan = (kind: 'generic' | 'custom'): void => {
      if (kind === plans) return;
      plans = kind;
      send({ text: `set plan_cache_mode = force_${kind}_plan` }).catch(() => {});
    };
    try {
      return await work(async (query) => {
        const leftMs = Math.ceil(timeoutMs - (performance.now() - startedAt));
        if (leftMs <= 0) throw tookTooLong();
        if (leftMs < limitMs * 0.8) limitTo(leftMs);
        plan(query.name === undefined ? 'custom' : 'generic');
        return send(query);
      });
    } finally {
      plan('generic');
      if (limitMs < timeoutMs) limitTo(timeoutMs);
    }
  }

  return <T>(tenantId: string, work: (send: Send) => Promise<T>): Promise<T> =>
    places.run(tenantId, () =>
      onConnection((send) => searchOn(send, work)).catch((error) => {
        throw isStatementTimeout(error.cause) ? tookTooLong(error.cause) : error;
      }),
    );
}
