import { describe, expect, it } from 'vitest';
import {
  occurrenceAfter,
  occurrenceUpTo,
  type Recurrence,
} from '../../../../src/automations/definition/occurrences.ts';

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';

interface Plan {
  rule: string;
  start: string;
  zone?: string;
  startCounts?: boolean;
  except?: string[];
}
const recurrence = ({ rule, start, zone = 'UTC', startCounts = true, except = [] }: Plan): Recurrence => ({
  rules: [`RRULE:${rule}`, ...except.map((times) => `EXDATE:${times}`)],
  start: new Date(start),
  zone,
  startCounts,
});

/** The first occurrences, each found from the one before. */
function first(count: number, plan: Plan): string[] {
  const found: string[] = [];
  let at: Date | null = new Date('2000-01-01T00:00:00Z');
  while (found.length < count) {
    at = occurrenceAfter(recurrence(plan), at);
    if (at === null) break;
    found.push(at.toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

const last = (plan: Plan, upTo: string): string | undefined =>
  occurrenceUpTo(recurrence(plan), new Date(upTo))?.toISOString().replace(':00.000Z', 'Z');

describe('an occurrence', () => {
  it('keeps its time on the wall when clocks change', () => {
    expect(first(3, { rule: 'FREQ=DAILY', start: '2026-03-28T08:00:00Z', zone: BERLIN })).toEqual([
      '2026-03-28T08:00Z',
      '2026-03-29T07:00Z',
      '2026-03-30T07:00Z',
    ]);
    expect(first(3, { rule: 'FREQ=DAILY', start: '2026-10-24T07:00:00Z', zone: BERLIN })).toEqual([
      '2026-10-24T07:00Z',
      '2026-10-25T08:00Z',
      '2026-10-26T08:00Z',
    ]);
    const weekly = { rule: 'FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0', zone: NEW_YORK, startCounts: false };
    expect(first(2, { ...weekly, start: '2026-03-01T15:00:00Z' })).toEqual([
      '2026-03-08T13:00Z',
      '2026-03-15T13:00Z',
    ]);
    expect(first(2, { ...weekly, start: '2026-10-25T15:00:00Z' })).toEqual([
      '2026-11-01T14:00Z',
      '2026-11-08T14:00Z',
    ]);
  });

  it('at a time that clocks skip is as much later, on that day alone', () => {
    expect(first(3, { rule: 'FREQ=DAILY', start: '2026-03-28T01:30:00Z', zone: BERLIN })).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
    expect(first(3, { rule: 'FREQ=DAILY', start: '2026-03-07T07:30:00Z', zone: NEW_YORK })).toEqual([
      '2026-03-07T07:30Z',
      '2026-03-08T07:30Z',
      '2026-03-09T06:30Z',
    ]);
  });

  it('at a time that comes twice is there once, the first time', () => {
    expect(first(3, { rule: 'FREQ=DAILY', start: '2026-10-24T00:30:00Z', zone: BERLIN })).toEqual([
      '2026-10-24T00:30Z',
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    expect(first(4, { rule: 'FREQ=HOURLY', start: '2026-11-01T04:30:00Z', zone: NEW_YORK })).toEqual([
      '2026-11-01T04:30Z',
      '2026-11-01T05:30Z',
      '2026-11-01T07:30Z',
      '2026-11-01T08:30Z',
    ]);
  });

  it('is never before the one before it, nor at the same moment, where clocks skip an hour', () => {
    const plan = { rule: 'FREQ=MINUTELY;INTERVAL=30', start: '2026-03-29T00:00:00Z', zone: BERLIN };
    expect(first(6, plan)).toEqual([
      '2026-03-29T00:00Z',
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
      '2026-03-29T02:00Z',
      '2026-03-29T02:30Z',
    ]);
  });

  it('is counted, the start as the first where it is one', () => {
    const plan = { rule: 'FREQ=DAILY;COUNT=3', start: '2026-11-15T09:00:00Z' };
    expect(first(9, plan)).toEqual(['2026-11-15T09:00Z', '2026-11-16T09:00Z', '2026-11-17T09:00Z']);
    expect(first(9, { ...plan, startCounts: false })).toEqual([
      '2026-11-16T09:00Z',
      '2026-11-17T09:00Z',
      '2026-11-18T09:00Z',
    ]);
    // The 15th is no Saturday, and the campaign begins on it all the same.
    const saturdays = { rule: 'FREQ=WEEKLY;BYDAY=SA;COUNT=3', start: '2026-11-15T09:00:00Z' };
    expect(first(9, saturdays)).toEqual(['2026-11-15T09:00Z', '2026-11-21T09:00Z', '2026-11-28T09:00Z']);
    expect(first(9, { rule: 'FREQ=DAILY;COUNT=1', start: plan.start })).toEqual(['2026-11-15T09:00Z']);
  });

  it('is counted alike from any place in the row', () => {
    const plan = recurrence({
      rule: 'FREQ=MINUTELY;INTERVAL=15;COUNT=100000',
      start: '2026-01-01T00:00:00Z',
    });
    const end = new Date('2026-01-01T00:00:00Z').getTime() + 99_999 * 15 * 60_000;
    expect(occurrenceAfter(plan, new Date(end - 1))?.getTime()).toBe(end);
    expect(occurrenceAfter(plan, new Date(end))).toBeNull();
    expect(occurrenceUpTo(plan, new Date('2040-01-01T00:00:00Z'))?.getTime()).toBe(end);
  });

  it('comes until the end of the day, or the moment, that UNTIL names', () => {
    const start = '2026-11-15T09:00:00Z';
    const until = (text: string, zone = 'UTC') =>
      first(9, { rule: `FREQ=DAILY;UNTIL=${text}`, start, zone }).length;
    expect(until('20261117T090000Z')).toBe(3);
    expect(until('20261117T085959Z')).toBe(2);
    expect(until('20261117')).toBe(3);
    // 09:00 UTC is 10:00 in Berlin: with a Z the end is in UTC, without one it is on the wall.
    expect(until('20261117T093000Z', BERLIN)).toBe(3);
    expect(until('20261117T093000', BERLIN)).toBe(2);
  });

  it('is left out where EXDATE says so, and counts all the same', () => {
    const plan = { rule: 'FREQ=DAILY;COUNT=4', start: '2026-11-15T09:00:00Z' };
    expect(first(9, { ...plan, except: ['20261116T090000Z,20261117T090000Z'] })).toEqual([
      '2026-11-15T09:00Z',
      '2026-11-18T09:00Z',
    ]);
    expect(first(9, { ...plan, except: ['20261115T090000Z', '20261118T090000Z'] })).toEqual([
      '2026-11-16T09:00Z',
      '2026-11-17T09:00Z',
    ]);
    const inBerlin = { rule: 'FREQ=DAILY;COUNT=3', start: '2026-03-28T08:00:00Z', zone: BERLIN };
    expect(first(9, { ...inBerlin, except: ['20260329T070000Z'] })).toEqual([
      '2026-03-28T08:00Z',
      '2026-03-30T07:00Z',
    ]);
  });

  it('that was last, of those that were missed, is found however far it is back', () => {
    const daily = { rule: 'FREQ=DAILY', start: '2026-11-15T09:00:00Z' };
    expect(last(daily, '2026-11-15T08:59:59Z')).toBeUndefined();
    expect(last(daily, '2026-11-15T09:00:00Z')).toBe('2026-11-15T09:00Z');
    expect(last(daily, '2026-11-16T08:59:59Z')).toBe('2026-11-15T09:00Z');
    expect(last(daily, '2027-11-20T10:00:00Z')).toBe('2027-11-20T09:00Z');
    expect(last({ ...daily, rule: 'FREQ=DAILY;COUNT=3' }, '2027-11-20T10:00:00Z')).toBe('2026-11-17T09:00Z');
    expect(last({ ...daily, rule: 'FREQ=WEEKLY;INTERVAL=100' }, '2030-01-01T00:00:00Z')).toBe(
      '2028-10-15T09:00Z',
    );
    expect(last({ ...daily, except: ['20261117T090000Z'] }, '2026-11-17T12:00:00Z')).toBe(
      '2026-11-16T09:00Z',
    );
    expect(last({ ...daily, startCounts: false }, '2026-11-15T12:00:00Z')).toBeUndefined();
    expect(last({ ...daily, rule: 'FREQ=DAILY;COUNT=1' }, '2030-01-01T00:00:00Z')).toBe('2026-11-15T09:00Z');
  });

  it('of a start with a part of a second is at whole seconds from the second one on', () => {
    const plan = recurrence({ rule: 'FREQ=DAILY', start: '2026-11-15T01:02:03.456Z' });
    expect(occurrenceAfter(plan, plan.start)?.toISOString()).toBe('2026-11-16T01:02:03.000Z');
    expect(occurrenceUpTo(plan, new Date('2026-11-16T01:02:02Z'))?.toISOString()).toBe(
      '2026-11-15T01:02:03.456Z',
    );
  });
});
