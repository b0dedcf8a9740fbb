import { vi } from 'vitest';

/**
 * Rate limits and tokens use real time, so tests of them set `Date`. Timers are not affected. `vi.useRealTimers()` ends it.
 */
export const setRealTime = (time: number | Date): void =>
  void vi.useFakeTimers({ toFake: ['Date'], now: time });
