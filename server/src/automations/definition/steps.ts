import { Type } from 'typebox';
import { chatStatuses } from '../../chats/schema.ts';
import { Nullable, OneOf } from '../../http/schema.ts';
import { MAX_EXPRESSION_CHARACTERS } from '../../search/grammar/tokens.ts';
import { MAX_TEMPLATE_CHARACTERS } from './liquid.ts';
import { MAX_RULE_CHARACTERS } from './recurrence.ts';
import {
  atLeastOne,
  audience,
  condition,
  duration,
  exactlyOne,
  headers,
  headerValue,
  recurrenceRule,
  refersTo,
  snooze,
  step,
  template,
  time,
  url,
  zone,
} from './rules.ts';
import { type ReferenceKind, RULE, type Rule } from './schema-walker.ts';

/** Names that a definition declares and that its texts and conditions use. */
export const NAME = '^(?!constructor$)[A-Za-z][A-Za-z0-9_]{0,63}$';
export const MAX_STEP_ID = 64;
const MAX_URL = 2048;

const text = (rule: Rule<string>, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, [RULE]: rule });
const liquid = () => text(template, MAX_TEMPLATE_CHARACTERS);
const id = (kind: ReferenceKind) => Type.String({ format: 'uuid', [RULE]: refersTo(kind) });
const stepId = () => text(step, MAX_STEP_ID);
const attribute = () => Type.String({ minLength: 1, maxLength: 100, [RULE]: refersTo('attribute') });

/** Liquid by name: headers, or the variables of a template. */
const texts = (rule: Rule<string>, ruleOfNames: Rule<object> = () => {}) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 50,
    additionalProperties: Type.String({ maxLength: MAX_TEMPLATE_CHARACTERS, [RULE]: rule }),
    [RULE]: ruleOfNames,
  });

/** Every type of step with the schema and the rules of its parameters. */
export const stepParameters = {
  send_message: Type.Object(
    {
      text: Type.Optional(liquid()),
      media: Type.Optional(
        Type.Object(
          { fileId: Type.Optional(id('file')), url: Type.Optional(text(url, MAX_URL)) },
          { [RULE]: exactlyOne('fileId', 'url') },
        ),
      ),
      channelId: Type.Optional(id('channel')),
    },
    { [RULE]: atLeastOne('text', 'media') },
  ),
  send_template: Type.Object({ templateId: id('template'), variables: Type.Optional(texts(template)) }),
  wait: Type.Object(
    { for: Type.Optional(text(duration, 64)), until: Type.Optional(text(time, MAX_TEMPLATE_CHARACTERS)) },
    { [RULE]: exactlyOne('for', 'until') },
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
    { userId: Type.Optional(Nullable(id('user'))), teamId: Type.Optional(Nullable(id('team'))) },
    { [RULE]: atLeastOne('userId', 'teamId') },
  ),
  set_chat_status: Type.Object(
    { status: OneOf(chatStatuses), snoozedUntil: Type.Optional(text(time, MAX_TEMPLATE_CHARACTERS)) },
    { [RULE]: snooze },
  ),
  http_request: Type.Object({
    method: OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: text(url, MAX_URL),
    headers: Type.Optional(texts(headerValue, headers)),
    body: Type.Optional(Type.String({ maxLength: MAX_TEMPLATE_CHARACTERS, [RULE]: template })),
    saveAs: Type.Optional(Type.String({ pattern: NAME })),
  }),
  end: Type.Object({}),
};

const channel = { channelId: Type.Optional(id('channel')) };
/** Triggers that react to events. With `fromAutomations` they also react to what other runs did. */
const onEvent = { ...channel, fromAutomations: Type.Optional(Type.Boolean()) };

/** Every type of trigger with the schema and the rules of its parameters. */
export const triggerParameters = {
  api: Type.Object(channel),
  message_received: Type.Object({
    ...onEvent,
    keywords: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 }),
    ),
  }),
  chat_opened: Type.Object(onEvent),
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

export type StepType = keyof typeof stepParameters;
export type TriggerType = keyof typeof triggerParameters;
export const stepTypes = Object.keys(stepParameters) as StepType[];
export const triggerTypes = Object.keys(triggerParameters) as TriggerType[];
