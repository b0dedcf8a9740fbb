import type { Frequency, RecurrenceRule } from './recurrence-rule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3600_000;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;

/**
 * The periods of a rule: the minutes, hours, days, weeks, months or years in which it has occurrences, numbered from that of
 * its start. Times are local times, in milliseconds as if they were UTC. Any period is found by its number without going
 * through those before it, so that a search takes the same time however long ago the rule began.
 */
export interface Periods {
  /** The number of the period that contains a moment, or of the one before it. */
  indexAt(time: number): number;
  startOf(index: number): number;
  /** The occurrences in a period, sorted; those of the first one may be before the start. */
  timesOf(index: number): number[];
  /** Whether all periods have the same number of occurrences. */
  readonly isRegular: boolean;
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
/** 0 is Monday. The first day of 1970 was a Thursday. */
const weekdayOf = (day: number): number => modulo(day + 3, WEEK_DAYS);
const monthStart = (month: number): number => Date.UTC(Math.floor(month / 12), modulo(month, 12), 1) / DAY_MS;

/** A day with its number among the days of the month or year, from both ends. */
interface DayOfPeriod {
  day: number;
  fromStart: number;
  fromEnd: number;
}

function daysFrom(first: number, end: number): DayOfPeriod[] {
  return Array.from({ length: end - first }, (_, index) => ({
    day: first + index,
    fromStart: index + 1,
    fromEnd: end - first - index,
  }));
}

const isOneOf = (list: readonly number[] | null, value: number): boolean =>
  list === null || list.includes(value);

const nth = (numberOfDay: number): number => Math.ceil(numberOfDay / WEEK_DAYS);

function matchesWeekday({ days }: RecurrenceRule, { day, fromStart, fromEnd }: DayOfPeriod): boolean {
  if (days === null) return true;
  const weekday = weekdayOf(day);
  return days.some(
    (one) =>
      one.weekday === weekday &&
      (one.number === null || one.number === nth(fromStart) || -one.number === nth(fromEnd)),
  );
}

const matchesMonthDay = ({ monthDays }: RecurrenceRule, { fromStart, fromEnd }: DayOfPeriod): boolean =>
  monthDays === null || monthDays.includes(fromStart) || monthDays.includes(-fromEnd);

/** The days of a month that the rule selects. `byWeekday` is false if weekdays are counted within the year. */
function daysOfMonth(rule: RecurrenceRule, month: number, byWeekday: boolean): number[] {
  if (!isOneOf(rule.months, modulo(month, 12) + 1)) return [];
  return daysFrom(monthStart(month), monthStart(month + 1))
    .filter((one) => matchesMonthDay(rule, one) && (!byWeekday || matchesWeekday(rule, one)))
    .map(({ day }) => day);
}

function daysOfYear(rule: RecurrenceRule, year: number): number[] {
  // Numbered weekdays count within the year, unless months are named.
  const isByYear = rule.months === null && rule.days !== null;
  const days = Array.from({ length: 12 }, (_, month) =>
    daysOfMonth(rule, year * 12 + month, !isByYear),
  ).flat();
  if (!isByYear) return days;
  const selected = new Set(
    daysFrom(monthStart(year * 12), monthStart(year * 12 + 12))
      .filter((one) => matchesWeekday(rule, one))
      .map(({ day }) => day),
  );
  return days.filter((day) => selected.has(day));
}

/** What a rule leaves out comes from its start. */
function completeRule(rule: RecurrenceRule, start: Date): RecurrenceRule {
  const hasNoDays = rule.days === null && rule.monthDays === null;
  const { frequency } = rule;
  const isMonthly = frequency === 'MONTHLY' || frequency === 'YEARLY';
  return {
    ...rule,
    hours: rule.hours ?? [start.getUTCHours()],
    minutes: rule.minutes ?? [start.getUTCMinutes()],
    ...(frequency === 'WEEKLY' && hasNoDays
      ? { days: [{ weekday: weekdayOf(Math.floor(start.getTime() / DAY_MS)), number: null }] }
      : {}),
    ...(isMonthly && hasNoDays ? { monthDays: [start.getUTCDate()] } : {}),
    ...(frequency === 'YEARLY' && hasNoDays && rule.months === null
      ? { months: [start.getUTCMonth() + 1] }
      : {}),
  };
}

/** The occurrences on these days, of which positions may select some. */
function timesOn(days: number[], timesOfDay: number[], positions: readonly number[] | null): number[] {
  const times = days.flatMap((day) => timesOfDay.map((time) => day * DAY_MS + time));
  if (positions === null) return times;
  const chosen = positions.map((position) => times.at(position > 0 ? position - 1 : position));
  return [...new Set(chosen.filter((time) => time !== undefined))].sort((a, b) => a - b);
}

/** Periods of a fixed length, which begin with the one of the start. */
const fixedPeriods = (first: number, length: number): Pick<Periods, 'indexAt' | 'startOf'> => ({
  indexAt: (time) => Math.floor((time - first) / length),
  startOf: (index) => first + index * length,
});

export function periodsOf(given: RecurrenceRule, startTime: number): Periods {
  const start = new Date(startTime);
  const rule = completeRule(given, start);
  const { interval, positions, weekStart } = rule;
  const second = modulo(startTime, MINUTE_MS);
  const minutes = (rule.minutes as readonly number[]).map((minute) => minute * MINUTE_MS + second);
  const timesOfDay = (rule.hours as readonly number[]).flatMap((hour) =>
    minutes.map((minute) => hour * HOUR_MS + minute),
  );
  const startDay = Math.floor(startTime / DAY_MS);
  const startMonth = start.getUTCFullYear() * 12 + start.getUTCMonth();
  const monthIndex = (time: number): number => {
    const date = new Date(time);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  const isOfMonth = (day: number): boolean =>
    rule.months === null || rule.months.includes(new Date(day * DAY_MS).getUTCMonth() + 1);
  const matches = (day: number): boolean =>
    matchesWeekday(rule, { day, fromStart: 0, fromEnd: 0 }) && isOfMonth(day);

  const periods: Record<Frequency, () => Periods> = {
    MINUTELY: () => {
      const fixed = fixedPeriods(startTime, interval * MINUTE_MS);
      return { ...fixed, timesOf: (index) => [fixed.startOf(index)], isRegular: true };
    },
    HOURLY: () => {
      const fixed = fixedPeriods(startTime - modulo(startTime, HOUR_MS), interval * HOUR_MS);
      const timesOf = (index: number): number[] => minutes.map((minute) => fixed.startOf(index) + minute);
      return { ...fixed, timesOf, isRegular: true };
    },
    DAILY: () => ({
      ...fixedPeriods(startDay * DAY_MS, interval * DAY_MS),
      timesOf: (index) => timesOn([startDay + index * interval].filter(matches), timesOfDay, positions),
      isRegular: rule.days === null && rule.months === null,
    }),
    WEEKLY: () => {
      const first = startDay - modulo(weekdayOf(startDay) - weekStart, WEEK_DAYS);
      return {
        ...fixedPeriods(first * DAY_MS, interval * WEEK_DAYS * DAY_MS),
        timesOf: (index) => {
          const monday = first + index * interval * WEEK_DAYS;
          const days = Array.from({ length: WEEK_DAYS }, (_, number) => monday + number);
          return timesOn(days.filter(matches), timesOfDay, positions);
        },
        isRegular: rule.months === null,
      };
    },
    MONTHLY: () => ({
      indexAt: (time) => Math.floor((monthIndex(time) - startMonth) / interval),
      startOf: (index) => monthStart(startMonth + index * interval) * DAY_MS,
      timesOf: (index) =>
        timesOn(daysOfMonth(rule, startMonth + index * interval, true), timesOfDay, positions),
      isRegular: false,
    }),
    YEARLY: () => {
      const yearOf = (index: number): number => start.getUTCFullYear() + index * interval;
      return {
        indexAt: (time) => Math.floor((new Date(time).getUTCFullYear() - start.getUTCFullYear()) / interval),
        startOf: (index) => Date.UTC(yearOf(index), 0, 1),
        timesOf: (index) => timesOn(daysOfYear(rule, yearOf(index)), timesOfDay, positions),
        isRegular: false,
      };
    },
  };
  return periods[rule.frequency]();
}
