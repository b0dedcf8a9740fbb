import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { templateStatuses } from '../providers/adapter.ts';

export const templateCategories = ['marketing', 'utility', 'authentication'] as const;
export const headerTypes = ['text', 'image', 'video', 'document'] as const;
export const buttonTypes = ['quick_reply', 'url', 'phone_number'] as const;

const Name = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'Unique in its channel and language; on WhatsApp only `a` to `z`, digits and `_`',
});
const Language = Type.String({
  pattern: '^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$',
  description: 'Such as `en` or `en_US`',
});
const Category = OneOf(templateCategories, 'The purpose; `utility` by default');
const Body = Type.String({
  minLength: 1,
  maxLength: 65_536,
  description: 'With variables as `{{name}}` or `{{1}}`; on WhatsApp at most 1024 characters',
});
const Header = Type.Object({
  type: OneOf(headerTypes),
  text: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'The text of a `text` header; may have variables; on WhatsApp at most 60 characters',
      }),
    ),
  ),
  url: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 2000,
        description: 'The default file of the other types; a message may have its own',
      }),
    ),
  ),
});
const Footer = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'Without variables; on WhatsApp at most 60 characters',
});
const Button = Type.Object({
  type: OneOf(buttonTypes),
  text: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Without variables; on WhatsApp at most 25 characters',
  }),
  url: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, description: 'The URL of a `url` button; may have variables' })),
  ),
  phoneNumber: Type.Optional(
    Nullable(
      Type.String({ pattern: '^\\+?[0-9]{3,20}$', description: 'The number of a `phone_number` button' }),
    ),
  ),
});
const Buttons = Type.Array(Button, { maxItems: 25, description: 'On WhatsApp at most 10' });

export const NewMessageTemplate = Type.Object({
  channelId: Uuid(),
  name: Name,
  language: Language,
  category: Type.Optional(Category),
  body: Body,
  header: Type.Optional(Nullable(Header)),
  footer: Type.Optional(Nullable(Footer)),
  buttons: Type.Optional(Buttons),
});
export type NewMessageTemplate = Static<typeof NewMessageTemplate>;

export const MessageTemplateChange = Type.Object({
  channelId: Type.Optional(Uuid('Cannot be changed')),
  name: Type.Optional(Name),
  language: Type.Optional(Language),
  category: Type.Optional(Category),
  body: Type.Optional(Body),
  header: Type.Optional(Nullable(Header)),
  footer: Type.Optional(Nullable(Footer)),
  buttons: Type.Optional(Buttons),
});
export type MessageTemplateChange = Static<typeof MessageTemplateChange>;

const Text = Nullable(Type.String());
const StoredHeader = Type.Object({ type: OneOf(headerTypes), text: Text, url: Text });
const StoredButton = Type.Object({
  type: OneOf(buttonTypes),
  text: Type.String(),
  url: Text,
  phoneNumber: Text,
});
export type TemplateHeader = Static<typeof StoredHeader>;
export type TemplateButton = Static<typeof StoredButton>;

export const MessageTemplate = Type.Object(
  {
    id: Uuid(),
    channelId: Uuid(),
    name: Type.String(),
    language: Type.String(),
    category: OneOf(templateCategories),
    status: OneOf(templateStatuses, 'Only an `approved` template can be sent'),
    rejectionReason: Nullable(Type.String({ description: 'Why the vendor rejected it' })),
    problem: Nullable(
      Type.String({
        description: 'Why it could not be submitted to the vendor yet; it is tried again',
      }),
    ),
    vendorId: Nullable(Type.String({ description: "The vendor's id of the template" })),
    body: Type.String(),
    header: Nullable(StoredHeader),
    footer: Text,
    buttons: Type.Array(StoredButton),
    variables: Type.Array(Type.String(), {
      description: 'The variables of header, body and buttons, each once, in order of appearance',
    }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'MessageTemplate' },
);
export type MessageTemplate = Static<typeof MessageTemplate>;

export const TemplateSync = Type.Object(
  {
    created: Type.Integer({ description: 'How many were new at the vendor' }),
    updated: Type.Integer({ description: 'How many were different at the vendor' }),
    removed: Type.Integer({ description: 'How many the vendor no longer has; they are `disabled` now' }),
    total: Type.Integer({ description: 'How many the channel has now' }),
  },
  { title: 'TemplateSync' },
);
export type TemplateSync = Static<typeof TemplateSync>;
