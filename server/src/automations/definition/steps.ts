import { Type } from 'typebox';
import { chatStatuses } from '../../chats/schema.ts';
import type { Purpose } from '../../contacts/consent/schema.ts';
import { Nullable, OneOf } from '../../http/schema.ts';
import { channelKinds, sendableTypes } from '../../providers/kinds.ts';
import { MAX_EXPRESSION_CHARACTERS } from '../../search/grammar/tokens.ts';
import { MAX_TEMPLATE_CHARACTERS } from './liquid.ts';
import {
  contacts,
  file,
  id,
  interactive,
  label,
  liquid,
  MAX_URL,
  media,
  templateHeader,
  text,
  texts,
} from './message-parameters.ts';
import { MAX_RULE_CHARACTERS } from './recurrence.ts';
import {
  assignment,
  atLeastOne,
  audience,
  condition,
  duration,
  exactlyOne,
  headers,
  headerValue,
  keyword,
  recurrenceRule,
  refersTo,
  snooze,
  step,
  template,
  templateWithSecrets,
  time,
  url,
  zone,
} from './rules.ts';
import { RULE } from './schema-walker.ts';

/** Names that a definition declares and that its texts and conditions use. */
export const NAME = '^(?!constructor$)[A-Za-z][A-Za-z0-9_]{0,63}$';
export const MAX_STEP_ID = 64;

const stepId = () => text(step, MAX_STEP_ID);
const attribute = () => Type.String({ minLength: 1, maxLength: 100, [RULE]: refersTo('attribute') });

/** The kind of channel that a step is about; by default that of the run's channel. */
const kind = {
  channelKind: Type.Optional(OneOf(channelKinds)),
};

/** Every type of step with the schema and the rules of its parameters. */
export const stepParameters = {
  send_message: Type.Object(
    {
      text: Type.Optional(liquid()),
      type: Type.Optional(OneOf(sendableTypes.filter((type) => type !== 'template'))),
      media: Type.Optional(Type.Union([media, Type.Array(media, { minItems: 1, maxItems: 20 })])),
      interactive: Type.Optional(interactive),
      email: Type.Optional(
        Type.Object({
          subject: label(),
          html: Type.Optional(liquid()),
          cc: Type.Optional(Type.Array(label(), { maxItems: 50 })),
        }),
      ),
      location: Type.Optional(
        Type.Object({
          latitude: Type.Number({ minimum: -90, maximum: 90 }),
          longitude: Type.Number({ minimum: -180, maximum: 180 }),
          name: Type.Optional(label()),
          address: Type.Optional(label()),
        }),
      ),
      contacts: Type.Optional(contacts),
      reaction: Type.Optional(
        Type.Object(
          {
            messageId: Type.Optional(label()),
            emoji: Type.String({ maxLength: 2_000, [RULE]: template }),
          },
          {
            description:
              'To a message, by default to the one that the run is about. An empty `emoji` removes it',
          },
        ),
      ),
      replyToMessageId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2_000,
          [RULE]: template,
          description:
            'The message that it quotes, such as `{{ message.id }}`, the one that the run is about. None if it is empty',
        }),
      ),
      channelId: Type.Optional(id('channel')),
    },
    { [RULE]: atLeastOne('text', 'media', 'email', 'location', 'interactive', 'contacts', 'reaction') },
  ),
  send_template: Type.Object({
    templateId: id('template'),
    variables: Type.Optional(texts(template)),
    header: Type.Optional(templateHeader),
    couponCode: Type.Optional(label()),
    offerExpiresAt: Type.Optional(text(time, MAX_TEMPLATE_CHARACTERS)),
    cards: Type.Optional(
      Type.Array(Type.Object({ variables: Type.Optional(texts(template)), header: Type.Optional(file) }), {
        minItems: 2,
        maxItems: 10,
      }),
    ),
  }),
  wait: Type.Object(
    {
      for: Type.Optional(text(duration, 64)),
      until: Type.Optional(text(time, MAX_TEMPLATE_CHARACTERS)),
      untilOpen: Type.Optional(
        Type.Literal(true, {
          description:
            'Waits until the channel of the chat is open by its business hours, or the tenant for a run without a channel. Goes on at once while it is',
        }),
      ),
    },
    { [RULE]: exactlyOne('for', 'until', 'untilOpen') },
  ),
  wait_for_reply: Type.Object({ timeout: text(duration, 64), onTimeout: Type.Optional(stepId()) }),
  branch: Type.Object({
    cases: Type.Array(Type.Object({ when: text(condition, MAX_EXPRESSION_CHARACTERS), next: stepId() }), {
      minItems: 1,
      maxItems: 50,
    }),
    else: Type.Optional(stepId()),
  }),
  set_attribute: Type.Object({
    externalId: attribute(),
    value: Type.String({ maxLength: MAX_TEMPLATE_CHARACTERS, [RULE]: template }),
  }),
  add_label: Type.Object({ labelId: id('label') }),
  remove_label: Type.Object({ labelId: id('label') }),
  assign: Type.Object(
    {
      userId: Type.Optional(Nullable(id('user'))),
      teamId: Type.Optional(Nullable(id('team'))),
      strategy: Type.Optional(
        OneOf(
          ['round_robin'],
          'Assigns the chat to `teamId`, and in turn to one of its members who is not away and sees the channel. Without it the team alone is assigned',
        ),
      ),
      maxOpenChats: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          description: 'With `strategy`: members with so many open chats are left out',
        }),
      ),
    },
    { [RULE]: assignment },
  ),
  set_chat_status: Type.Object(
    { status: OneOf(chatStatuses), snoozedUntil: Type.Optional(text(time, MAX_TEMPLATE_CHARACTERS)) },
    { [RULE]: snooze },
  ),
  http_request: Type.Object({
    method: OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: text(url, MAX_URL),
    headers: Type.Optional(texts(headerValue, headers)),
    body: Type.Optional(Type.String({ maxLength: MAX_TEMPLATE_CHARACTERS, [RULE]: templateWithSecrets })),
    saveAs: Type.Optional(Type.String({ pattern: NAME })),
    signWith: Type.Optional(text(refersTo('secret'), 64)),
  }),
  subscribe: Type.Object(kind),
  unsubscribe: Type.Object(kind),
  end: Type.Object({}),
};

