import { type Static, Type } from 'typebox';
import { Failure } from '../automations/schema.ts';
import { ContactItem } from '../contacts/schema.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { MAX_EXPRESSION_CHARACTERS } from '../search/tokens.ts';

export const campaignStatuses = [
  'draft',
  'scheduled',
  'running',
  'paused',
  'completed',
  'cancelled',
  'failed',
] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

export const recipientStatuses = ['queued', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;
export const skipReasons = ['no_handle', 'unsubscribed', 'window_closed'] as const;

/** How many contacts one call may bring. */
const MAX_CONTACTS = 5000;

/** What a call may be made of that brings so many, in v2 and v3 alike. */
export const MANY_CONTACTS = {
  bodyBytes: 10 * 1024 * 1024,
  bodyBounds: { arrayItems: MAX_CONTACTS, nodes: 2_000_000 },
};

const Variable = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  value: Type.String({ maxLength: 1000, description: 'Read as the type that the automation declares' }),
});

const Contacts = Type.Array(ContactItem, {
  maxItems: MAX_CONTACTS,
  description:
    'People, matched by the handle that the channel uses, made where they are new, and merged where they are not',
});

export const NewCampaign = Type.Object({
  channelId: Uuid(),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  automationId: Uuid('What each recipient goes through; it must be active'),
  messageTemplateId: Type.Optional(
    Uuid("Instead of the template in the automation's first `send_template` step"),
  ),
  isScheduled: Type.Optional(Type.Boolean({ description: 'Needs `scheduledAt`' })),
  scheduledAt: Type.Optional(Timestamp('When it starts, in the future; left out: now')),
  isReoccurring: Type.Optional(Type.Boolean({ description: 'Needs `recurrenceRules`' })),
  recurrenceRules: Type.Optional(
    Type.Array(Type.String({ maxLength: 5000 }), {
      maxItems: 20,
      description:
        'Lines of RFC 5545: one `RRULE:…`, at most every 15 minutes, and `EXDATE:…` for times to leave out',
    }),
  ),
  variables: Type.Optional(
    Type.Array(Variable, { maxItems: 100, description: 'What the automation is given for each recipient' }),
  ),
  contacts: Type.Optional(Contacts),
  audience: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_EXPRESSION_CHARACTERS,
      description:
        'A filter over contacts, as in `POST /v3/contacts/search`; whoever it matches when the campaign starts is a recipient, too',
      examples: ['contains(labelIds,"019a82a0-0000-7000-8000-000000000040")'],
    }),
  ),
});
export type NewCampaign = Static<typeof NewCampaign>;

export const NewRecipients = Type.Object({ contacts: Contacts });

export const askedStatuses = ['running', 'paused', 'cancelled'] as const;
export const CampaignStatusChange = Type.Object({ status: OneOf(askedStatuses) });

export const Campaign = Type.Object(
  {
    id: Uuid(),
    channelId: Uuid(),
    name: Type.String(),
    status: OneOf(campaignStatuses),
    automationId: Uuid(),
    messageTemplateId: Nullable(Uuid()),
    isScheduled: Type.Boolean(),
    scheduledAt: Nullable(Timestamp()),
    isReoccurring: Type.Boolean(),
    recurrenceRules: Type.Array(Type.String(), { description: 'As they were sent' }),
    variables: Type.Array(Variable, { description: 'As they were sent' }),
    audience: Nullable(Type.String()),
    startedAt: Nullable(Timestamp('When it first started')),
    nextOccurrenceAt: Nullable(Timestamp('When it starts, or starts again')),
    error: Type.Unsafe<Static<typeof Failure>>({
      ...Failure,
      description: 'Why it failed, or was not run at all',
    }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Campaign' },
);
export type Campaign = Static<typeof Campaign>;

export const CampaignWithCounts = Type.Object(
  {
    ...Campaign.properties,
    recipientCounts: Type.Object(
      Object.fromEntries(recipientStatuses.map((status) => [status, Type.Integer()])) as Record<
        (typeof recipientStatuses)[number],
        ReturnType<typeof Type.Integer>
      >,
      {
        description:
          'How many recipients have which status in the occurrence that is under way or was last; whom `audience` matches counts from its start on',
      },
    ),
  },
  { title: 'CampaignWithCounts' },
);
export type CampaignWithCounts = Static<typeof CampaignWithCounts>;

export const Recipient = Type.Object(
  {
    contactId: Uuid(),
    status: OneOf(recipientStatuses),
    skipReason: Type.Unsafe<(typeof skipReasons)[number] | null>({
      type: ['string', 'null'],
      enum: [...skipReasons, null],
    }),
    code: Nullable(Type.String({ description: 'Why the recipient failed or was skipped' })),
    runId: Nullable(Uuid('Its run of the automation in this occurrence; null before there is one')),
    messageId: Nullable(Uuid('The first message of the run; the status is its status')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Recipient' },
);
export type Recipient = Static<typeof Recipient>;
