import { LRUCache } from 'lru-cache';

export type Cache<K extends string, V extends {}> = LRUCache<K, V>;

/**
 * Keeps the `max` entries that were used last. They count as bytes of one each, because with its own `max` the package
 * reserves the memory of all entries at once: 150 ms of every start and 8 MB.
 */
export const createCache = <K extends string, V extends {}>(
  max: number,
  options: { ttl?: number; memoMethod?: (key: K) => V } = {},
): Cache<K, V> => new LRUCache<K, V>({ maxSize: max, sizeCalculation: () => 1, ...options });
