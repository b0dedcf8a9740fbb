import type { Step, Trigger } from '@parley/sdk';
import { automationFields } from '../../i18n/en/automation-fields.ts';

/** Every field has a text for its label: a field without one does not compile. */
export type FieldName = keyof typeof automationFields extends `autoField.${infer Name}` ? Name : never;

export const isFieldName = (name: string): name is FieldName =>
  Object.hasOwn(automationFields, `autoField.${name}`);

export type ReferenceKind = 'label' | 'channel' | 'user' | 'team' | 'template' | 'attribute' | 'secret';

/** How a value is entered. */
export type Input =
  /** Liquid. */
  | { kind: 'text'; isLong?: true }
  /** A text without Liquid. */
  | {
      kind:
        | 'plain'
        | 'duration'
        | 'time'
        | 'condition'
        | 'audience'
        | 'recurrence'
        | 'timezone'
        | 'flag'
        | 'file'
        /** Only `true`: that it is chosen says everything. */
        | 'chosen';
    }
  /** The id of a step: chosen with the other ways out of the step. */
  | { kind: 'step' }
  | { kind: 'number'; least: number; most: number }
  | { kind: 'choice'; of: readonly string[] }
  | { kind: 'reference'; to: ReferenceKind; canBeNull?: true }
  /** Short texts as chips. */
  | { kind: 'words'; isLiquid?: true; least: number; most: number }
  /** Liquid by name. */
  | { kind: 'texts' }
  /** Any JSON. */
  | { kind: 'json' }
  /** `isSingleToo`: one value may also be written without a list. */
  | { kind: 'list'; item: ObjectInput; least: number; most: number; isSingleToo?: true }
  | ObjectInput;

export interface FieldInput {
  input: Input;
  isRequired: boolean;
  /** Optional, and shown even if it is empty. Others are added when they are needed. */
  isShown: boolean;
}

export interface ObjectInput {
  kind: 'object';
  fields: Readonly<Partial<Record<FieldName, FieldInput>>>;
  /** Exactly one of these is given. */
  oneOf?: readonly FieldName[];
}

const required = (input: Input): FieldInput => ({ input, isRequired: true, isShown: true });
const shown = (input: Input): FieldInput => ({ input, isRequired: false, isShown: true });
const optional = (input: Input): FieldInput => ({ input, isRequired: false, isShown: false });

const text: Input = { kind: 'text' };
const longText: Input = { kind: 'text', isLong: true };
const flag = optional({ kind: 'flag' });
const refersTo = (to: ReferenceKind): Input => ({ kind: 'reference', to });
const object = (fields: ObjectInput['fields'], oneOf?: readonly FieldName[]): ObjectInput => ({
  kind: 'object',
  fields,
  ...(oneOf === undefined ? {} : { oneOf }),
});
const list = (item: ObjectInput, least: number, most: number): Input => ({ kind: 'list', item, least, most });
const words = (least: number, most: number): Input => ({ kind: 'words', isLiquid: true, least, most });

const file = object({ fileId: optional({ kind: 'file' }), url: optional(text), filename: optional(text) }, [
  'url',
  'fileId',
]);
const media = object({ ...file.fields, mimeType: optional({ kind: 'plain' }) }, ['url', 'fileId']);
const MESSAGE_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'reaction',
  'email',
] as const;
const coordinates = {
  latitude: required({ kind: 'number', least: -90, most: 90 }),
  longitude: required({ kind: 'number', least: -180, most: 180 }),
};
const templateHeader = object(
  {
    ...file.fields,
    location: optional(object({ ...coordinates, name: required(text), address: required(text) })),
  },
  ['url', 'fileId', 'location'],
);

const interactive = object(
  {
    buttons: optional(list(object({ id: required(text), title: required(text) }), 1, 13)),
    list: optional(
      object({
        button: required(text),
        sections: required(
          list(
            object({
              title: shown(text),
              rows: required(
                list(object({ id: required(text), title: required(text), description: shown(text) }), 1, 10),
              ),
            }),
            1,
            10,
          ),
        ),
      }),
    ),
    link: optional(object({ title: required(text), url: required(text) })),
    locationRequest: optional(object({})),
    cards: optional(
      list(
        object({
          title: required(text),
          subtitle: shown(text),
          imageUrl: shown(text),
          url: shown(text),
          buttons: optional(
            list(
              object({ title: required(text), id: optional(text), url: optional(text) }, ['id', 'url']),
              1,
              3,
            ),
          ),
        }),
        1,
        10,
      ),
    ),
    product: optional(object({ catalogId: required(text), productId: required(text) })),
    productList: optional(
      object({
        catalogId: required(text),
        sections: required(list(object({ title: shown(text), productIds: required(words(1, 30)) }), 1, 10)),
      }),
    ),
    catalog: optional(object({ thumbnailProductId: required(text) })),
    flow: optional(
      object(
        {
          flowId: optional(text),
          name: optional(text),
          button: required(text),
          token: optional(text),
          mode: optional({ kind: 'choice', of: ['draft', 'published'] }),
          action: optional({ kind: 'choice', of: ['navigate', 'data_exchange'] }),
          screen: optional(text),
          data: optional({ kind: 'json' }),
        },
        ['flowId', 'name'],
      ),
    ),
    header: optional(object({ text: required(text) })),
    footer: optional(text),
  },
  ['buttons', 'list', 'link', 'locationRequest', 'cards', 'product', 'productList', 'catalog', 'flow'],
);

