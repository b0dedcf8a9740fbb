import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { businessOpening, findQuietEnd } from '../../../src/hours/opening.ts';
import { type BusinessHours, type Span, weekdays } from '../../../src/hours/schema.ts';

/** Zones whose clocks are set by an hour, half an hour, two hours, at midnight, or never; and one far from UTC. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'America/Havana',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'UTC',
];
const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * 3600_000;

const formats = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  ]),
);

/** What the clocks of a zone show, by another way than the one that is tested. */
function shown(
  zone: string,
  moment: number,
): { date: string; weekday: (typeof weekdays)[number]; time: string } {
  const parts = (formats.get(zone) as Intl.DateTimeFormat).formatToParts(moment);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    weekday: part('weekday').toLowerCase() as (typeof weekdays)[number],
    time: `${part('hour')}:${part('minute')}`,
  };
}

const isIn = (spans: readonly Span[] | undefined, time: string): boolean =>
  (spans ?? []).some(([from, to]) => from <= time && time < to);

function isOpen(hours: BusinessHours, zone: string, moment: number): boolean {
  const { date, weekday, time } = shown(zone, moment);
  if (hours.closedOn?.includes(date)) return false;
  const exception = hours.exceptions?.find((one) => one.date === date);
  return isIn(exception ? exception.hours : hours[weekday], time);
}

const time = (quarter: number): string =>
  `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`;
const spans = fc
  .uniqueArray(fc.integer({ min: 0, max: 96 }), { maxLength: 6 })
  .map((quarters) => quarters.sort((a, b) => a - b))
  .map((sorted): Span[] =>
    Array.from({ length: Math.floor(sorted.length / 2) }, (_, index) => [
      time(sorted[2 * index] as number),
      time(sorted[2 * index + 1] as number),
    ]),
  );
/** Near the days on which clocks are set in most of the zones, and any others. */
const moments = fc
  .tuple(
    fc.constantFrom(
      '2026-03-08',
      '2026-03-29',
      '2026-10-25',
      '2026-11-01',
      '2027-02-07',
      '2026-04-05',
      '2026-07-01',
    ),
    fc.integer({ min: -4 * 96, max: 2 * 96 }),
  )
  .map(([date, quarters]) => Date.parse(`${date}T00:00:00Z`) + quarters * QUARTER_MS);
const dates = fc.integer({ min: -3, max: 5 });

const cases = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    moment: moments,
    week: fc.array(spans, { minLength: 7, maxLength: 7 }),
    closed: fc.uniqueArray(dates, { maxLength: 2 }),
    other: fc.tuple(dates, spans),
  })
  .map(({ zone, moment, week, closed, other: [day, otherSpans] }) => {
    const dateOf = (days: number): string => shown(zone, moment + days * DAY_MS).date;
    const closedOn = closed.map(dateOf);
    const hours: BusinessHours = {
      ...Object.fromEntries(weekdays.map((name, index) => [name, week[index]])),
      closedOn,
      exceptions: closedOn.includes(dateOf(day)) ? [] : [{ date: dateOf(day), hours: otherSpans }],
    };
    return { zone, moment, hours };
  });

/** The first quarter of an hour from a moment on for which something is true. */
function firstQuarter(start: number, days: number, isTrue: (moment: number) => boolean): number | null {
  for (let moment = start; moment <= start + days * DAY_MS; moment += QUARTER_MS)
    if (isTrue(moment)) return moment;
  return null;
}

