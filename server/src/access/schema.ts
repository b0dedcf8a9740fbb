import { type Static, type TSchema, Type } from 'typebox';
import { tenantHours } from '../hours/schema.ts';
import { features, limitNames, planNames, scopes } from '../http/permissions.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { SystemMailState } from '../people/system-mail.ts';
import { Usage } from './usage.ts';

const YEAR_SECONDS = 365 * 24 * 3600;
export const DEFAULT_TOKEN_SECONDS = 90 * 24 * 3600;

const Name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const Scopes = Type.Array(OneOf(scopes), {
  minItems: 1,
  maxItems: 100,
  description: 'The rights of the token; `*` is all of them',
});
const ExpiresIn = Type.Integer({
  minimum: 1,
  maximum: YEAR_SECONDS,
  description: 'Lifetime in seconds, at most a year; 90 days if left out',
});

/** A schema for each limit of a tenant. */
const eachLimit = <S extends TSchema>(schema: S): Record<(typeof limitNames)[number], S> =>
  Object.fromEntries(limitNames.map((name) => [name, schema])) as Record<(typeof limitNames)[number], S>;

export const NewToken = Type.Object({
  name: Name('What the token is for'),
  scopes: Scopes,
  expiresIn: Type.Optional(ExpiresIn),
});

export const NewOperatorToken = Type.Object({
  name: Type.Optional(Name('What the token is for')),
  scopes: Type.Optional(Scopes),
  expiresIn: Type.Optional(ExpiresIn),
});

export const Token = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    expiresAt: Timestamp(),
    lastUsedAt: Nullable(Timestamp('To the hour; null if it was never used')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Token' },
);
export type Token = Static<typeof Token>;

export const CreatedToken = Type.Object(
  { ...Token.properties, token: Type.String({ description: 'The access token; cannot be read again' }) },
  { title: 'CreatedToken' },
);

export const Me = Type.Object(
  {
    tenant: Type.Object({ id: Uuid(), name: Type.String() }),
    tokenId: Nullable(Uuid('Null for a user who has logged in')),
    userId: Nullable(Uuid('The user who has logged in; null for a token')),
    plan: OneOf(planNames),
    features: Type.Array(OneOf(features), { description: 'Additional features of the plan' }),
    scopes: Type.Array(Type.String()),
    limits: Type.Object(
      { requestsPerMinute: Type.Integer(), ...eachLimit(Type.Integer()) },
      { description: 'What the tenant may have at most. More is refused with `limit_reached`' },
    ),
  },
  { title: 'Me' },
);

const RateLimit = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: "Requests per minute, instead of the plan's",
});

const Limit = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const NewTenant = Type.Object({
  name: Name('The name of the tenant'),
  plan: Type.Optional(OneOf(planNames, '`scale` if left out')),
  rateLimit: Type.Optional(RateLimit),
  isTest: Type.Optional(
    Type.Boolean({
      description:
        'Creates a test tenant: its clock stands still until `POST /v3/clock/advance` moves it. This cannot be changed later',
    }),
  ),
});

export const TenantChange = Type.Object({
  name: Type.Optional(Name('The name of the tenant')),
  plan: Type.Optional(OneOf(planNames)),
  rateLimit: Type.Optional(Nullable(RateLimit)),
  limits: Type.Optional(
    Type.Object(eachLimit(Type.Optional(Nullable(Limit))), { description: "Instead of the plan's limits" }),
  ),
});

export const Tenant = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    plan: OneOf(planNames),
    rateLimit: Nullable(Type.Integer({ description: "Set if it differs from the plan's" })),
    limits: Type.Object(eachLimit(Type.Optional(Type.Integer())), {
      description: "Those that differ from the plan's",
    }),
    isTest: Type.Boolean({ description: 'Whether it has a clock of its own' }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Tenant' },
);
export type Tenant = Static<typeof Tenant>;

const TIMEZONE = 'The name of a time zone, such as `Europe/Berlin`';
const LOCALE = 'A language tag such as `de` or `pt-BR`';
export const TenantSettings = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    timezone: Type.String({ description: `${TIMEZONE}; \`UTC\` at first` }),
    locale: Type.String({ description: `${LOCALE}; \`en\` at first` }),
    ...tenantHours,
    isTest: Type.Boolean({ description: 'Whether it has a clock of its own' }),
    usage: Usage,
    systemMail: SystemMailState,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'TenantSettings' },
);
export type TenantSettings = Static<typeof TenantSettings>;

export const TenantSettingsChange = Type.Object({
  name: Type.Optional(Name('The name of the tenant')),
  timezone: Type.Optional(Type.String({ maxLength: 64, description: TIMEZONE })),
  locale: Type.Optional(Type.String({ maxLength: 35, description: LOCALE })),
  ...Type.Partial(Type.Object(tenantHours)).properties,
});
export type TenantSettingsChange = Static<typeof TenantSettingsChange>;

export const ClockAdvance = Type.Object({
  to: Type.Optional(Timestamp('The time to move the clock to')),
  by: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'How far to move the clock, as an ISO 8601 duration such as `PT36H` or `P1M`; days and longer units follow the calendar in UTC',
    }),
  ),
});
export type ClockAdvance = Static<typeof ClockAdvance>;

export const TestClock = Type.Object({ now: Timestamp('The time of the clock') }, { title: 'TestClock' });
export type TestClock = Static<typeof TestClock>;
