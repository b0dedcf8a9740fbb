import fc from 'fast-check';
import rrule from 'rrule';
import { describe, expect, it } from 'vitest';
import { validateRule } from '../../src/automations/definition/recurrence.ts';
import { parseRule } from '../../src/automations/definition/recurrence-rule.ts';
import { occurrencesOf } from '../../src/automations/definition/recurrence-search.ts';

const DAY_MS = 24 * 3600_000;
const NONE = { until: Number.POSITIVE_INFINITY, count: null, excluded: new Set<number>() };

const listOf = (values: readonly (string | number)[], maxLength = 3) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength }).map((list) => list.join(','));
const part = (name: string, value: fc.Arbitrary<string | number>) =>
  fc.option(value, { nil: undefined, freq: 1 }).map((one) => (one === undefined ? '' : `;${name}=${one}`));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const numbered = weekdays.flatMap((day) => [`1${day}`, `3${day}`, `-1${day}`]);
const times = [part('BYHOUR', listOf(range(0, 23))), part('BYMINUTE', fc.constantFrom('0', '0,30', '15,45'))];
const months = part('BYMONTH', listOf(range(1, 12)));
const join = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));
const interval = (max: number) => part('INTERVAL', fc.integer({ min: 1, max }));

/** The library searches thousands of years for positions that no month has. */
const chosenDays = fc.oneof(
  part('BYDAY', listOf(numbered)),
  join(
    listOf(weekdays).map((days) => `;BYDAY=${days}`),
    part('BYSETPOS', listOf([1, -1, 2])),
  ),
);
/** Rules that the library finds occurrences of in short time; it decides what they mean. */
const rules = fc.oneof(
  fc.integer({ min: 15, max: 300 }).map((minutes) => `FREQ=MINUTELY;INTERVAL=${minutes}`),
  join(fc.constant('FREQ=HOURLY'), interval(30), times[1] as fc.Arbitrary<string>),
  join(fc.constant('FREQ=DAILY'), months, part('BYDAY', listOf(weekdays)), ...times),
  join(fc.constant('FREQ=DAILY'), interval(40), ...times),
  join(
    fc.constant('FREQ=WEEKLY'),
    interval(5),
    part('BYDAY', listOf(weekdays)),
    part('WKST', fc.constantFrom('SU', 'MO', 'WE')),
    ...times,
  ),
  join(
    fc.constant('FREQ=MONTHLY'),
    interval(5),
    part('BYMONTHDAY', listOf([1, 2, 15, 28, -1, -3])),
    ...times,
  ),
  join(fc.constant('FREQ=MONTHLY'), interval(5), chosenDays, ...times),
  join(fc.constant('FREQ=YEARLY'), months, part('BYMONTHDAY', listOf([1, 2, 15, 28, -1, -3])), ...times),
  join(fc.constant('FREQ=YEARLY'), months, chosenDays, ...times),
);
const starts = fc
  .integer({ min: Date.UTC(2023, 0, 1), max: Date.UTC(2028, 0, 1) })
  .map((ms) => Math.floor(ms / 1000) * 1000);

describe('the search for occurrences', () => {
  it('finds what the rrule library finds, forwards, backwards and between two moments', () => {
    fc.assert(
      fc.property(rules, starts, fc.integer({ min: 0, max: 400 }), (text, start, days) => {
        fc.pre(validateRule(text) === undefined);
        const from = start + days * DAY_MS + 1000;
        const library = new rrule.RRule({ ...rrule.RRule.parseString(text), dtstart: new Date(start) });
        const found = occurrencesOf(parseRule(text), start, NONE);
        const next = library.after(new Date(from), false)?.getTime() ?? null;
        expect([text, found.after(from)]).toEqual([text, next]);
        const earlier = library.before(new Date(from), false)?.getTime();
        expect([text, found.before(from)]).toEqual([
          text,
          earlier === undefined || earlier === start ? null : earlier,
        ]);
        const all = library.between(new Date(from), new Date(from + 3 * DAY_MS), true).map(Number);
        expect([text, found.between(from, from + 3 * DAY_MS)]).toEqual([text, all]);
      }),
      { numRuns: 100 },
    );
  });

  it('counts as the library does', () => {
    fc.assert(
      fc.property(rules, starts, fc.integer({ min: 1, max: 60 }), (text, start, count) => {
        fc.pre(validateRule(text) === undefined);
        const library = new rrule.RRule({
          ...rrule.RRule.parseString(text),
          dtstart: new Date(start),
          until: new Date(start + 3000 * DAY_MS),
        });
        // The start itself does not count here.
        const all = library.all((_, index) => index <= count).map(Number);
        const after = all.filter((time) => time > start).slice(0, count);
        fc.pre(after.length === count);
        const found = occurrencesOf(parseRule(text), start, { ...NONE, count });
        const last = after.at(-1) as number;
        expect([text, found.before(last + 1), found.after(last)]).toEqual([text, last, null]);
      }),
      { numRuns: 100 },
    );
  });

  it('takes union of plain and numbered days, as RFC 5545 says', () => {
    const start = Date.UTC(2026, 10, 1);
    const found = occurrencesOf(parseRule('FREQ=MONTHLY;BYDAY=SU,1TU'), start, NONE);
    expect(found.between(start, start + 9 * DAY_MS).map((time) => new Date(time).getUTCDate())).toEqual([
      3, 8,
    ]);
  });

  it('ends at once where there is nothing to find', () => {
    const never = ['FREQ=MONTHLY;BYDAY=5MO;BYSETPOS=2', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=1MO'];
    for (const text of never) {
      const found = occurrencesOf(parseRule(text), 0, NONE);
      expect([found.after(0), found.before(4e12), found.between(0, 1e11)]).toEqual([null, null, []]);
    }
  });
});
