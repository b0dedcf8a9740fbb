import { DAY_MS, type LocalTime, localTime } from './local-time.ts';
import type { BusinessHours, QuietHours, Span } from './schema.ts';
import { weekdays } from './schema.ts';

const MINUTE_MS = 60_000;
/** Hours that do not open for so long never do. Days without hours cost a look-up. */
const MAX_DAYS_CLOSED = 3_660;
const MAX_DAYS_OPEN = 31;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = weekdays.indexOf('thu');

/** `17:30` in milliseconds since midnight. */
const timeOfDay = (text: string): number =>
  (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * MINUTE_MS;
const spansOf = (spans: readonly Span[] = []): [number, number][] =>
  spans.map(([from, to]) => [timeOfDay(from), timeOfDay(to)]);
const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/** Hours that repeat every week, with exceptions. */
export interface Opening {
  readonly timezone: string;
  isOpenAt(moment: Date): boolean;
  /** The first moment from this one on at which it is open; null if there is none. */
  nextOpening(moment: Date): Date | null;
  /** The first moment from this one on at which it is closed; null if there is none within a month. */
  nextClosing(moment: Date): Date | null;
}

interface Days {
  zone: LocalTime;
  /** The hours of a day, which is a number of days since 1970. */
  hoursOf(day: number): readonly (readonly [number, number])[];
}

function openingOf({ zone, hoursOf }: Days): Opening {
  const isOpen = (moment: number): boolean => {
    const shown = zone.shownAt(moment);
    const day = Math.floor(shown / DAY_MS);
    const time = shown - day * DAY_MS;
    return hoursOf(day).some(([from, to]) => from <= time && time < to);
  };

  /**
   * It opens and closes only where its hours begin or end, and where clocks are set. So the first such moment at which it is as
   * wanted is the answer.
   */
  const findFirst = (start: Date, wantsOpen: boolean, maxDays: number): Date | null => {
    const from = start.getTime();
    if (isOpen(from) === wantsOpen) return start;
    const first = Math.floor(zone.shownAt(from) / DAY_MS);
    // Clocks that are set back at midnight show the end of the day before again.
    for (let day = first - 1; day <= first + maxDays; day += 1) {
      const moments = hoursOf(day)
        .flat()
        .flatMap((time) => zone.momentsOf(day * DAY_MS + time))
        .sort((a, b) => a - b);
      const found = moments.find((moment) => moment >= from && isOpen(moment) === wantsOpen);
      if (found !== undefined) return new Date(found);
    }
    return null;
  };

  return {
    timezone: zone.name,
    isOpenAt: (moment) => isOpen(moment.getTime()),
    nextOpening: (moment) => findFirst(moment, true, MAX_DAYS_CLOSED),
    nextClosing: (moment) => findFirst(moment, false, MAX_DAYS_OPEN),
  };
}

const alwaysOpen = (timezone: string): Opening => ({
  timezone,
  isOpenAt: () => true,
  nextOpening: (moment) => moment,
  nextClosing: () => null,
});

/** The business hours in their zone, or that of the tenant. */
export function businessOpening(hours: BusinessHours | null, tenantTimezone: string): Opening {
  const zone = localTime(hours?.timezone, tenantTimezone);
  if (!hours) return alwaysOpen(zone.name);
  const week = weekdays.map((name) => spansOf(hours[name]));
  const dates = new Map<number, [number, number][]>([
    ...(hours.exceptions ?? []).map(({ date, hours: spans }) => [dayOf(date), spansOf(spans)] as const),
    ...(hours.closedOn ?? []).map((date) => [dayOf(date), spansOf()] as const),
  ]);
  const weekdayOf = (day: number): number => (((day + FIRST_WEEKDAY) % 7) + 7) % 7;
  return openingOf({
    zone,
    hoursOf: (day) => dates.get(day) ?? (week[weekdayOf(day)] as [number, number][]),
  });
}

/** When the quiet hours that a contact is in end; null outside of them. */
export function findQuietEnd(
  hours: QuietHours | null,
  zones: { contact: string | null; tenant: string },
  moment: Date,
): Date | null {
  const { from, to, isOff, timezone } = hours ?? {};
  if (isOff || from === undefined || to === undefined) return null;
  const [begin, end] = [timeOfDay(from), timeOfDay(to)];
  const quiet: [number, number][] =
    begin < end
      ? [[begin, end]]
      : [
          [0, end],
          [begin, DAY_MS],
        ];
  const zone = localTime(zones.contact, timezone, zones.tenant);
  const quietness = openingOf({ zone, hoursOf: () => quiet });
  return quietness.isOpenAt(moment) ? quietness.nextClosing(moment) : null;
}
