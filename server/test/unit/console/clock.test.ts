import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClock } from '../../../../console/src/ui/clock.ts';

const HOUR_MS = 3_600_000;

describe('the clock of a page', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it('goes on in steps while somebody follows it, and wakes them', () => {
    const clock = createClock(30_000);
    let calls = 0;
    const stop = clock.subscribe(() => (calls += 1));
    vi.advanceTimersByTime(60_000);
    expect([clock.read().getTime(), calls]).toEqual([60_000, 2]);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is right at once for those who come after an hour without anybody', () => {
    const clock = createClock(30_000);
    clock.subscribe(() => {})();
    vi.advanceTimersByTime(HOUR_MS);
    clock.subscribe(() => {});
    expect(clock.read().getTime()).toBe(HOUR_MS);
  });
});
