import type { Liquid } from 'liquidjs';

/** In which language and zone dates are written; the options of the engine count for what is left out. */
interface Place {
  locale?: string;
  timezoneOffset?: string;
}

/** The language and zone of the contact of a text. Both were validated when they were stored. */
export function placeOf({ contact }: Readonly<Record<string, unknown>>): Place {
  const { language, timezone } = (contact ?? {}) as { language?: string | null; timezone?: string | null };
  return {
    ...(language ? { locale: language } : {}),
    ...(timezone ? { timezoneOffset: timezone } : {}),
  };
}

const DATE_ALONE = /^\d{4}-\d\d-\d\d$/;

/** A date without a time is the same in every zone: a birthday must not become the day before in America. */
export function keepDates(engine: Liquid): void {
  const write = engine.filters.date as (this: unknown, ...args: unknown[]) => unknown;
  engine.registerFilter('date', function (value, format, zone) {
    const isDateAlone = typeof value === 'string' && DATE_ALONE.test(value);
    return write.call(this, value, format, zone ?? (isDateAlone ? 'UTC' : undefined));
  });
}
