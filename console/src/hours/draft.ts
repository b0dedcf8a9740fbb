import type { TenantSettings } from '@parley/sdk';

type BusinessHours = NonNullable<TenantSettings['businessHours']>;
type QuietHours = NonNullable<TenantSettings['quietHours']>;
export interface Hours {
  businessHours: BusinessHours | null;
  quietHours: QuietHours | null;
}

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** From when until when, as two fields show it: the end of a day is 00:00 there. */
export interface SpanDraft {
  id: number;
  from: string;
  to: string;
}
export interface DateDraft {
  id: number;
  date: string;
  /** None: closed all day. */
  spans: readonly SpanDraft[];
}

export type BusinessMode = 'inherited' | 'always' | 'week';
export type QuietMode = 'inherited' | 'none' | 'daily';

/** What a person is editing. */
export interface HoursDraft {
  mode: BusinessMode;
  timezone: string;
  week: Readonly<Record<Weekday, readonly SpanDraft[]>>;
  dates: readonly DateDraft[];
  quietMode: QuietMode;
  quietFrom: string;
  quietTo: string;
  quietTimezone: string;
}

const END = '24:00';
const MIDNIGHT = '00:00';
const OFFICE = { from: '09:00', to: '17:00' };

let lastId = 0;
/** Fields keep their place on the page while others are removed. */
const nextId = (): number => {
  lastId += 1;
  return lastId;
};

type Span = readonly string[];
const draftOf = ([from = '', to = '']: Span): SpanDraft => ({
  id: nextId(),
  from,
  to: to === END ? MIDNIGHT : to,
});
const spanOf = ({ from, to }: SpanDraft): string[] => [from, to === MIDNIGHT ? END : to];
const spansOf = (spans: readonly SpanDraft[]): string[][] => spans.map(spanOf);

/** The next hours of a day: after the last ones, or those of an office. */
export function newSpan(spans: readonly SpanDraft[]): SpanDraft {
  const last = spans.at(-1);
  if (!last || last.to === MIDNIGHT) return { id: nextId(), ...OFFICE };
  const hour = Math.min(Number(last.to.slice(0, 2)) + 1, 22);
  const two = (value: number): string => String(value).padStart(2, '0');
  return { id: nextId(), from: `${two(hour)}:00`, to: `${two(Math.min(hour + 4, 23))}:00` };
}
export const newDate = (date: string): DateDraft => ({ id: nextId(), date, spans: [] });
export const copySpans = (spans: readonly SpanDraft[]): SpanDraft[] =>
  spans.map((span) => ({ ...span, id: nextId() }));

const isWholeDay = (spans: readonly Span[] | undefined): boolean =>
  spans?.length === 1 && spans[0]?.[0] === MIDNIGHT && spans[0]?.[1] === END;
const isAlways = (hours: BusinessHours): boolean =>
  WEEKDAYS.every((day) => isWholeDay(hours[day])) && !hours.closedOn?.length && !hours.exceptions?.length;

/** What of hours the fields show. Those of an office are proposed where there are none. */
export function readHours({ businessHours, quietHours }: Hours, isChannel: boolean): HoursDraft {
  const shown = businessHours && !isAlways(businessHours) ? businessHours : null;
  const none = isChannel ? 'inherited' : 'always';
  const office = (day: Weekday): Span[] => (day === 'sat' || day === 'sun' ? [] : [[OFFICE.from, OFFICE.to]]);
  const week = WEEKDAYS.map((day) => [day, ((shown ? shown[day] : office(day)) ?? []).map(draftOf)] as const);
  const dates = [
    ...(shown?.closedOn ?? []).map(newDate),
    ...(shown?.exceptions ?? []).map(({ date, hours }) => ({ ...newDate(date), spans: hours.map(draftOf) })),
  ].sort((a, b) => (a.date < b.date ? -1 : 1));
  return {
    mode: shown ? 'week' : businessHours ? 'always' : none,
    timezone: shown?.timezone ?? '',
    week: Object.fromEntries(week) as unknown as HoursDraft['week'],
    dates,
    quietMode: quietHours ? (quietHours.isOff ? 'none' : 'daily') : isChannel ? 'inherited' : 'none',
    quietFrom: quietHours?.from ?? '21:00',
    quietTo: quietHours?.to ?? '08:00',
    quietTimezone: quietHours?.timezone ?? '',
  };
}

const zone = (timezone: string) => (timezone.trim() === '' ? {} : { timezone: timezone.trim() });

function businessHoursOf({ mode, timezone, week, dates }: HoursDraft, isChannel: boolean) {
  if (mode === 'inherited' || (mode === 'always' && !isChannel)) return null;
  if (mode === 'always') return Object.fromEntries(WEEKDAYS.map((day) => [day, [[MIDNIGHT, END]]]));
  const days = WEEKDAYS.filter((day) => week[day].length > 0).map(
    (day) => [day, spansOf(week[day])] as const,
  );
  return {
    ...zone(timezone),
    ...Object.fromEntries(days),
    closedOn: dates.filter(({ spans }) => spans.length === 0).map(({ date }) => date),
    exceptions: dates
      .filter(({ spans }) => spans.length > 0)
      .map(({ date, spans }) => ({ date, hours: spansOf(spans) })),
  };
}

function quietHoursOf({ quietMode, quietFrom, quietTo, quietTimezone }: HoursDraft, isChannel: boolean) {
  if (quietMode === 'daily') return { from: quietFrom, to: quietTo, ...zone(quietTimezone) };
  return quietMode === 'none' && isChannel ? { isOff: true } : null;
}

/** The hours as the API takes them. */
export const writeHours = (draft: HoursDraft, isChannel: boolean): Hours => ({
  businessHours: businessHoursOf(draft, isChannel),
  quietHours: quietHoursOf(draft, isChannel),
});

/** Whether every field has a value, so that the server can say something about it. */
export function isComplete({ mode, week, dates, quietMode, quietFrom, quietTo }: HoursDraft): boolean {
  const isSpan = ({ from, to }: SpanDraft): boolean => from !== '' && to !== '';
  const isWeek = WEEKDAYS.every((day) => week[day].every(isSpan));
  const areDates = dates.every(({ date, spans }) => date !== '' && spans.every(isSpan));
  return (
    (mode !== 'week' || (isWeek && areDates)) &&
    (quietMode !== 'daily' || (quietFrom !== '' && quietTo !== ''))
  );
}

/** Where the API reports an issue of a date: closed ones and those with other hours are two lists. */
export function pathOfDate(dates: readonly DateDraft[], index: number): string {
  const isClosed = (date: DateDraft | undefined): boolean => date?.spans.length === 0;
  const kind = isClosed(dates[index]);
  const position = dates.slice(0, index).filter((date) => isClosed(date) === kind).length;
  return kind ? `businessHours.closedOn.${position}` : `businessHours.exceptions.${position}`;
}
