/** A recurrence rule of RFC 5545. The text was validated by `validateRule`. */
export interface RecurrenceRule {
  frequency: Frequency;
  interval: number;
  count: number | null;
  /** 0 is Monday. */
  weekStart: number;
  months: readonly number[] | null;
  monthDays: readonly number[] | null;
  days: readonly { weekday: number; number: number | null }[] | null;
  positions: readonly number[] | null;
  hours: readonly number[] | null;
  minutes: readonly number[] | null;
}

const frequencies = ['MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof frequencies)[number];

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** A rule in the case that RFC 5545 writes, without its prefix. */
export const normalizeRule = (line: string): string => line.toUpperCase().replace(/^RRULE:/, '');

/** Whether a line excludes times; any other is the rule. */
export const isException = (line: string): boolean => /^EXDATE:/i.test(line);

/** The parts of a rule by name. */
export const partsOf = (line: string): Map<string, string> =>
  new Map(
    normalizeRule(line)
      .split(';')
      .map((part) => {
        const at = part.indexOf('=');
        return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      }),
  );

const ascending = (a: number, b: number): number => a - b;

export function parseRule(line: string): RecurrenceRule {
  const parts = partsOf(line);
  const numbers = (name: string): number[] | null => {
    const list = parts.get(name)?.split(',').map(Number);
    return list ? [...new Set(list)].sort(ascending) : null;
  };
  const number = (name: string): number | null => {
    const text = parts.get(name);
    return text === undefined ? null : Number(text);
  };
  const dayOf = (text: string) => ({
    weekday: WEEKDAYS.indexOf(text.slice(-2)),
    number: text.length === 2 ? null : Number(text.slice(0, -2)),
  });
  return {
    frequency: parts.get('FREQ') as Frequency,
    interval: number('INTERVAL') ?? 1,
    count: number('COUNT'),
    weekStart: WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'),
    months: numbers('BYMONTH'),
    monthDays: numbers('BYMONTHDAY'),
    days: parts.get('BYDAY')?.split(',').map(dayOf) ?? null,
    positions: numbers('BYSETPOS'),
    hours: numbers('BYHOUR'),
    minutes: numbers('BYMINUTE'),
  };
}
