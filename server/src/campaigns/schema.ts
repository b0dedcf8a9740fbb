import { type Static, Type } from 'typebox';
import { MAX_TEMPLATE_CHARACTERS } from '../automations/definition/liquid.ts';
import { Failure } from '../automations/schema.ts';
import { purposes } from '../contacts/consent/schema.ts';
import { ContactItem } from '../contacts/schema.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { TemplateFile } from '../messages/content-schema.ts';
import { MAX_EXPRESSION_CHARACTERS } from '../search/grammar/tokens.ts';

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
/** Why a recipient is not sent to, without that being a failure. */
export const skipReasons = [
  'no_handle',
  'unsubscribed',
  'opted_out',
  'undeliverable',
  'window_closed',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** How many contacts one call may contain. */
const MAX_CONTACTS = 5000;

/** The limits of a body with that many contacts, in v2 and v3. */
export const MANY_CONTACTS = {
  bodyBytes: 10 * 1024 * 1024,
  bodyBounds: { arrayItems: MAX_CONTACTS, nodes: 300_000 },
};

const Variable = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  value: Type.String({ maxLength: 1000, description: 'Parsed as the type that the automation declares' }),
});

const Contacts = Type.Array(ContactItem, {
  maxItems: MAX_CONTACTS,
  description:
    'Contacts, matched by the handle that the channel uses. New ones are created, existing ones are updated',
});

const Liquid = (description: string) => Type.String({ maxLength: MAX_TEMPLATE_CHARACTERS, description });

/** What a campaign sends without an automation. While it is a draft, nothing in it is required. */
export const CampaignMessage = Type.Object(
  {
    text: Type.Optional(Liquid('Liquid, as in a `send_message` step')),
    subject: Type.Optional(Type.String({ maxLength: 2_000, description: 'Of an email; Liquid' })),
    media: Type.Optional(
      Type.Object({
        fileId: Type.Optional(Uuid('An uploaded file')),
        url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
        filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      }),
    ),
    template: Type.Optional(
      Type.Object(
        {
          templateId: Uuid('A template of the channel'),
          variables: Type.Optional(
            Type.Unsafe<Record<string, string>>({
              type: 'object',
              maxProperties: 50,
              propertyNames: { maxLength: 100 },
              additionalProperties: Liquid('The value of a variable; Liquid'),
            }),
          ),
          header: Type.Optional(TemplateFile),
        },
        { description: 'A template instead of a text' },
      ),
    ),
  },
  {
    description:
      'What each recipient gets, instead of an automation. Complete when the campaign starts; a draft may have a part of it',
  },
);
export type CampaignMessage = Static<typeof CampaignMessage>;
const StoredMessage = Type.Unsafe<CampaignMessage | null>({ ...CampaignMessage, type: ['object', 'null'] });

export const NewCampaign = Type.Object({
  channelId: Uuid(),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  automationId: Type.Optional(
    Uuid('The automation that runs for each recipient; it must be active. Required without `message`'),
  ),
  message: Type.Optional(CampaignMessage),
  messageTemplateId: Type.Optional(
    Uuid("Replaces the template of the automation's first `send_template` step"),
  ),
  templateHeader: Type.Optional(TemplateFile),
  purpose: Type.Optional(
    OneOf(purposes, '`marketing` by default: unsubscribed contacts are skipped. `service` also reaches them'),
  ),
  closeChats: Type.Optional(
    Type.Boolean({
      description:
        'Whether chats that it creates are closed until the contact replies, so that they do not fill the inbox. Chats that exist stay as they are',
    }),
  ),
  isScheduled: Type.Optional(Type.Boolean({ description: 'Needs `scheduledAt`' })),
  scheduledAt: Type.Optional(Timestamp('When it starts, in the future. Default: now')),
  isReoccurring: Type.Optional(Type.Boolean({ description: 'Needs `recurrenceRules`' })),
  recurrenceRules: Type.Optional(
    Type.Array(Type.String({ maxLength: 5000 }), {
      maxItems: 20,
      description:
        'Lines of RFC 5545: one `RRULE:…`, with or without the prefix, at most every 15 minutes, and `EXDATE:…` for times to skip, in UTC',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The zone in which `recurrenceRules` are meant, such as `Europe/Berlin`; UTC by default',
    }),
  ),
  variables: Type.Optional(Type.Array(Variable, { maxItems: 100, description: 'The variables of each run' })),
  contacts: Type.Optional(Contacts),
  audience: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_EXPRESSION_CHARACTERS,
      description:
        'A filter for contacts, as in `POST /v3/contacts/search`. Contacts that match it when the campaign starts are recipients, too',
      examples: ['contains(labelIds,"019a82a0-0000-7000-8000-000000000040")'],
    }),
  ),
  segmentId: Type.Optional(
    Uuid('A segment instead of an `audience`: its filter as it is when an occurrence begins'),
  ),
});
export type NewCampaign = Static<typeof NewCampaign>;

