/** A recurrence rule that people can choose without writing it. */
export interface Recurrence {
  frequency: 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY';
  /** Such as `MO`; of a week. */
  days: readonly string[];
  /** Of a month. */
  monthDay: number;
  hour: number;
  minute: number;
}

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

const PARTS: Readonly<Record<Recurrence['frequency'], readonly string[]>> = {
  HOURLY: ['BYMINUTE'],
  DAILY: ['BYHOUR', 'BYMINUTE'],
  WEEKLY: ['BYDAY', 'BYHOUR', 'BYMINUTE'],
  MONTHLY: ['BYMONTHDAY', 'BYHOUR', 'BYMINUTE'],
};

const numberIn = (text: string | undefined, least: number, most: number): number | undefined =>
  text !== undefined && /^\d{1,2}$/.test(text) && Number(text) >= least && Number(text) <= most
    ? Number(text)
    : undefined;

/** Undefined for a rule that says more than can be chosen. */
export function readRecurrence(rule: string): Recurrence | undefined {
  const parts = new Map(
    rule
      .trim()
      .replace(/^RRULE:/i, '')
      .toUpperCase()
      .split(';')
      .map((part) => part.split('=', 2) as [string, string | undefined]),
  );
  const frequency = parts.get('FREQ') as Recurrence['frequency'];
  const expected = Object.hasOwn(PARTS, frequency ?? '') ? PARTS[frequency] : undefined;
  if (!expected || parts.size !== expected.length + 1) return undefined;
  const days = parts.get('BYDAY')?.split(',') ?? [];
  const found = {
    monthDay: numberIn(parts.get('BYMONTHDAY'), 1, 31),
    hour: numberIn(parts.get('BYHOUR'), 0, 23),
    minute: numberIn(parts.get('BYMINUTE'), 0, 59),
  };
  const isMissing = (part: string, value: unknown): boolean => expected.includes(part) && value === undefined;
  if (
    isMissing('BYMONTHDAY', found.monthDay) ||
    isMissing('BYHOUR', found.hour) ||
    isMissing('BYMINUTE', found.minute) ||
    days.some((day) => !WEEKDAYS.some((known) => known === day)) ||
    (expected.includes('BYDAY') && days.length === 0)
  )
    return undefined;
  return { frequency, days, monthDay: found.monthDay ?? 1, hour: found.hour ?? 9, minute: found.minute ?? 0 };
}

export function writeRecurrence({ frequency, days, monthDay, hour, minute }: Recurrence): string {
  const values: Readonly<Record<string, string | number>> = {
    BYDAY: WEEKDAYS.filter((day) => days.includes(day)).join(),
    BYMONTHDAY: monthDay,
    BYHOUR: hour,
    BYMINUTE: minute,
  };
  return [`FREQ=${frequency}`, ...PARTS[frequency].map((part) => `${part}=${values[part]}`)].join(';');
}
