import { vi } from 'vitest';

/**
 * Rate limits and tokens run on real time. A test that counts within a minute stops the process's own clock, and one
 * that waits moves it; timers run on. `vi.useRealTimers()` lets it go.
 */
export const setRealTime = (time: number | Date): void =>
  void vi.useFakeTimers({ toFake: ['Date'], now: time });