describe('business hours', () => {
  it('are open exactly while the clocks of their zone say so, also on days on which these are set', () => {
    fc.assert(
      fc.property(cases, ({ zone, moment, hours }) => {
        expect(businessOpening(hours, zone).isOpenAt(new Date(moment))).toBe(isOpen(hours, zone, moment));
      }),
      { numRuns: 2000 },
    );
  });

  it('open and close next at the first moment for which that is true', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), ({ zone, moment, hours }, wantsOpen) => {
        const opening = businessOpening(hours, zone);
        const found = (wantsOpen ? opening.nextOpening : opening.nextClosing)(new Date(moment));
        const first = firstQuarter(moment, 9, (at) => isOpen(hours, zone, at) === wantsOpen);
        // Later ones are beyond what is compared here.
        const near = found && found.getTime() <= moment + 9 * DAY_MS ? found.getTime() : null;
        expect(near).toBe(first);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it.each([
    ['are always open without any', null, true],
    ['never open on days without hours', {}, false],
    [
      'never open if their only date is past',
      { exceptions: [{ date: '2020-01-01', hours: [['09:00', '17:00']] }] },
      false,
    ],
  ] as const)('%s', (_, hours, isEverOpen) => {
    const opening = businessOpening(hours as BusinessHours | null, 'Europe/Berlin');
    const now = new Date('2026-11-15T01:02:03.456Z');
    expect(opening.isOpenAt(now)).toBe(isEverOpen);
    expect(opening.nextOpening(now)).toEqual(isEverOpen ? now : null);
  });

  it('find an opening after 500 closed Mondays, without looking at every minute', () => {
    const monday = Date.parse('2026-11-16T00:00:00Z');
    const closedOn = Array.from({ length: 500 }, (_, week) =>
      new Date(monday + week * 7 * DAY_MS).toISOString().slice(0, 10),
    );
    const opening = businessOpening({ mon: [['09:00', '10:00']], closedOn }, 'UTC');
    expect(opening.nextOpening(new Date(monday))).toEqual(new Date(monday + 500 * 7 * DAY_MS + 9 * 3600_000));
  });

  it('skip hours that a change of the clocks leaves out, and have those twice that it repeats', () => {
    const sunday: BusinessHours = { timezone: 'Europe/Berlin', sun: [['02:15', '02:45']] };
    const opening = businessOpening(sunday, 'UTC');
    // 2026-03-29 has no 02:15 in Berlin, so the next one is a week later.
    expect(opening.nextOpening(new Date('2026-03-28T12:00:00Z'))).toEqual(new Date('2026-04-05T00:15:00Z'));
    expect(opening.nextOpening(new Date('2026-10-24T12:00:00Z'))).toEqual(new Date('2026-10-25T00:15:00Z'));
    expect(opening.nextOpening(new Date('2026-10-25T00:45:00Z'))).toEqual(new Date('2026-10-25T01:15:00Z'));
  });
});

describe('quiet hours', () => {
  const isQuiet = ([from, to]: Span, now: string): boolean =>
    from < to ? from <= now && now < to : from <= now || now < to;

  it('end at the first moment that is not quiet in the zone of the contact', () => {
    const quarters = fc.uniqueArray(fc.integer({ min: 0, max: 95 }), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, quarters, (zone, moment, [begin, end]) => {
        const [from, to] = [time(begin as number), time(end as number)];
        const found = findQuietEnd({ from, to }, { contact: zone, tenant: 'Asia/Tokyo' }, new Date(moment));
        const quietAt = (at: number): boolean => isQuiet([from, to], shown(zone, at).time);
        expect(found?.getTime() ?? null).toBe(
          quietAt(moment) ? firstQuarter(moment, 3, (at) => !quietAt(at)) : null,
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['of the contact', { contact: 'America/New_York', own: 'Asia/Tokyo' }, '2026-11-15T13:00:00.000Z'],
    ['of the hours, for a contact without one', { contact: null, own: 'Asia/Tokyo' }, null],
    ['of the tenant, without any other', { contact: null, own: undefined }, '2026-11-15T07:00:00.000Z'],
    [
      'of the hours, where that of the contact does not exist',
      { contact: 'Mars/Olympus', own: 'Asia/Tokyo' },
      null,
    ],
  ])('are in the zone %s', (_, { contact, own }, until) => {
    const hours = { from: '21:00', to: '08:00', ...(own === undefined ? {} : { timezone: own }) };
    const now = new Date('2026-11-15T04:00:00Z');
    const found = findQuietEnd(hours, { contact, tenant: 'Europe/Berlin' }, now);
    expect(found?.toISOString() ?? null).toBe(until);
  });
});