const { properties: given } = NewCampaign;
/** What can be changed until a campaign starts. Null removes a value. */
export const CampaignChange = Type.Partial(
  Type.Object({
    channelId: given.channelId,
    name: given.name,
    automationId: given.automationId,
    message: given.message,
    messageTemplateId: Nullable(Uuid()),
    templateHeader: Type.Unsafe<TemplateFile | null>({ ...TemplateFile, type: ['object', 'null'] }),
    purpose: given.purpose,
    closeChats: given.closeChats,
    isScheduled: Type.Boolean({
      description:
        '`false` alone removes the time, and is refused with a `scheduledAt`. `true` needs a time, new or stored',
    }),
    scheduledAt: Nullable(Timestamp('Without it, a campaign that has not started becomes a draft')),
    isReoccurring: Type.Boolean({
      description:
        '`false` alone removes the rules, and is refused with `recurrenceRules`. `true` needs rules, new or stored',
    }),
    recurrenceRules: given.recurrenceRules,
    timezone: given.timezone,
    variables: given.variables,
    audience: Nullable(Type.String({ minLength: 1, maxLength: MAX_EXPRESSION_CHARACTERS })),
    segmentId: Nullable(Uuid('Instead of an `audience`')),
  }),
);
export type CampaignChange = Static<typeof CampaignChange>;

export const NewRecipients = Type.Object({ contacts: Contacts });

/** Exactly one of them says who gets it. */
export const TestOfCampaign = Type.Object({
  userId: Type.Optional(
    Uuid(
      'A user of the tenant, mostly oneself, at their own email address; for channels of the kind `email`',
    ),
  ),
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A phone number, email address or Instagram id, depending on the kind of channel; an unknown recipient becomes a contact',
    }),
  ),
  contactId: Type.Optional(Uuid('A contact')),
});
export type TestOfCampaign = Static<typeof TestOfCampaign>;

export const requestableStatuses = ['running', 'paused', 'cancelled'] as const;
export const CampaignStatusChange = Type.Object({
  status: OneOf(requestableStatuses),
  baseUpdatedAt: Type.Optional(
    Timestamp(
      'The `updatedAt` of the campaign as you know it. The status stays, with 409, if somebody has changed the campaign since',
    ),
  ),
});
export type CampaignStatusChange = Static<typeof CampaignStatusChange>;

export const Campaign = Type.Object(
  {
    id: Uuid(),
    channelId: Uuid(),
    name: Type.String(),
    status: OneOf(campaignStatuses),
    automationId: Nullable(
      Uuid('The automation that runs for each recipient; null for a draft that has a `message`'),
    ),
    message: StoredMessage,
    messageTemplateId: Nullable(Uuid()),
    templateHeader: Type.Unsafe<TemplateFile | null>({ ...TemplateFile, type: ['object', 'null'] }),
    purpose: OneOf(purposes),
    closeChats: Type.Boolean(),
    isScheduled: Type.Boolean(),
    scheduledAt: Nullable(Timestamp()),
    isReoccurring: Type.Boolean(),
    recurrenceRules: Type.Array(Type.String(), { description: 'As they were sent' }),
    timezone: Type.String(),
    variables: Type.Array(Variable, { description: 'As they were sent' }),
    audience: Nullable(Type.String()),
    segmentId: Nullable(
      Uuid('The segment of the audience; `audience` is its filter when the last occurrence began'),
    ),
    isTest: Type.Boolean({ description: 'Whether it was made by `POST /v3/campaigns/{campaignId}/test`' }),
    startedAt: Nullable(Timestamp('When it first started')),
    nextOccurrenceAt: Nullable(Timestamp('The time of the next occurrence')),
    error: Type.Unsafe<Static<typeof Failure>>({
      ...Failure,
      description: 'Why it failed',
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
          'The number of recipients in each status, for the current or last occurrence. Contacts that `audience` matches count from its start on',
      },
    ),
    waiting: Nullable(
      Type.Object(
        {
          reason: OneOf(['quiet_hours'], 'Why they wait'),
          recipients: Type.Integer({ description: 'How many wait' }),
          until: Timestamp('When the first of them goes on, unless the campaign is paused'),
        },
        {
          description: 'Recipients who are sent to later, because it is quiet for them; null if nobody waits',
        },
      ),
    ),
  },
  { title: 'CampaignWithCounts' },
);
export type CampaignWithCounts = Static<typeof CampaignWithCounts>;

export const Recipient = Type.Object(
  {
    contactId: Uuid(),
    status: OneOf(recipientStatuses),
    skipReason: Type.Unsafe<SkipReason | null>({
      type: ['string', 'null'],
      enum: [...skipReasons, null],
    }),
    code: Nullable(Type.String({ description: 'Why the recipient failed or was skipped' })),
    runId: Nullable(Uuid('The run in this occurrence; null until it starts')),
    messageId: Nullable(Uuid('The first message of the run, which determines the status')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Recipient' },
);
export type Recipient = Static<typeof Recipient>;
