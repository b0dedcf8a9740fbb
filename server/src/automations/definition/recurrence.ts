import { DateTime } from 'luxon';
import { normalizeRule, parseRule } from './recurrence-rule.ts';
import { occurrencesOf } from './recurrence-search.ts';

/** Only those rules of RFC 5545 are allowed that recurrence-search.ts understands. */
export const MAX_RULE_CHARACTERS = 500;
const MIN_INTERVAL_MINUTES = 15;
const MINUTES_PER_HOUR = 60;

const DAYS = 'MO|TU|WE|TH|FR|SA|SU';
const WEEKDAY = new RegExp(`^(${DAYS})$`);
/** Such as `1MO`, the first Monday, or `-1FR`, the last Friday. */
const NUMBERED_DAY = new RegExp(`^([+-]?[1-5])?(${DAYS})$`);

type Part = { isValid: (text: string) => boolean; expected: string; isList?: true };

const isBetween =
  (min: number, max: number, signed = false) =>
  (text: string): boolean => {
    if (!(signed ? /^[+-]?\d{1,6}$/ : /^\d{1,6}$/).test(text)) return false;
    const value = signed ? Math.abs(Number(text)) : Number(text);
    return value >= min && value <= max;
  };

const PARTS: Record<string, Part> = {
  INTERVAL: { isValid: isBetween(1, 1000), expected: '1 to 1000' },
  COUNT: { isValid: isBetween(1, 100_000), expected: '1 to 100000' },
  UNTIL: { isValid: isUntil, expected: 'a time such as 20271231T235959Z' },
  WKST: { isValid: (text) => WEEKDAY.test(text), expected: 'a day such as MO' },
  BYMONTH: { isValid: isBetween(1, 12), expected: 'months from 1 to 12', isList: true },
  BYMONTHDAY: { isValid: isBetween(1, 31, true), expected: 'days from 1 to 31 or -1 to -31', isList: true },
  BYDAY: { isValid: (text) => NUMBERED_DAY.test(text), expected: 'days such as MO or -1FR', isList: true },
  BYSETPOS: { isValid: isBetween(1, 31, true), expected: 'places from 1 to 31 or -1 to -31', isList: true },
  BYHOUR: { isValid: isBetween(0, 23), expected: 'hours from 0 to 23', isList: true },
  BYMINUTE: { isValid: isBetween(0, 59), expected: 'minutes from 0 to 59', isList: true },
};

const ENDS = ['INTERVAL', 'COUNT', 'UNTIL', 'WKST'];
const TIMES = [...ENDS, 'BYMONTH', 'BYDAY', 'BYHOUR', 'BYMINUTE'];

/** The parts that each frequency allows. `MINUTELY` needs no hours and minutes, as `DAILY` can have them. */
const FREQUENCIES: Record<string, readonly string[]> = {
  MINUTELY: ENDS,
  HOURLY: [...ENDS, 'BYMINUTE'],
  DAILY: TIMES,
  WEEKLY: TIMES,
  MONTHLY: [...TIMES, 'BYMONTHDAY', 'BYSETPOS'],
  YEARLY: [...TIMES, 'BYMONTHDAY', 'BYSETPOS'],
};
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isUntil(text: string): boolean {
  return /^\d{8}(T\d{6}Z?)?$/.test(text) && DateTime.fromISO(text, { zone: 'utc' }).isValid;
}

/** Returns what is wrong with a recurrence rule, or undefined if it is valid. */
export function validateRule(text: string): string | undefined {
  const parts = new Map<string, string>();
  for (const part of normalizeRule(text).split(';')) {
    const at = part.indexOf('=');
    const name = at < 0 ? part : part.slice(0, at);
    if (at < 0 || parts.has(name)) return `Expected NAME=VALUE, each name once, at "${part.slice(0, 40)}"`;
    parts.set(name, part.slice(at + 1));
  }
  const frequency = parts.get('FREQ') ?? '';
  if (!Object.hasOwn(FREQUENCIES, frequency))
    return `FREQ must be one of ${Object.keys(FREQUENCIES).join(', ')}`;
  parts.delete('FREQ');
  for (const [name, value] of parts) {
    const part = (FREQUENCIES[frequency] as readonly string[]).includes(name) ? PARTS[name] : undefined;
    if (part === undefined) return `FREQ=${frequency} cannot have "${name.slice(0, 40)}"`;
    const values = part.isList ? value.split(',') : [value];
    if (!values.every(part.isValid)) return `${name} must be ${part.expected}`;
  }
  return validateFrequency(frequency, parts) ?? validateOccurrences(text);
}

function validateFrequency(frequency: string, parts: ReadonlyMap<string, string>): string | undefined {
  const numbers = (name: string): number[] | undefined => parts.get(name)?.split(',').map(Number);
  const tooOften = `It may occur at most every ${MIN_INTERVAL_MINUTES} minutes`;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  if (frequency === 'MINUTELY' && interval < MIN_INTERVAL_MINUTES) return tooOften;
  // The last minute of an hour is compared with the first minute of the next hour.
  const minutes = [...new Set(numbers('BYMINUTE') ?? [])].sort((a, b) => a - b);
  const next = [...minutes.slice(1), (minutes[0] ?? 0) + MINUTES_PER_HOUR];
  if (minutes.some((minute, index) => Number(next[index]) - minute < MIN_INTERVAL_MINUTES)) return tooOften;

  const days = parts.get('BYDAY')?.split(',') ?? [];
  const isNumbered = frequency === 'MONTHLY' || frequency === 'YEARLY';
  if (!isNumbered && !days.every((day) => WEEKDAY.test(day)))
    return `FREQ=${frequency} cannot have numbered days such as 1MO`;
  if (frequency === 'DAILY' && interval > 1 && days.length > 0)
    return 'FREQ=DAILY with an INTERVAL cannot have BYDAY; use FREQ=WEEKLY';
  const lengths = (numbers('BYMONTH') ?? [1]).map((month) => DAYS_OF_MONTH[month - 1] as number);
  const monthDays = numbers('BYMONTHDAY');
  if (monthDays && Math.min(...monthDays.map(Math.abs)) > Math.max(...lengths))
    return 'There is no such day in any of these months';
  return undefined;
}

/** A rule with an interval may meet its days from some starts only, so that it is tried from all months of four years. */
const FIRST_YEAR = 2024;

/** Returns why a rule has no occurrence, or so few that the next one would never be seen; undefined if it has. */
function validateOccurrences(text: string): string | undefined {
  const rule = parseRule(text);
  const months = rule.interval === 1 ? 1 : 48;
  const starts = Array.from({ length: months }, (_, month) => Date.UTC(FIRST_YEAR, month, 1));
  const limits = { until: Number.POSITIVE_INFINITY, count: null, excluded: new Set<number>() };
  const isMet = starts.some((start) => occurrencesOf(rule, start, limits).after(start) !== null);
  return isMet
    ? undefined
    : 'It has no occurrence within ten years; check that its days exist, and its INTERVAL';
}
