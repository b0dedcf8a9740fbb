import { BUCKETS_PER_DOUBLING } from './sources.ts';

/** Durations by the number of their bucket, and their exact sum. */
export interface Histogram {
  counts: Map<number, number>;
  count: number;
  totalMs: number;
}

export const emptyHistogram = (): Histogram => ({ counts: new Map(), count: 0, totalMs: 0 });

export function addDurations(histogram: Histogram, bucket: number, count: number, totalMs: number): void {
  histogram.counts.set(bucket, (histogram.counts.get(bucket) ?? 0) + count);
  histogram.count += count;
  histogram.totalMs += totalMs;
}

const roundSeconds = (ms: number): number => Math.round(ms / 100) / 10;

export const averageOf = ({ count, totalMs }: Histogram): number | null =>
  count === 0 ? null : roundSeconds(totalMs / count);

/** The duration that the given part took at most, as the middle of its bucket. What took less than a second counts as one. */
export function quantileOf({ counts, count }: Histogram, part: number): number | null {
  if (count === 0) return null;
  const rank = Math.max(1, Math.ceil(part * count));
  let seen = 0;
  for (const [bucket, some] of [...counts].sort(([a], [b]) => a - b)) {
    seen += some;
    if (seen >= rank) return roundSeconds(1000 * 2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING));
  }
  return null;
}
