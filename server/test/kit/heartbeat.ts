import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { cleanUp } from './clean-up.ts';
import { collectGarbage } from './collect-garbage.ts';

/** Measures for how long the event loop of this process, and so of the servers in it, was blocked. */
export interface Heartbeat {
  /** The longest time in milliseconds that the event loop computed without a beat so far. */
  longestGapMs(): number;
}

const BEAT_MS = 5;
/** The first number is the time that this thread has spent on a processor, in nanoseconds. Linux alone has it. */
const SCHEDULED = '/proc/thread-self/schedstat';

/**
 * The time that this thread has computed, in milliseconds. A thread that waits for a processor which other programs use
 * does not compute, so a slow machine makes no gap. Elsewhere than on Linux it is the time that has passed.
 */
function computedMs(): number {
  if (process.platform !== 'linux') return performance.now();
  return Number.parseInt(readFileSync(SCHEDULED, 'latin1'), 10) / 1e6;
}

export function useHeartbeat(): Heartbeat {
  let last = computedMs();
  let longest = 0;
  const beat = (): void => {
    const now = computedMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  cleanUp(() => clearInterval(timer));
  return {
    longestGapMs() {
      beat();
      return longest;
    },
  };
}

const RUNS = 3;

/**
 * Fails if the event loop computes without a beat for `limitMs` in each of three runs of the work. What the product computes for
 * that long it computes so every time. A collection of what other test files have left takes 70 to 800 ms of this thread, and
 * other machines take its processor, but not every time.
 */
export async function expectShortGaps(limitMs: number, work: () => Promise<unknown>): Promise<void> {
  const gaps: number[] = [];
  while (gaps.length < RUNS) {
    collectGarbage();
    const heartbeat = useHeartbeat();
    await work();
    const gapMs = heartbeat.longestGapMs();
    if (gapMs < limitMs) return;
    gaps.push(gapMs);
  }
  expect.fail(`the event loop computed for ${gaps.join(', ')} ms without a beat, ${limitMs} are allowed`);
}
