import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from '../http/schema.ts';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const MAX_SPANS = 12;
/** More than the public holidays of thirty years. Each is validated, and stored with the tenant or the channel. */
const MAX_DATES = 500;

const TIME_OF_DAY = '^([01]\\d|2[0-3]):[0-5]\\d$';
const TIME_OR_END = '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$';
const Timezone = Type.String({
  maxLength: 64,
  description: 'The zone in which they are meant, such as `Europe/Berlin`; that of the tenant if left out',
});
const DateOfDay = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  description: 'A date such as `2026-12-25`',
});

/** From when until when, such as `["09:00","17:00"]`. */
const Spans = (description: string, minItems = 0) =>
  Type.Array(
    Type.Unsafe<[from: string, to: string]>({
      type: 'array',
      items: { type: 'string', pattern: TIME_OR_END },
      minItems: 2,
      maxItems: 2,
      description: 'Beginning and end; `24:00` is the end of the day',
    }),
    { minItems, maxItems: MAX_SPANS, description },
  );
export type Span = [from: string, to: string];

const Day = Type.Optional(Spans('The hours of this day of the week; closed if left out'));

const BUSINESS_HOURS =
  'When it is open, in local time. Hours over midnight are written as two: `["22:00","24:00"]`, and `["00:00","02:00"]` on the day after';
export const BusinessHours = Type.Object({
  timezone: Type.Optional(Timezone),
  mon: Day,
  tue: Day,
  wed: Day,
  thu: Day,
  fri: Day,
  sat: Day,
  sun: Day,
  closedOn: Type.Optional(
    Type.Array(DateOfDay, { maxItems: MAX_DATES, description: 'Dates on which it is closed all day' }),
  ),
  exceptions: Type.Optional(
    Type.Array(Type.Object({ date: DateOfDay, hours: Spans('The hours of this date', 1) }), {
      maxItems: MAX_DATES,
      description: 'Dates with other hours than their day of the week',
    }),
  ),
});
export type BusinessHours = Static<typeof BusinessHours>;

const TimeOfDay = (description: string) => Type.String({ pattern: TIME_OF_DAY, description });
const quietTimes = {
  from: Type.Optional(TimeOfDay('When they begin, such as `21:00`')),
  to: Type.Optional(TimeOfDay('When they end, such as `08:00`; before `from` it is the next day')),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The zone for contacts without a zone of their own; that of the tenant if left out',
    }),
  ),
};
const QUIET_HOURS =
  'When no marketing is sent, in the time zone of each contact. Replies of people and messages with the purpose `service` are sent at any time';
export const QuietHours = Type.Object({
  ...quietTimes,
  isOff: Type.Optional(
    Type.Boolean({
      description:
        'True: no quiet hours, without `from` and `to`. So a channel has none although its tenant has some',
    }),
  ),
});
export type QuietHours = Static<typeof QuietHours>;

/** The hours of a tenant or a channel, as they are stored. */
export interface StoredHours {
  businessHours: BusinessHours | null;
  quietHours: QuietHours | null;
}

const businessHoursOrNull = (ifNull: string) =>
  Nullable({ ...BusinessHours, description: `${BUSINESS_HOURS}. ${ifNull}` });
const quietHoursOrNull = (ifNull: string) =>
  Nullable({ ...QuietHours, description: `${QUIET_HOURS}. ${ifNull}` });

export const tenantHours = {
  businessHours: businessHoursOrNull('Null: always open'),
  quietHours: quietHoursOrNull('Null: none'),
};
export const channelHours = {
  businessHours: businessHoursOrNull('Null: those of the tenant'),
  quietHours: quietHoursOrNull('Null: those of the tenant'),
};

export const HoursQuestion = Type.Object({
  channelId: Type.Optional(Uuid('The channel; the tenant if left out')),
  businessHours: Type.Optional(businessHoursOrNull('Instead of the stored ones')),
  quietHours: Type.Optional(quietHoursOrNull('Instead of the stored ones')),
  timezone: Type.Optional(
    Type.String({ maxLength: 64, description: 'The time zone of a contact, for the quiet hours' }),
  ),
  at: Type.Optional(Timestamp('The moment; now if left out')),
});
export type HoursQuestion = Static<typeof HoursQuestion>;

export const HoursState = Type.Object(
  {
    at: Timestamp(),
    timezone: Type.String({ description: 'The zone of the business hours' }),
    isOpen: Type.Boolean(),
    opensAt: Nullable(Timestamp('When it opens next; null while it is open, and if it never does')),
    closesAt: Nullable(
      Timestamp('When it closes next; null while it is closed, and if it stays open for a month'),
    ),
    isQuiet: Type.Boolean({ description: 'Whether marketing waits' }),
    quietUntil: Nullable(Timestamp('When the quiet hours end; null outside of them')),
  },
  { title: 'HoursState' },
);
export type HoursState = Static<typeof HoursState>;
