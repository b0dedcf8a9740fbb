import type { Logger } from 'pino';
import { createCache } from '../base/cache.ts';
import { sha256 } from '../base/crypto.ts';
import { networkOf } from '../base/network.ts';

/** How many invalid tokens at once. Nobody mistypes the operator's token fifty times. */
const BURST = { tenant: 100, operator: 50 };
const PER_SECOND = 1;
/** A token that is repeated is not a guess: a client with an expired token may poll for a while. */
const COST_OF_REPEATED = 0.02;
const MAX_REMEMBERED = 20;
const MAX_ADDRESSES = 10_000;
const LOG_MS = 60_000;

interface Bucket {
  left: number;
  at: number;
  loggedAt: number;
  /** The hashes of tokens that were refused. */
  known: Set<string>;
}

export interface BackOff {
  /** Counts an invalid token of an address. Returns the seconds to wait if there were too many, otherwise 0. */
  fail(address: string, token: string): number;
}

/**
 * Limits the answers to invalid tokens per address: some at once, then one a second. Valid tokens are not affected, so that
 * an attacker behind the same proxy cannot lock anybody out; a token has 128 bits or more, so that guessing is slow anyway.
 */
export function backOff(
  log: Logger,
  kind: keyof typeof BURST,
  now: () => number = () => performance.now(),
): BackOff {
  const burst = BURST[kind];
  const buckets = createCache<string, Bucket>(MAX_ADDRESSES);
  return {
    fail(address, token) {
      const key = networkOf(address);
      const at = now();
      const bucket = buckets.get(key) ?? {
        left: burst,
        at,
        loggedAt: Number.NEGATIVE_INFINITY,
        known: new Set(),
      };
      buckets.set(key, bucket);
      const hash = sha256(token).toString('base64', 0, 12);
      const cost = kind === 'tenant' && bucket.known.has(hash) ? COST_OF_REPEATED : 1;
      bucket.known.add(hash);
      if (bucket.known.size > MAX_REMEMBERED)
        bucket.known.delete(bucket.known.values().next().value as string);
      bucket.left = Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * PER_SECOND);
      bucket.at = at;
      if (bucket.left >= cost) {
        bucket.left -= cost;
        return 0;
      }
      if (at - bucket.loggedAt > LOG_MS) {
        bucket.loggedAt = at;
        log.warn({ address }, 'too many invalid tokens from this address');
      }
      return Math.ceil((cost - bucket.left) / PER_SECOND);
    },
  };
}
