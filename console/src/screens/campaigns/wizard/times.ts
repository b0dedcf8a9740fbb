/** A time of a zone as an input shows it, such as `2026-11-17T15:30`. */
export function toLocal(iso: string, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(iso));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/** The moment at which the clocks of a zone show a time; undefined for no time. One that a zone leaves out is an hour later. */
export function fromLocal(local: string, zone: string): string | undefined {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return undefined;
  let time = wanted;
  // The offset of the first guess may be that of the other side of a change of clocks.
  for (let round = 0; round < 2; round += 1)
    time += wanted - Date.parse(`${toLocal(new Date(time).toISOString(), zone)}Z`);
  return new Date(time).toISOString();
}

/** A moment as the clocks of a zone show it, with the zone: "Nov 18, 2026, 9:00 AM (Europe/Berlin)". */
export function formatInZone(iso: string, zone: string, language: string): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: zone,
  });
  return `${format.format(new Date(iso))} (${zone.replaceAll('_', ' ')})`;
}

export const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Day = (typeof DAYS)[number];
export const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY'] as const;

/** A rule that the form can show. */
export interface Rule {
  frequency: (typeof FREQUENCIES)[number];
  days: readonly Day[];
  /** Undefined: without end. */
  count: number | undefined;
}

export const writeRule = ({ frequency, days, count }: Rule): string[] => [
  `RRULE:FREQ=${frequency}${frequency === 'WEEKLY' && days.length > 0 ? `;BYDAY=${days.join()}` : ''}${
    count === undefined ? '' : `;COUNT=${count}`
  }`,
];

/** The rule of a campaign; undefined if it says more than the form can. */
export function readRule([line = '', ...more]: readonly string[]): Rule | undefined {
  const match =
    /^(?:RRULE:)?FREQ=(DAILY|WEEKLY|MONTHLY)(?:;BYDAY=((?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:MO|TU|WE|TH|FR|SA|SU))*))?(?:;COUNT=(\d{1,6}))?$/i.exec(
      line,
    );
  if (!match || more.length > 0) return undefined;
  const [, frequency, days, count] = match;
  if (days !== undefined && frequency?.toUpperCase() !== 'WEEKLY') return undefined;
  return {
    frequency: frequency?.toUpperCase() as Rule['frequency'],
    days: (days?.toUpperCase().split(',') ?? []) as Day[],
    count: count === undefined ? undefined : Number(count),
  };
}
