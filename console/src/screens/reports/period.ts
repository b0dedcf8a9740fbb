export const periodNames = ['today', '7', '30', '90', 'own'] as const;
export type PeriodName = (typeof periodNames)[number];
export type Interval = 'hour' | 'day' | 'week' | 'month';

/** What the screen is about: a period, and the one before it. */
export interface Period {
  from: string;
  to: string;
  interval: Interval;
  /** As long as what has passed of the period, so that half a day is not compared with a whole one. */
  before: { from: string; to: string };
}

const DAY_MS = 86_400_000;
/** Figures are counted by the quarter of an hour. */
export const QUARTER_MS = 900_000;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MAX_DAYS = 3_650;

/** By how much the clocks of a time zone are ahead of UTC. */
function offsetAt(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(ms / 1000) * 1000;
}

const utcOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const addDays = (date: string, days: number): string => dateOf(utcOf(date) + days * DAY_MS);

/** The date in a time zone. */
export const dateIn = (zone: string, ms: number): string => dateOf(ms + offsetAt(ms, zone));

/** When a day begins in a time zone. */
function beginOf(date: string, zone: string): number {
  const local = utcOf(date);
  const about = local - offsetAt(local, zone);
  return local - offsetAt(about, zone);
}

const isDate = (text: string): boolean => DATE.test(text) && !Number.isNaN(utcOf(text));

/** The dates of a named period, the last one included. */
export function datesOf(name: PeriodName, own: { from: string; to: string }, zone: string, now: number) {
  const today = dateIn(zone, now);
  if (name !== 'own') return { from: addDays(today, name === 'today' ? 0 : 1 - Number(name)), to: today };
  const [from, to] = [own.from, own.to].map((date) => (isDate(date) ? date : today)) as [string, string];
  const last = to < from ? from : to;
  return { from, to: last > addDays(from, MAX_DAYS) ? addDays(from, MAX_DAYS) : last };
}

const intervalOf = (days: number): Interval =>
  days <= 2 ? 'hour' : days <= 92 ? 'day' : days <= 730 ? 'week' : 'month';

export function periodOf(dates: { from: string; to: string }, zone: string, now: number): Period {
  const days = Math.round((utcOf(dates.to) - utcOf(dates.from)) / DAY_MS) + 1;
  const from = beginOf(dates.from, zone);
  const to = beginOf(addDays(dates.to, 1), zone);
  const before = beginOf(addDays(dates.from, -days), zone);
  const passed = Math.floor((Math.min(now, to) - from) / QUARTER_MS) * QUARTER_MS;
  const end = now >= to ? from : Math.min(from, before + Math.max(passed, QUARTER_MS));
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    from: iso(from),
    to: iso(to),
    interval: intervalOf(days),
    before: { from: iso(before), to: iso(end) },
  };
}
