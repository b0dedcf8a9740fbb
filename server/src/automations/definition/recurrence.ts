import { DateTime } from 'luxon';
import rrule from 'rrule';

/**
 * The recurrence rules that a schedule may have: those of RFC 5545 which the rrule library can follow from one
 * occurrence to the next without looking for ever. Left to itself it takes any text for a number, and a rule that
 * never comes true keeps it searching, day by day, to the year 9999 (15 s measured) or without end.
 */
export const MAX_RULE_CHARACTERS = 500;
const SHORTEST_MINUTES = 15;
const MINUTES_PER_HOUR = 60;

const DAYS = 'MO|TU|WE|TH|FR|SA|SU';
const WEEKDAY = new RegExp(`^(${DAYS})$`);
/** Such as `1MO`, the first Monday, or `-1FR`, the last Friday. */
const NUMBERED_DAY = new RegExp(`^([+-]?[1-5])?(${DAYS})$`);

type Part = { every: (text: string) => boolean; named: string; isList?: true };

const within =
  (least: number, most: number, signed = false) =>
  (text: string): boolean => {
    if (!(signed ? /^[+-]?\d{1,6}$/ : /^\d{1,6}$/).test(text)) return false;
    const value = signed ? Math.abs(Number(text)) : Number(text);
    return value >= least && value <= most;
  };

const PARTS: Record<string, Part> = {
  INTERVAL: { every: within(1, 1000), named: '1 to 1000' },
  COUNT: { every: within(1, 100_000), named: '1 to 100000' },
  UNTIL: { every: isUntil, named: 'a time such as 20271231T235959Z' },
  WKST: { every: (text) => WEEKDAY.test(text), named: 'a day such as MO' },
  BYMONTH: { every: within(1, 12), named: 'months from 1 to 12', isList: true },
  BYMONTHDAY: { every: within(1, 31, true), named: 'days from 1 to 31 or -1 to -31', isList: true },
  BYDAY: { every: (text) => NUMBERED_DAY.test(text), named: 'days such as MO or -1FR', isList: true },
  BYSETPOS: { every: within(1, 31, true), named: 'places from 1 to 31 or -1 to -31', isList: true },
  BYHOUR: { every: within(0, 23), named: 'hours from 0 to 23', isList: true },
  BYMINUTE: { every: within(0, 59), named: 'minutes from 0 to 59', isList: true },
};

const ENDS = ['INTERVAL', 'COUNT', 'UNTIL', 'WKST'];
const TIMES = [...ENDS, 'BYMONTH', 'BYDAY', 'BYHOUR', 'BYMINUTE'];

/** Which parts go with which frequency. `DAILY` with hours and minutes says all that `MINUTELY` with them could. */
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

/** What is wrong with a recurrence rule, or undefined. */
export function validateRule(text: string): string | undefined {
  const parts = new Map<string, string>();
  for (const part of text.replace(/^RRULE:/, '').split(';')) {
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
    if (!values.every(part.every)) return `${name} must be ${part.named}`;
  }
  return validateRhythm(frequency, parts) ?? libraryIssue(text);
}

function validateRhythm(frequency: string, parts: ReadonlyMap<string, string>): string | undefined {
  const numbers = (name: string): number[] | undefined => parts.get(name)?.split(',').map(Number);
  const tooOften = `It may come at most every ${SHORTEST_MINUTES} minutes`;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  if (frequency === 'MINUTELY' && interval < SHORTEST_MINUTES) return tooOften;
  // The hours that follow one another make the last minute of one a neighbour of the first of the next.
  const minutes = [...new Set(numbers('BYMINUTE') ?? [])].sort((a, b) => a - b);
  const next = [...minutes.slice(1), (minutes[0] ?? 0) + MINUTES_PER_HOUR];
  if (minutes.some((minute, index) => Number(next[index]) - minute < SHORTEST_MINUTES)) return tooOften;

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

/** The library that follows the rule has the last word. */
function libraryIssue(text: string): string | undefined {
  try {
    new rrule.RRule(rrule.RRule.parseString(text));
    return undefined;
  } catch (error) {
    return `This is not a recurrence rule: ${(error as Error).message.slice(0, 100)}`;
  }
}
