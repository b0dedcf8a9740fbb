import type { Issues } from '../base/issues.ts';
import { validateTimezone } from '../contacts/validate-contact.ts';
import { type BusinessHours, type QuietHours, type Span, weekdays } from './schema.ts';

const byBeginning = (a: { span: Span }, b: { span: Span }): number => (a.span[0] < b.span[0] ? -1 : 1);

/** Spans of a day must not be empty, go over midnight or overlap. Times of the day sort as texts. */
function validateSpans(spans: readonly Span[], issues: Issues): void {
  for (const [index, [from, to]] of spans.entries())
    if (to === from) issues.add(`${index}`, 'custom', 'Must end after it begins');
    else if (to < from)
      issues.add(
        `${index}`,
        'custom',
        `Must end after it begins: hours over midnight are ["${from}","24:00"], and ["00:00","${to}"] on the day after`,
      );
  const sorted = spans.map((span, index) => ({ span, index })).sort(byBeginning);
  for (const [position, { span, index }] of sorted.entries()) {
    const before = sorted[position - 1];
    if (before && before.span[1] > span[0])
      issues.add(`${index}`, 'custom', `Overlaps with ${before.span.join('–')}`);
  }
}

/** Excludes dates such as `2026-02-30`, which do not exist. */
function isRealDate(date: string): boolean {
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}

/** Each date may occur once in all lists. */
function validateDates({ closedOn = [], exceptions = [] }: BusinessHours, issues: Issues): void {
  const seen = new Set<string>();
  const see = (date: string, path: string): void => {
    if (!isRealDate(date)) issues.add(path, 'invalid_date', 'There is no such date');
    else if (seen.has(date)) issues.add(path, 'custom', `${date} is there twice`);
    seen.add(date);
  };
  for (const [index, date] of closedOn.entries()) see(date, `closedOn.${index}`);
  for (const [index, { date, hours }] of exceptions.entries()) {
    see(date, `exceptions.${index}.date`);
    validateSpans(hours, issues.at(`exceptions.${index}.hours`));
  }
}

const sortSpans = (spans: readonly Span[]): Span[] => spans.toSorted((a, b) => (a[0] < b[0] ? -1 : 1));

/** Returns business hours as they are stored: everything in the order of time. */
function validateBusinessHours(hours: BusinessHours, issues: Issues): BusinessHours {
  validateTimezone(hours.timezone, issues);
  for (const day of weekdays) validateSpans(hours[day] ?? [], issues.at(day));
  validateDates(hours, issues);
  const { closedOn, exceptions } = hours;
  const week = weekdays.flatMap((day) => {
    const spans = hours[day];
    return spans ? [[day, sortSpans(spans)] as const] : [];
  });
  return {
    ...(hours.timezone === undefined ? {} : { timezone: hours.timezone }),
    ...Object.fromEntries(week),
    ...(closedOn ? { closedOn: closedOn.toSorted() } : {}),
    ...(exceptions
      ? {
          exceptions: exceptions
            .map(({ date, hours: spans }) => ({ date, hours: sortSpans(spans) }))
            .sort((a, b) => (a.date < b.date ? -1 : 1)),
        }
      : {}),
  };
}

/** Returns quiet hours as they are stored. */
function validateQuietHours(hours: QuietHours, issues: Issues): QuietHours {
  const { from, to, timezone, isOff } = hours;
  validateTimezone(timezone, issues);
  if (isOff) {
    for (const name of ['from', 'to', 'timezone'] as const)
      if (hours[name] !== undefined) issues.add(name, 'custom', 'Must be left out where isOff is true');
    return { isOff };
  }
  if (from === undefined) issues.add('from', 'invalid_type', 'Required');
  if (to === undefined) issues.add('to', 'invalid_type', 'Required');
  if (from !== undefined && from === to)
    issues.add('to', 'custom', 'Must differ from from: quiet hours end before they begin again');
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(timezone === undefined ? {} : { timezone }),
  };
}

/** The hours of a body; what is left out is undefined, and null stays. */
export interface GivenHours {
  businessHours?: BusinessHours | null;
  quietHours?: QuietHours | null;
}

/** Validates the hours of a body and returns them as they are stored. */
export function validateHours({ businessHours, quietHours }: GivenHours, issues: Issues): GivenHours {
  return {
    ...(businessHours === undefined
      ? {}
      : { businessHours: businessHours && validateBusinessHours(businessHours, issues.at('businessHours')) }),
    ...(quietHours === undefined
      ? {}
      : { quietHours: quietHours && validateQuietHours(quietHours, issues.at('quietHours')) }),
  };
}
