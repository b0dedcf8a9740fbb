import { cleanUp } from './clean-up.ts';

/** Measures for how long the event loop of this process, and so of the servers in it, was blocked. */
export interface Heartbeat {
  /** The longest time in milliseconds without a beat so far. */
  longestGapMs(): number;
}

const BEAT_MS = 5;

export function useHeartbeat(): Heartbeat {
  let last = performance.now();
  let longest = 0;
  const beat = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last - BEAT_MS);
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