const channel = { channelId: Type.Optional(id('channel')) };
/** Triggers that react to events. With `fromAutomations` they also react to what other runs did. */
const onEvent = { ...channel, fromAutomations: Type.Optional(Type.Boolean()) };

/** Without it nothing starts in a chat that is assigned to a user: a person is answering there. */
const evenIfAssigned = { evenIfAssigned: Type.Optional(Type.Boolean()) };

/** Every type of trigger with the schema and the rules of its parameters. */
export const triggerParameters = {
  api: Type.Object(channel),
  message_received: Type.Object({
    ...onEvent,
    ...evenIfAssigned,
    keywords: Type.Optional(Type.Array(text(keyword, 100), { minItems: 1, maxItems: 100 })),
  }),
  chat_opened: Type.Object({ ...onEvent, ...evenIfAssigned }),
  chat_closed: Type.Object(onEvent),
  contact_created: Type.Object(onEvent),
  label_added: Type.Object({ ...onEvent, labelId: id('label') }),
  campaign: Type.Object(channel),
  schedule: Type.Object({
    ...channel,
    rrule: text(recurrenceRule, MAX_RULE_CHARACTERS),
    timezone: Type.Optional(text(zone, 64)),
    audience: text(audience, MAX_EXPRESSION_CHARACTERS),
  }),
};

/** The triggers of automations that nobody asked for. */
const marketing: ReadonlySet<string> = new Set(['schedule', 'label_added', 'contact_created', 'campaign']);

/** What the messages of an automation are for. */
export const purposeOf = (definition: { purpose?: Purpose; trigger: { type: string } }): Purpose =>
  definition.purpose ?? (marketing.has(definition.trigger.type) ? 'marketing' : 'service');

export type StepType = keyof typeof stepParameters;
export type TriggerType = keyof typeof triggerParameters;
export const stepTypes = Object.keys(stepParameters) as StepType[];
export const triggerTypes = Object.keys(triggerParameters) as TriggerType[];
