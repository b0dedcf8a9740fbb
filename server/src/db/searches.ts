import { ApiError } from '../base/errors.ts';
import { fairPlaces } from '../base/fair-places.ts';
import { isStatementTimeout } from './errors.ts';
import type { TenantQueryable } from './tenant.ts';

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

type Transaction = <T>(tenantId: string, work: (tx: TenantQueryable) => Promise<T>) => Promise<T>;

/** Runs searches so that those of one tenant do not delay others: 20 at once took every connection of the API. */
export function limitSearches({ connections, timeoutMs }: SearchLimits, transaction: Transaction) {
  const places = fairPlaces({
    places: connections,
    perKey: Math.max(MIN_PER_TENANT, Math.floor(connections / SHARES)),
    maxWaitMs: timeoutMs,
    maxWaiting: MAX_WAITING,
    refuse: tooMany,
  });

  /** A search has several statements: each may take what the ones before it have left. */
  function limitTime(tx: TenantQueryable): TenantQueryable {
    const startedAt = performance.now();
    let limitMs = timeoutMs;
    return Object.create(tx, {
      query: {
        value: (text: string, values: unknown[]) => {
          const leftMs = Math.ceil(timeoutMs - (performance.now() - startedAt));
          if (leftMs <= 0) throw tookTooLong();
          // Setting it takes a message, so not before it makes a difference.
          if (leftMs < limitMs * 0.8) {
            limitMs = leftMs;
            tx.query(`set local statement_timeout = ${leftMs}`, []).catch(() => {});
          }
          return tx.query(text, values);
        },
      },
    });
  }

  return <T>(tenantId: string, work: (tx: TenantQueryable) => Promise<T>): Promise<T> =>
    places.run(tenantId, () =>
      transaction(tenantId, (tx) => work(limitTime(tx))).catch((error) => {
        throw isStatementTimeout(error.cause) ? tookTooLong(error.cause) : error;
      }),
    );
}
