import { useMemo } from 'react';
import { useTranslator } from '../../i18n/i18n.tsx';
import type { Interval } from './period.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Durations such as "2 hr 5 min", with the two largest units; a dash if there is none. */
export function useDuration(): (seconds: number | null) => string {
  const { language } = useTranslator();
  return useMemo(() => {
    const formats = new Map(
      UNITS.map(([unit]) => [
        unit,
        new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }),
      ]),
    );
    return (seconds) => {
      if (seconds === null) return '–';
      const whole = Math.round(seconds);
      const first = UNITS.findIndex(([, size]) => whole >= size);
      if (first < 0) return (formats.get('second') as Intl.NumberFormat).format(0);
      let rest = whole;
      return UNITS.slice(first, first + 2)
        .flatMap(([unit, size]) => {
          const count = Math.floor(rest / size);
          rest -= count * size;
          return count === 0 ? [] : (formats.get(unit) as Intl.NumberFormat).format(count);
        })
        .join(' ');
    };
  }, [language]);
}

const STYLES: Readonly<
  Record<Interval, { short: Intl.DateTimeFormatOptions; long: Intl.DateTimeFormatOptions }>
> = {
  hour: {
    short: { hour: 'numeric', minute: '2-digit' },
    long: { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  },
  day: {
    short: { day: 'numeric', month: 'short' },
    long: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  },
  week: {
    short: { day: 'numeric', month: 'short' },
    long: { day: 'numeric', month: 'short', year: 'numeric' },
  },
  month: { short: { month: 'short', year: '2-digit' }, long: { month: 'long', year: 'numeric' } },
};

/** The names of points in time, in the time zone of the tenant. */
export function usePoints(ats: readonly string[], interval: Interval, zone: string) {
  const { language } = useTranslator();
  const key = ats.join();
  return useMemo(() => {
    const { short, long } = STYLES[interval];
    const [below, beside] = [short, long].map(
      (style) => new Intl.DateTimeFormat(language, { ...style, timeZone: zone }),
    ) as [Intl.DateTimeFormat, Intl.DateTimeFormat];
    return (key === '' ? [] : key.split(',')).map((at) => ({
      id: at,
      short: below.format(new Date(at)),
      long: beside.format(new Date(at)),
    }));
  }, [key, interval, zone, language]);
}
