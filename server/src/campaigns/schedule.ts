import { validateRule } from '../automations/definition/recurrence.ts';
import { isException } from '../automations/definition/recurrence-rule.ts';
import type { Issues } from '../base/issues.ts';
import { isTimezone } from '../base/time-zones.ts';

const MAX_YEARS_AHEAD = 10;
/** More than a day of every week for nine years. Each is compared whenever an occurrence is searched. */
const MAX_EXCEPTIONS = 500;
/** A rule, with or without its prefix. */
const RULE = /^(RRULE:|[A-Z]+=)/i;
const EXCEPTION = /^\d{8}T\d{6}Z$/;

interface Times {
  isScheduled?: boolean;
  scheduledAt?: string;
  isReoccurring?: boolean;
  recurrenceRules?: readonly string[];
  timezone?: string;
}

/** Validates when a campaign runs. `isScheduled` and `isReoccurring` can be left out. A time that the campaign already has may be past. */
export function validateTimes(times: Times, now: Date, issues: Issues, storedAt: Date | null = null): void {
  validateStart(times, now, issues, storedAt);
  validateRules(times, issues);
  if (times.timezone !== undefined && !isTimezone(times.timezone))
    issues.add('timezone', 'invalid_string', 'Must be the name of a time zone, such as Europe/Berlin');
}

function validateStart(
  { isScheduled, scheduledAt }: Times,
  now: Date,
  issues: Issues,
  storedAt: Date | null,
): void {
  if (scheduledAt === undefined) {
    if (isScheduled) issues.add('scheduledAt', 'invalid_type', 'Required');
    return;
  }
  const time = new Date(scheduledAt);
  const furthest = new Date(now);
  furthest.setUTCFullYear(now.getUTCFullYear() + MAX_YEARS_AHEAD);
  if (isScheduled === false)
    issues.add('scheduledAt', 'custom', 'Must be left out where isScheduled is false');
  else if (time <= now && time.getTime() !== storedAt?.getTime())
    issues.add('scheduledAt', 'custom', `Must be in the future, received ${scheduledAt}`);
  else if (time > furthest)
    issues.add('scheduledAt', 'custom', `Must not be more than ${MAX_YEARS_AHEAD} years ahead`);
}

function validateRules({ isReoccurring, recurrenceRules: rules }: Times, issues: Issues): void {
  if (rules === undefined) {
    if (isReoccurring) issues.add('recurrenceRules', 'invalid_type', 'Required');
    return;
  }
  if (rules.length === 0) {
    if (isReoccurring)
      issues.add('recurrenceRules', 'too_small', 'Must contain at least 1 item(s), received 0');
    return;
  }
  if (isReoccurring === false) {
    issues.add('recurrenceRules', 'custom', 'Must be left out, or empty, where isReoccurring is false');
    return;
  }
  let repeats = false;
  let isInvalid = false;
  for (const [index, line] of rules.entries()) {
    const isRule = RULE.test(line);
    // Occurrences of two rules could be closer together than a single rule allows.
    const isSecondRule = isRule && repeats;
    const message = isSecondRule ? 'Only one RRULE is allowed' : validateLine(line);
    if (message !== undefined) {
      issues.add(`recurrenceRules.${index}`, isSecondRule ? 'custom' : 'invalid_string', message);
      isInvalid = true;
    }
    repeats ||= isRule;
  }
  const exceptions = rules.reduce((sum, line) => sum + countExceptions(line), 0);
  if (exceptions > MAX_EXCEPTIONS)
    issues.add(
      'recurrenceRules',
      'too_big',
      `May have at most ${MAX_EXCEPTIONS} EXDATE times, received ${exceptions}; use UNTIL or another rule`,
    );
  if (!repeats && !isInvalid) issues.add('recurrenceRules', 'custom', 'One of the lines must be an RRULE');
}

const countExceptions = (line: string): number => (isException(line) ? line.split(',').length : 0);

function validateLine(line: string): string | undefined {
  if (RULE.test(line)) return validateRule(line);
  if (!isException(line)) return 'Must begin with RRULE: or EXDATE:';
  const isTime = (text: string): boolean => EXCEPTION.test(text) && isRealTime(text);
  return line.slice('EXDATE:'.length).toUpperCase().split(',').every(isTime)
    ? undefined
    : 'EXDATE must be times in UTC such as 20261224T090000Z, separated by commas';
}

/** Excludes times such as `20260230T000000Z`, which do not exist. */
function isRealTime(text: string): boolean {
  const iso = text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
  const time = Date.parse(iso);
  return !Number.isNaN(time) && new Date(time).toISOString() === iso;
}
