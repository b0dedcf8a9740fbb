/**
 * Batches become smaller above the one and larger below the other: each should take well under a second. One that is doubled below
 * the one takes less than the other.
 */
const SLOW_MS = 200;
const FAST_MS = 90;
/**
 * Slow batches do not become smaller than this: on a busy machine a transaction takes that long whatever it does, and a job of
 * one row at a time would never end. Batches that fail do.
 */
const MIN_BATCH = 50;

/** The size of the next batch after one that took so long. */
export function nextBatch(batch: number, tookMs: number, isFull: boolean, max: number): number {
  if (tookMs > SLOW_MS) return Math.max(Math.min(batch, MIN_BATCH), Math.floor(batch / 2));
  return tookMs < FAST_MS && isFull ? Math.min(max, batch * 2) : batch;
}
