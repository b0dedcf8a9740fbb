import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKnownPattern, matches } from '../../../src/webhooks/match.ts';
import { ATTEMPTS, nextAttempt, PAUSES_MS, retryAfterMs } from '../../../src/webhooks/schedule.ts';

const NOW = new Date('2026-11-15T00:00:00.000Z');
const DAY = 24 * 3600_000;

describe('the pause before the next attempt', () => {
  it('is the scheduled one, a fifth more or less by chance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: ATTEMPTS - 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (made, chance) => {
          const pause = PAUSES_MS[made - 1] as number;
          const waited = (nextAttempt(made, NOW, 0, chance) as Date).getTime() - NOW.getTime();
          expect(waited).toBeGreaterThanOrEqual(Math.floor(pause * 0.8));
          expect(waited).toBeLessThanOrEqual(Math.ceil(pause * 1.2));
        },
      ),
    );
    expect(nextAttempt(1, NOW, 0, 0.5)).toEqual(new Date(NOW.getTime() + 5_000));
  });

  it('never ends after ten attempts, because there is none', () => {
    expect(ATTEMPTS).toBe(10);
    expect(nextAttempt(9, NOW, 0, 0.5)).not.toBeNull();
    expect(nextAttempt(10, NOW, 0, 0.5)).toBeNull();
    expect(nextAttempt(11, NOW, DAY, 0.5)).toBeNull();
  });

  it('is as long as the receiver asked for, when that is longer', () => {
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

  it('is never negative, never more than a day, whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const ms = retryAfterMs(header, NOW);
        expect(ms >= 0 && ms <= DAY).toBe(true);
      }),
    );
  });
});

describe('a subscription', () => {
  const event = (type: string, channel_id: string | null = null) => ({ type, channel_id });
  const line = (type_pattern: string | null, channel_ids: string[] | null = null) => ({
    type_pattern,
    channel_ids,
  });
  it('matches its type, a prefix, or everything', () => {
    expect(matches(line('chat.created'), event('chat.created'))).toBe(true);
    expect(matches(line('chat.created'), event('chat.status_changed'))).toBe(false);
    expect(matches(line('chat.*'), event('chat.status_changed'))).toBe(true);
    expect(matches(line('chat.*'), event('contact.created'))).toBe(false);
    expect(matches(line(null), event('contact.created'))).toBe(true);
  });

  it('with channels matches only events of those; without, also events of none', () => {
    expect(matches(line(null, ['a', 'b']), event('chat.created', 'b'))).toBe(true);
    expect(matches(line(null, ['a']), event('chat.created', 'b'))).toBe(false);
    expect(matches(line(null, ['a']), event('contact.created', null))).toBe(false);
    expect(matches(line(null), event('contact.created', null))).toBe(true);
  });

  it('is refused when nothing could ever match it', () => {
    for (const pattern of ['chat.*', '*', 'message.received', 'mess*'])
      expect(isKnownPattern(pattern)).toBe(true);
    for (const pattern of ['chat', 'order.*', '', 'chat.created.x'])
      expect(isKnownPattern(pattern)).toBe(false);
  });
});
