import { createCache } from '../base/cache.ts';

const MAX_REMEMBERED = 10_000;

/** Sources whose rows are never deleted, and that were found to have more rows than are counted: they are not counted again. */
const sources = createCache<string, true>(MAX_REMEMBERED);

export const isBeyondCap = (key: string): boolean => sources.has(key);
export const rememberBeyondCap = (key: string): void => void sources.set(key, true);
