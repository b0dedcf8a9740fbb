import { DateTime } from 'luxon';
import { timezoneOf } from '../../base/time-zones.ts';
import { isException, parseRule, partsOf } from './recurrence-rule.ts';
import { occurrencesOf, type RuleOccurrences } from './recurrence-search.ts';

/** A recurrence rule with its start and time zone. */
export interface Recurrence {
  /** Lines of RFC 5545: one `RRULE:` (or the rule alone), and any `EXDATE:` with times in UTC. */
  rules: readonly string[];
  start: Date;
  /** Whether the start itself is an occurrence. In any case the rule counts from it. */
  startCounts: boolean;
  zone: string;
}

/**
 * Longer than any clock change. Around a clock change, local times and UTC times can have a different order, so that
 * occurrences within this distance are compared in UTC.
 */
const CLOCK_CHANGE_MS = 3 * 3600_000;

/** Returns the local time, in whole seconds, as if it were UTC. */
function toLocal(moment: Date, zone: string): number {
  const seconds = (ms: number): number => Math.floor(ms / 1000) * 1000;
  // Most exceptions are in UTC, and there may be hundreds.
  if (zone === 'utc') return seconds(moment.getTime());
  const local = DateTime.fromJSDate(moment, { zone: timezoneOf(zone) });
  return seconds(local.setZone('utc', { keepLocalTime: true }).toMillis());
}

/** The reverse of `toLocal`. A time that occurs twice is the first one; a time that is skipped moves later by the skip. */
function toUtc(localTime: number, zone: string): Date {
  const local = DateTime.fromMillis(localTime, { zone: 'utc' }).setZone(timezoneOf(zone), {
    keepLocalTime: true,
  });
  const [first = local] = local.getPossibleOffsets();
  return first.toJSDate();
}

const UNTIL = /^(\d{8})(T\d{6})?(Z)?$/;

/** The UNTIL of a rule in local time. A date without a time includes the whole day. */
function untilOf(line: string, zone: string): number {
  const [, day, time, isUtc] = UNTIL.exec(partsOf(line).get('UNTIL') ?? '') ?? [];
  if (day === undefined) return Number.POSITIVE_INFINITY;
  const written = DateTime.fromISO(`${day}${time ?? 'T235959'}`, { zone: 'utc' }).toJSDate();
  return isUtc ? toLocal(written, zone) : written.getTime();
}

/** The occurrences in local time after the start. */
function localOccurrences({ rules, start, startCounts, zone }: Recurrence): RuleOccurrences {
  const line = rules.find((one) => !isException(one)) as string;
  const rule = parseRule(line);
  const count = rule.count === null ? null : rule.count - (startCounts ? 1 : 0);
  return occurrencesOf(rule, toLocal(start, zone), {
    until: untilOf(line, zone),
    count,
    excluded: new Set(exceptionsOf(rules).map((time) => toLocal(time, zone))),
  });
}

const EXCEPTION = /^(....)(..)(..)T(..)(..)(..)Z$/;

const exceptionsOf = (rules: readonly string[]): Date[] =>
  rules
    .filter(isException)
    .flatMap((line) => line.slice('EXDATE:'.length).toUpperCase().split(','))
    .map((text) => new Date(text.replace(EXCEPTION, '$1-$2-$3T$4:$5:$6Z')));

const isStartExcluded = ({ rules, start }: Recurrence): boolean =>
  exceptionsOf(rules).some((time) => time.getTime() === start.getTime());

/** The occurrences near a moment in UTC, sorted. */
function nearby(occurrences: RuleOccurrences, moment: Date, zone: string): number[] {
  const local = toLocal(moment, zone);
  return occurrences
    .between(local - CLOCK_CHANGE_MS, local + CLOCK_CHANGE_MS)
    .map((one) => toUtc(one, zone).getTime())
    .sort((a, b) => a - b);
}

/** The first occurrence after a moment, or null if there is none within ten years. */
export function occurrenceAfter(recurrence: Recurrence, after: Date): Date | null {
  const { start, startCounts, zone } = recurrence;
  if (after < start && startCounts && !isStartExcluded(recurrence)) return start;
  const from = after < start ? start : after;
  const occurrences = localOccurrences(recurrence);
  const near = nearby(occurrences, from, zone).find((moment) => moment > from.getTime());
  if (near !== undefined) return new Date(near);
  const local = occurrences.after(toLocal(from, zone) + CLOCK_CHANGE_MS);
  return local === null ? null : toUtc(local, zone);
}

/** The last occurrence up to a moment, or null if there was none. */
export function occurrenceUpTo(recurrence: Recurrence, upTo: Date): Date | null {
  const { start, startCounts, zone } = recurrence;
  const first = startCounts && !isStartExcluded(recurrence) && start <= upTo ? start : null;
  if (upTo <= start) return first;
  const occurrences = localOccurrences(recurrence);
  const near = nearby(occurrences, upTo, zone).findLast(
    (moment) => moment <= upTo.getTime() && moment > start.getTime(),
  );
  if (near !== undefined) return new Date(near);
  const earlier = occurrences.before(toLocal(upTo, zone) - CLOCK_CHANGE_MS);
  return earlier === null ? first : toUtc(earlier, zone);
}
