import { DateTime } from 'luxon';
import { collectIssues } from '../base/issues.ts';
import { timezoneOf } from '../base/time-zones.ts';
import { validateTimezone } from '../contacts/validate-contact.ts';
import { QUARTER_MS } from './marks.ts';
import type { IntervalName, ReportBody } from './schema.ts';

const MAX_DAYS = 3_660;
const MAX_INTERVALS = 1_000;

/** A period and the begins of its intervals. The first and the last may be cut by it. */
export interface Periods {
  from: Date;
  to: Date;
  starts: Date[];
}

/** The begins of hours, days, weeks or months from a time on, by the calendar of a time zone: a day may have 23 or 25 hours. */
function startsOf(from: Date, to: Date, interval: IntervalName, zone: string): Date[] {
  const starts = [from];
  const first = DateTime.fromJSDate(from, { zone: timezoneOf(zone) }).startOf(interval);
  for (let count = 1; starts.length <= MAX_INTERVALS; count += 1) {
    // Again the begin: midnight may not exist on the first day, and exist on the others.
    const next = first
      .plus({ [interval]: count })
      .startOf(interval)
      .toJSDate();
    if (next >= to) break;
    // A change of the clocks can repeat a part of an hour.
    if (next > (starts.at(-1) as Date)) starts.push(next);
  }
  return starts;
}

/** Divides a period, and refuses one that cannot be counted or has too many intervals. */
export function dividePeriod(
  { from: given, to: end, interval, timezone }: Pick<ReportBody, 'from' | 'to' | 'interval' | 'timezone'>,
  tenantZone: string,
): Periods {
  const issues = collectIssues();
  // Figures are counted by the quarter of an hour.
  const from = new Date(Math.floor(Date.parse(given) / QUARTER_MS) * QUARTER_MS);
  const to = new Date(Math.ceil(Date.parse(end) / QUARTER_MS) * QUARTER_MS);
  for (const [name, time] of [
    ['from', from],
    ['to', to],
  ] as const) {
    const year = time.getUTCFullYear();
    if (year < 1970 || year > 9999) issues.add(name, 'custom', 'Must be between the years 1970 and 9999');
  }
  validateTimezone(timezone, issues);
  issues.throwIfAny();
  if (Date.parse(end) <= Date.parse(given)) issues.add('to', 'custom', 'Must be after from');
  else if (to.getTime() - from.getTime() > MAX_DAYS * 24 * 3600_000)
    issues.add('to', 'custom', 'Must be at most ten years after from; ask for a shorter period');
  issues.throwIfAny();
  const starts = interval ? startsOf(from, to, interval, timezone ?? tenantZone) : [from];
  if (starts.length > MAX_INTERVALS)
    issues.add(
      'interval',
      'custom',
      `The period has more than ${MAX_INTERVALS} of them; choose a longer interval or a shorter period`,
    );
  issues.throwIfAny();
  return { from, to, starts };
}
