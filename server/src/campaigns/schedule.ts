import { validateRule } from '../automations/definition/recurrence.ts';
import type { InvalidParams } from '../base/errors.ts';

const LONGEST_AHEAD_YEARS = 10;
const EXCEPTION = /^\d{8}T\d{6}Z$/;

interface Times {
  isScheduled?: boolean;
  scheduledAt?: string;
  isReoccurring?: boolean;
  recurrenceRules?: readonly string[];
}

/** What is wrong with when a campaign is to run. A time alone schedules it, and rules alone repeat it. */
export function validateTimes(
  { isScheduled, scheduledAt, isReoccurring, recurrenceRules }: Times,
  now: Date,
): InvalidParams {
  return {
    ...validateStart(isScheduled, scheduledAt, now),
    ...validateRules(isReoccurring, recurrenceRules),
  };
}

function validateStart(
  isScheduled: boolean | undefined,
  scheduledAt: string | undefined,
  now: Date,
): InvalidParams {
  if (scheduledAt === undefined)
    return isScheduled ? { scheduledAt: { key: 'invalid_type', message: 'Required' } } : {};
  const time = new Date(scheduledAt);
  const furthest = new Date(now);
  furthest.setUTCFullYear(now.getUTCFullYear() + LONGEST_AHEAD_YEARS);
  const message =
    isScheduled === false
      ? 'Must be left out where isScheduled is false'
      : time <= now
        ? `Must be in the future, received ${scheduledAt}`
        : time > furthest
          ? `Must not be more than ${LONGEST_AHEAD_YEARS} years ahead`
          : undefined;
  return message === undefined ? {} : { scheduledAt: { key: 'custom', message } };
}

function validateRules(
  isReoccurring: boolean | undefined,
  rules: readonly string[] | undefined,
): InvalidParams {
  if (rules === undefined)
    return isReoccurring ? { recurrenceRules: { key: 'invalid_type', message: 'Required' } } : {};
  if (rules.length === 0)
    return isReoccurring
      ? { recurrenceRules: { key: 'too_small', message: 'Must contain at least 1 item(s), received 0' } }
      : {};
  if (isReoccurring === false)
    return {
      recurrenceRules: { key: 'custom', message: 'Must be left out, or empty, where isReoccurring is false' },
    };
  const issues: InvalidParams = {};
  let repeats = false;
  for (const [index, line] of rules.entries()) {
    const isRule = /^RRULE:/.test(line);
    // Two rules could come within minutes of each other, each of them seldom enough.
    const message = isRule && repeats ? 'There may be one RRULE' : validateLine(line);
    if (message !== undefined)
      issues[`recurrenceRules.${index}`] = { key: isRule && repeats ? 'custom' : 'invalid_string', message };
    repeats ||= isRule;
  }
  if (!repeats && Object.keys(issues).length === 0)
    issues.recurrenceRules = { key: 'custom', message: 'One of the lines must be an RRULE' };
  return issues;
}

function validateLine(line: string): string | undefined {
  if (/^RRULE:/.test(line)) return validateRule(line);
  if (/^EXDATE:/.test(line)) {
    const isTime = (text: string): boolean => EXCEPTION.test(text) && isRealTime(text);
    return line.slice('EXDATE:'.length).split(',').every(isTime)
      ? undefined
      : 'EXDATE must be times in UTC such as 20261224T090000Z, separated by commas';
  }
  return 'Must begin with RRULE: or EXDATE:';
}

/** `20260230T000000Z` has the form of a time and is none. */
function isRealTime(text: string): boolean {
  const iso = text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
  const time = Date.parse(iso);
  return !Number.isNaN(time) && new Date(time).toISOString() === iso;
}
