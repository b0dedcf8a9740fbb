import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTEMPTS, nextAttempt, RETRY_DELAYS_MS, retryAfterMs } from '../../../src/webhooks/schedule.ts';

const NOW = new Date('2026-11-15T00:00:00.000Z');
const DAY = 24 * 3600_000;

describe('the delay before the next attempt', () => {
  it('is the scheduled one, plus or minus a random fifth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: ATTEMPTS - 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failedAttempts, random) => {
          const delayMs = RETRY_DELAYS_MS[failedAttempts - 1] as number;
          const actualMs = (nextAttempt(failedAttempts, NOW, 0, random) as Date).getTime() - NOW.getTime();
          expect(actualMs).toBeGreaterThanOrEqual(Math.floor(delayMs * 0.8));
          expect(actualMs).toBeLessThanOrEqual(Math.ceil(delayMs * 1.2));
        },
      ),
    );
    expect(nextAttempt(1, NOW, 0, 0.5)).toEqual(new Date(NOW.getTime() + 5_000));
  });

  it('does not exist after ten attempts', () => {
    expect(ATTEMPTS).toBe(10);
    expect(nextAttempt(9, NOW, 0, 0.5)).not.toBeNull();
    expect(nextAttempt(10, NOW, 0, 0.5)).toBeNull();
    expect(nextAttempt(11, NOW, DAY, 0.5)).toBeNull();
  });

  it('is the one that the receiver requested, if that is longer', () => {
    expect(nextAttempt(1, NOW, 60_000, 0.5)).toEqual(new Date(NOW.getTime() + 60_000));
    expect(nextAttempt(2, NOW, 1_000, 0.5)).toEqual(new Date(NOW.getTime() + 300_000));
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Sun, 15 Nov 2026 00:10:00 GMT', 600_000],
    ['Sat, 14 Nov 2026 00:00:00 GMT', 0],
    ['999999999', DAY],
    ['Fri, 31 Dec 9999 23:59:59 GMT', DAY],
    [undefined, 0],
    ['', 0],
    ['soon', 0],
    ['-5', 0],
    ['1e9', 0],
    ['120, 240', 0],
  ])('%s means %i ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it('is never negative and never more than a day', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const ms = retryAfterMs(header, NOW);
        expect(ms >= 0 && ms <= DAY).toBe(true);
      }),
    );
  });
});
