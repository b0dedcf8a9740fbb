import { DateTime } from 'luxon';
import rrule from 'rrule';

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
/** The length of one interval in local time. Months and years have none, as their length varies. */
const UNIT_MS: Partial<Record<number, number>> = {
  [rrule.RRule.MINUTELY]: 60_000,
  [rrule.RRule.HOURLY]: 3600_000,
  [rrule.RRule.DAILY]: 24 * 3600_000,
  [rrule.RRule.WEEKLY]: 7 * 24 * 3600_000,
};

const LOOK_BACK_MS = [2 * 24 * 3600_000, 400 * 24 * 3600_000, Number.POSITIVE_INFINITY];

/** Returns the local time as if it were UTC: the library does not know time zones. */
function toLocal(moment: Date, zone: string): Date {
  const local = DateTime.fromJSDate(moment, { zone });
  return new Date(Math.floor(local.setZone('utc', { keepLocalTime: true }).toMillis() / 1000) * 1000);
}

/** The reverse of `toLocal`. A time that occurs twice is the first one; a time that is skipped moves later by the skip. */
function toUtc(localTime: Date, zone: string): Date {
  const local = DateTime.fromJSDate(localTime, { zone: 'utc' }).setZone(zone, { keepLocalTime: true });
  const [first = local] = local.getPossibleOffsets();
  return first.toJSDate();
}

type Occurrences = InstanceType<typeof rrule.RRuleSet>;

const shifted = (date: Date, ms: number): Date => new Date(date.getTime() + ms);

const UNTIL = /UNTIL=(\d{8})(T\d{6})?(Z)?/;

/** The UNTIL of a rule in local time. A date without a time includes the whole day. */
function untilOf(line: string, zone: string): Date | undefined {
  const [, day, time, isUtc] = UNTIL.exec(line) ?? [];
  if (day === undefined) return undefined;
  const written = DateTime.fromISO(`${day}${time ?? 'T235959'}`, { zone: 'utc' }).toJSDate();
  return isUtc ? toLocal(written, zone) : written;
}

/**
 * The occurrences in local time after the start, at least from `near` on. The library iterates over all occurrences since
 * the start of its rule (40 µs each). That start is therefore moved by whole intervals.
 */
function localOccurrences({ rules, start, startCounts, zone }: Recurrence, near: Date): Occurrences {
  const line = rules.find((one) => !one.startsWith('EXDATE:')) as string;
  const { count: written, ...options } = rrule.RRule.parseString(line);
  const dtstart = toLocal(start, zone);
  const until = untilOf(line, zone);
  const rule = { ...options, dtstart, count: written ?? null, ...(until ? { until } : {}) };
  const span = (UNIT_MS[options.freq as number] ?? 0) * (options.interval ?? 1);
  // Without BY parts every interval has one occurrence. With them the number of skipped occurrences is unknown.
  const canMove = span > 0 && (rule.count === null || !line.includes(';BY'));
  if (rule.count !== null) {
    const first = new rrule.RRule({ ...rule, count: null }).after(shifted(dtstart, -1), true);
    const isCounted = first?.getTime() === dtstart.getTime();
    rule.count += (isCounted ? 1 : 0) - (startCounts ? 1 : 0);
  }
  if (rule.count !== null && rule.count <= 0) return new rrule.RRuleSet();
  if (canMove) {
    const past = toLocal(near, zone).getTime() - 2 * CLOCK_CHANGE_MS - dtstart.getTime();
    // The last counted occurrence stays, however long ago it was.
    const most = rule.count === null ? Number.POSITIVE_INFINITY : rule.count - 1;
    const intervals = Math.min(most, Math.max(0, Math.floor(past / span) - 1));
    rule.dtstart = shifted(dtstart, intervals * span);
    if (rule.count !== null) rule.count -= intervals;
  }
  const set = new rrule.RRuleSet();
  set.rrule(new rrule.RRule(rule));
  set.exdate(dtstart);
  for (const time of exceptionsOf(rules)) set.exdate(toLocal(time, zone));
  return set;
}

const exceptionsOf = (rules: readonly string[]): Date[] =>
  rules
    .filter((line) => line.startsWith('EXDATE:'))
    .flatMap((line) => line.slice('EXDATE:'.length).split(','))
    .map((text) => DateTime.fromISO(text, { zone: 'utc' }).toJSDate());

const isStartExcluded = ({ rules, start }: Recurrence): boolean =>
  exceptionsOf(rules).some((time) => time.getTime() === start.getTime());

/** The occurrences near a moment in UTC, sorted. */
function nearby(set: Occurrences, moment: Date, zone: string): number[] {
  const local = toLocal(moment, zone);
  return set
    .between(shifted(local, -CLOCK_CHANGE_MS), shifted(local, CLOCK_CHANGE_MS), true)
    .map((one) => toUtc(one, zone).getTime())
    .sort((a, b) => a - b);
}

/** The first occurrence after a moment, or null if there is none. */
export function occurrenceAfter(recurrence: Recurrence, after: Date): Date | null {
  const { start, startCounts, zone } = recurrence;
  if (after < start && startCounts && !isStartExcluded(recurrence)) return start;
  const from = after < start ? start : after;
  const set = localOccurrences(recurrence, from);
  const near = nearby(set, from, zone).find((moment) => moment > from.getTime());
  if (near !== undefined) return new Date(near);
  const local = set.after(shifted(toLocal(from, zone), CLOCK_CHANGE_MS), false);
  return local && toUtc(local, zone);
}

/** The last occurrence up to a moment, or null if there was none. */
export function occurrenceUpTo(recurrence: Recurrence, upTo: Date): Date | null {
  const { start, startCounts, zone } = recurrence;
  const first = startCounts && !isStartExcluded(recurrence) && start <= upTo ? start : null;
  if (upTo <= start) return first;
  const local = toLocal(upTo, zone);
  // Most occurrences are recent, and a short range is fast to search.
  for (const back of LOOK_BACK_MS) {
    const from = shifted(upTo, -Math.min(back, upTo.getTime() - start.getTime()));
    const set = localOccurrences(recurrence, from);
    const near = nearby(set, upTo, zone).findLast(
      (moment) => moment <= upTo.getTime() && moment > start.getTime(),
    );
    if (near !== undefined) return new Date(near);
    const earlier = set.before(shifted(local, -CLOCK_CHANGE_MS), false);
    if (earlier) return toUtc(earlier, zone);
  }
  return first;
}