const contactCard = object({
  name: required(text),
  firstName: optional(text),
  lastName: optional(text),
  organization: optional(text),
  department: optional(text),
  title: optional(text),
  birthday: optional(text),
  phoneNumbers: optional(words(0, 20)),
  emails: optional(words(0, 20)),
  urls: optional(words(0, 20)),
  addresses: optional(
    list(
      object({
        street: shown(text),
        city: shown(text),
        state: shown(text),
        zip: shown(text),
        country: shown(text),
        countryCode: shown(text),
      }),
      0,
      10,
    ),
  ),
});

const channelKind = object({
  channelKind: shown({ kind: 'choice', of: ['whatsapp', 'sms', 'email', 'instagram'] }),
});
const time: Input = { kind: 'time' };
const step: Input = { kind: 'step' };

/** A table for all types of steps, or of triggers, with exactly the fields that the client knows. */
type Table<U extends { type: string; parameters?: object }> = {
  [K in U['type']]: ObjectInput & {
    fields: Record<keyof NonNullable<Extract<U, { type: K }>['parameters']>, FieldInput>;
  };
};

/** How the parameters of every step are entered. A test compares it with the schemas of the API, to any depth. */
export const stepFields = {
  send_message: object({
    text: shown(longText),
    type: optional({ kind: 'choice', of: MESSAGE_TYPES }),
    media: optional({ kind: 'list', item: media, least: 1, most: 20, isSingleToo: true }),
    interactive: optional(interactive),
    email: optional(
      object({ subject: required(text), html: optional(longText), cc: optional(words(0, 50)) }),
    ),
    location: optional(object({ ...coordinates, name: optional(text), address: optional(text) })),
    contacts: optional(list(contactCard, 1, 50)),
    reaction: optional(object({ messageId: optional(text), emoji: required(text) })),
    replyToMessageId: optional(text),
    channelId: optional(refersTo('channel')),
  }),
  send_template: object({
    templateId: required(refersTo('template')),
    variables: shown({ kind: 'texts' }),
    header: optional(templateHeader),
    couponCode: optional(text),
    offerExpiresAt: optional(time),
    cards: optional(list(object({ variables: shown({ kind: 'texts' }), header: optional(file) }), 2, 10)),
  }),
  wait: object(
    { for: optional({ kind: 'duration' }), until: optional(time), untilOpen: optional({ kind: 'chosen' }) },
    ['for', 'until', 'untilOpen'],
  ),
  wait_for_reply: object({ timeout: required({ kind: 'duration' }), onTimeout: optional(step) }),
  branch: object({
    cases: required(list(object({ when: required({ kind: 'condition' }), next: required(step) }), 1, 50)),
    else: optional(step),
  }),
  set_attribute: object({ externalId: required(refersTo('attribute')), value: required(text) }),
  add_label: object({ labelId: required(refersTo('label')) }),
  remove_label: object({ labelId: required(refersTo('label')) }),
  assign: object({
    userId: shown({ kind: 'reference', to: 'user', canBeNull: true }),
    teamId: shown({ kind: 'reference', to: 'team', canBeNull: true }),
    strategy: optional({ kind: 'choice', of: ['round_robin'] }),
    maxOpenChats: optional({ kind: 'number', least: 1, most: 1000 }),
  }),
  set_chat_status: object({
    status: required({ kind: 'choice', of: ['open', 'snoozed', 'closed'] }),
    snoozedUntil: optional(time),
  }),
  http_request: object({
    method: required({ kind: 'choice', of: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }),
    url: required(text),
    headers: optional({ kind: 'texts' }),
    body: optional(longText),
    saveAs: optional({ kind: 'plain' }),
    signWith: optional(refersTo('secret')),
  }),
  subscribe: channelKind,
  unsubscribe: channelKind,
  end: object({}),
} as Table<Step>;

const channel = { channelId: shown(refersTo('channel')) };
const onEvent = { ...channel, fromAutomations: flag };

/** How the parameters of every trigger are entered. */
export const triggerFields = {
  api: object(channel),
  message_received: object({
    keywords: shown({ kind: 'words', least: 1, most: 100 }),
    ...onEvent,
    evenIfAssigned: flag,
  }),
  chat_opened: object({ ...onEvent, evenIfAssigned: flag }),
  chat_closed: object(onEvent),
  contact_created: object(onEvent),
  label_added: object({ labelId: required(refersTo('label')), ...onEvent }),
  campaign: object(channel),
  schedule: object({
    rrule: required({ kind: 'recurrence' }),
    timezone: shown({ kind: 'timezone' }),
    audience: required({ kind: 'audience' }),
    ...channel,
  }),
} as Table<Trigger>;

/** What a field that is added begins with. */
export function initialValue(input: Input): unknown {
  switch (input.kind) {
    case 'object':
      return Object.fromEntries(
        Object.entries(input.fields)
          .filter(([name, field]) => field.isRequired || name === input.oneOf?.[0])
          .map(([name, field]) => [name, initialValue(field.input)]),
      );
    case 'list':
      return Array.from({ length: Math.max(1, input.least) }, () => initialValue(input.item));
    case 'words':
      return [];
    case 'texts':
    case 'json':
      return {};
    case 'flag':
    case 'chosen':
      return true;
    case 'number':
      return Math.max(0, input.least);
    case 'choice':
      return input.of[0];
    case 'duration':
      return 'PT1H';
    default:
      return '';
  }
}
