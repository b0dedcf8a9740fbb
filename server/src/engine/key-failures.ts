/** After this many consecutive failures an ordering key is probed: one call at a time until one succeeds. */
const FAILURES_UNTIL_PROBE = 3;
const MAX_FAILING_KEYS = 50_000;

/** Counts consecutive failures of ordering keys, also of those without due rows. */
export interface KeyFailures {
  note(orderingKey: string): void;
  end(orderingKey: string): void;
  /** Whether the key is probed. */
  has(orderingKey: string): boolean;
}

export function countKeyFailures(): KeyFailures {
  /** By ordering key, sorted by the last failure. */
  const failing = new Map<string, number>();
  return {
    note(orderingKey) {
      const consecutive = (failing.get(orderingKey) ?? 0) + 1;
      failing.delete(orderingKey);
      failing.set(orderingKey, consecutive);
      if (failing.size > MAX_FAILING_KEYS) failing.delete(failing.keys().next().value as string);
    },
    end: (orderingKey) => void failing.delete(orderingKey),
    has: (orderingKey) => (failing.get(orderingKey) ?? 0) >= FAILURES_UNTIL_PROBE,
  };
}
