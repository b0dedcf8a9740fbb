import { DAY_MS, periodsOf } from './recurrence-periods.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';

/**
 * How far a search goes. The rarest usual rule, 29 February, leaves out up to eight years. A search takes at most 3,653
 * periods, under 2 ms.
 */
const SEARCH_MS = 3653 * DAY_MS;

/** The occurrences of a rule after its start, as local times in milliseconds. */
export interface RuleOccurrences {
  /** The first one after a moment within ten years, or null. */
  after(time: number): number | null;
  /** The last one before a moment within ten years, or null. */
  before(time: number): number | null;
  /** All from one moment to another, both included. */
  between(from: number, to: number): number[];
}

interface Limits {
  /** The last moment. */
  until: number;
  /** How many there are after the start, at most. */
  count: number | null;
  excluded: ReadonlySet<number>;
}

export function occurrencesOf(rule: RecurrenceRule, start: number, limits: Limits): RuleOccurrences {
  const periods = periodsOf(rule, start);
  const { excluded } = limits;

  /** The moment of the last occurrence that counts, or a later one than any search needs. */
  function endOf(count: number, needed: number): number {
    const first = periods.timesOf(0).filter((time) => time > start);
    if (count <= first.length) return first[count - 1] as number;
    let rest = count - first.length;
    if (periods.isRegular) {
      const perPeriod = periods.timesOf(1).length;
      const index = 1 + Math.floor((rest - 1) / perPeriod);
      return periods.timesOf(index)[(rest - 1) % perPeriod] as number;
    }
    for (let index = 1; periods.startOf(index) <= needed; index++) {
      const times = periods.timesOf(index);
      if (rest <= times.length) return times[rest - 1] as number;
      rest -= times.length;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** The last moment that counts for a search up to `needed`. */
  function lastMoment(needed: number): number {
    if (limits.count === null) return limits.until;
    if (limits.count <= 0) return start;
    return Math.min(limits.until, endOf(limits.count, needed));
  }

  function between(from: number, to: number): number[] {
    const last = Math.min(to, lastMoment(to));
    const found: number[] = [];
    for (let index = Math.max(0, periods.indexAt(from)); periods.startOf(index) <= last; index++)
      for (const time of periods.timesOf(index))
        if (time >= from && time > start && time <= last && !excluded.has(time)) found.push(time);
    return found;
  }

  return {
    between,
    after(time) {
      const to = Math.max(time, start) + SEARCH_MS;
      const last = Math.min(to, lastMoment(to));
      for (let index = Math.max(0, periods.indexAt(time)); periods.startOf(index) <= last; index++)
        for (const one of periods.timesOf(index)) {
          if (one > last) return null;
          if (one > time && one > start && !excluded.has(one)) return one;
        }
      return null;
    },
    before(time) {
      const last = Math.min(time - 1, lastMoment(time));
      const from = Math.max(start, last - SEARCH_MS);
      for (let index = periods.indexAt(last); index >= 0; index--) {
        for (const one of periods.timesOf(index).toReversed())
          if (one <= last && one > start && !excluded.has(one)) return one;
        if (periods.startOf(index) <= from) return null;
      }
      return null;
    },
  };
}
