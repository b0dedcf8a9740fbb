import { DateTime } from 'luxon';
import rrule from 'rrule';

/** When something happens again and again. */
export interface Recurrence {
  /** Lines of RFC 5545: one `RRULE:` (or the rule alone), and any `EXDATE:` with times in UTC. */
  rules: readonly string[];
  start: Date;
  /** Whether the start itself is the first occurrence; otherwise it is only what the rule is counted from. */
  startCounts: boolean;
  zone: string;
}

/**
 * No clock change is longer. Around one, wall times and moments do not follow each other in the same order, so what is
 * this near is compared moment by moment.
 */
const CLOCK_CHANGE_MS = 3 * 3600_000;
/** What an interval of a frequency is, where all are alike on the wall; months and years are not. */
const UNIT_MS: Partial<Record<number, number>> = {
  [rrule.RRule.MINUTELY]: 60_000,
  [rrule.RRule.HOURLY]: 3600_000,
  [rrule.RRule.DAILY]: 24 * 3600_000,
  [rrule.RRule.WEEKLY]: 7 * 24 * 3600_000,
};

const LOOKS_BACK_MS = [2 * 24 * 3600_000, 400 * 24 * 3600_000, Number.POSITIVE_INFINITY];

/** What a clock on the wall shows, as if the wall were in UTC: the library counts in it and knows of no zones. */
function wallOf(moment: Date, zone: string): Date {
  const local = DateTime.fromJSDate(moment, { zone });
  return new Date(Math.floor(local.setZone('utc', { keepLocalTime: true }).toMillis() / 1000) * 1000);
}

/** The moment at which the wall shows this: of two the first, and where clocks skip it, as much later as they do. */
function momentOf(wall: Date, zone: string): Date {
  const local = DateTime.fromJSDate(wall, { zone: 'utc' }).setZone(zone, { keepLocalTime: true });
  const [first = local] = local.getPossibleOffsets();
  return first.toJSDate();
}

type Occurrences = InstanceType<typeof rrule.RRuleSet>;

const shifted = (date: Date, ms: number): Date => new Date(date.getTime() + ms);

const UNTIL = /UNTIL=(\d{8})(T\d{6})?(Z)?/;

/** A day alone is meant with all its hours. */
function untilOf(line: string, zone: string): Date | undefined {
  const [, day, time, isUtc] = UNTIL.exec(line) ?? [];
  if (day === undefined) return undefined;
  const written = DateTime.fromISO(`${day}${time ?? 'T235959'}`, { zone: 'utc' }).toJSDate();
  return isUtc ? wallOf(written, zone) : written;
}

/**
 * The recurrence on the wall, as the library follows it: everything after the start, from somewhere before `near` on. The
 * library goes through all occurrences since its own start (40 µs each), which is therefore moved, by whole intervals.
 */
function onTheWall({ rules, start, startCounts, zone }: Recurrence, near: Date): Occurrences {
  const line = rules.find((one) => !one.startsWith('EXDATE:')) as string;
  const { count: written, ...options } = rrule.RRule.parseString(line);
  const dtstart = wallOf(start, zone);
  const until = untilOf(line, zone);
  const rule = { ...options, dtstart, count: written ?? null, ...(until ? { until } : {}) };
  const span = (UNIT_MS[options.freq as number] ?? 0) * (options.interval ?? 1);
  // With nothing but a rhythm there is one in every interval; otherwise nobody knows how many were passed over.
  const canMove = span > 0 && (rule.count === null || !line.includes(';BY'));
  if (rule.count !== null) {
    const first = new rrule.RRule({ ...rule, count: null }).after(shifted(dtstart, -1), true);
    const isCounted = first?.getTime() === dtstart.getTime();
    rule.count += (isCounted ? 1 : 0) - (startCounts ? 1 : 0);
  }
  if (rule.count !== null && rule.count <= 0) return new rrule.RRuleSet();
  if (canMove) {
    const past = wallOf(near, zone).getTime() - 2 * CLOCK_CHANGE_MS - dtstart.getTime();
    // The last that is counted stays: it is what there was, however long ago.
    const most = rule.count === null ? Number.POSITIVE_INFINITY : rule.count - 1;
    const intervals = Math.min(most, Math.max(0, Math.floor(past / span) - 1));
    rule.dtstart = shifted(dtstart, intervals * span);
    if (rule.count !== null) rule.count -= intervals;
  }
  const set = new rrule.RRuleSet();
  set.rrule(new rrule.RRule(rule));
  set.exdate(dtstart);
  for (const time of exceptionsOf(rules)) set.exdate(wallOf(time, zone));
  return set;
}

const exceptionsOf = (rules: readonly string[]): Date[] =>
  rules
    .filter((line) => line.startsWith('EXDATE:'))
    .flatMap((line) => line.slice('EXDATE:'.length).split(','))
    .map((text) => DateTime.fromISO(text, { zone: 'utc' }).toJSDate());

const isLeftOut = ({ rules, start }: Recurrence): boolean =>
  exceptionsOf(rules).some((time) => time.getTime() === start.getTime());

/** Moments of wall times near to a moment, in their order. */
function nearby(set: Occurrences, moment: Date, zone: string): number[] {
  const wall = wallOf(moment, zone);
  return set
    .between(shifted(wall, -CLOCK_CHANGE_MS), shifted(wall, CLOCK_CHANGE_MS), true)
    .map((one) => momentOf(one, zone).getTime())
    .sort((a, b) => a - b);
}

/** The first occurrence after a moment, or null when there is none any more. */
export function occurrenceAfter(recurrence: Recurrence, after: Date): Date | null {
  const { start, startCounts, zone } = recurrence;
  if (after < start && startCounts && !isLeftOut(recurrence)) return start;
  const from = after < start ? start : after;
  const set = onTheWall(recurrence, from);
  const near = nearby(set, from, zone).find((moment) => moment > from.getTime());
  if (near !== undefined) return new Date(near);
  const wall = set.after(shifted(wallOf(from, zone), CLOCK_CHANGE_MS), false);
  return wall && momentOf(wall, zone);
}

/** The last occurrence up to a moment, or null when there was none yet. */
export function occurrenceUpTo(recurrence: Recurrence, upTo: Date): Date | null {
  const { start, startCounts, zone } = recurrence;
  const first = startCounts && !isLeftOut(recurrence) && start <= upTo ? start : null;
  if (upTo <= start) return first;
  const wall = wallOf(upTo, zone);
  // Most are not far back, and looking there is cheap.
  for (const back of LOOKS_BACK_MS) {
    const from = shifted(upTo, -Math.min(back, upTo.getTime() - start.getTime()));
    const set = onTheWall(recurrence, from);
    const near = nearby(set, upTo, zone).findLast(
      (moment) => moment <= upTo.getTime() && moment > start.getTime(),
    );
    if (near !== undefined) return new Date(near);
    const earlier = set.before(shifted(wall, -CLOCK_CHANGE_MS), false);
    if (earlier) return momentOf(earlier, zone);
  }
  return first;
}
