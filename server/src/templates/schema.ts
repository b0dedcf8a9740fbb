import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { templateQualities, templateStatuses } from '../providers/vendor-template.ts';

export const templateCategories = ['marketing', 'utility', 'authentication'] as const;
export const headerTypes = ['text', 'image', 'video', 'document', 'location'] as const;
export const buttonTypes = [
  'quick_reply',
  'url',
  'phone_number',
  'copy_code',
  'otp',
  'flow',
  'catalog',
] as const;
const otpTypes = ['copy_code', 'one_tap', 'zero_tap'] as const;

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
  description:
    'With variables as `{{name}}` or `{{1}}`; on WhatsApp at most 1024 characters. With an `otp` button WhatsApp writes it, with the code as `{{1}}`: leave it out',
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
        description: 'The default file of an image, video or document; a message may have its own',
      }),
    ),
  ),
});
const Footer = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'Without variables; on WhatsApp at most 60 characters',
});
const Otp = Type.Object(
  {
    type: OneOf(otpTypes, 'The contact copies the code, taps once to fill it in, or does nothing'),
    autofillText: Type.Optional(
      Type.String({ minLength: 1, maxLength: 25, description: 'Not with `copy_code`' }),
    ),
    apps: Type.Optional(
      Type.Array(
        Type.Object({
          packageName: Type.String({ minLength: 1, maxLength: 224 }),
          signatureHash: Type.String({ minLength: 11, maxLength: 11 }),
        }),
        {
          minItems: 1,
          maxItems: 5,
          description: 'The Android apps that get the code; required unless `copy_code`',
        },
      ),
    ),
  },
  { description: 'Of an `otp` button: how the one-time password gets into the app' },
);
const ButtonFlow = Type.Object(
  {
    flowId: Type.String({ minLength: 1, maxLength: 256 }),
    action: Type.Optional(OneOf(['navigate', 'data_exchange'], '`navigate` by default')),
    screen: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'The first screen' })),
  },
  { description: 'Of a `flow` button' },
);
const Code = Type.String({ minLength: 1, maxLength: 20, description: 'Of a `copy_code` button: an example' });
const special = { code: Type.Optional(Code), otp: Type.Optional(Otp), flow: Type.Optional(ButtonFlow) };

const Button = Type.Object({
  type: OneOf(buttonTypes, 'Those after `phone_number` exist on WhatsApp only'),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Without variables; on WhatsApp at most 25 characters. May be left out for `copy_code` and `otp`',
    }),
  ),
  url: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, description: 'The URL of a `url` button; may have variables' })),
  ),
  phoneNumber: Type.Optional(
    Nullable(
      Type.String({ pattern: '^\\+?[0-9]{3,20}$', description: 'The number of a `phone_number` button' }),
    ),
  ),
  ...special,
});
const Buttons = Type.Array(Button, { maxItems: 25, description: 'On WhatsApp at most 10' });

const CardHeader = Type.Object({
  type: OneOf(['image', 'video']),
  url: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, description: 'The default file; a message may have its own' })),
  ),
});
const Cards = Type.Array(
  Type.Object({
    header: CardHeader,
    body: Type.Optional(
      Nullable(
        Type.String({ minLength: 1, maxLength: 160, description: 'Its variables belong to this card' }),
      ),
    ),
    buttons: Type.Array(Button, { minItems: 1, maxItems: 2 }),
  }),
  {
    minItems: 2,
    maxItems: 10,
    description: 'A carousel, on WhatsApp: cards side by side, all with the same kinds of parts',
  },
);
const Offer = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 16 }),
    hasExpiration: Type.Optional(
      Type.Boolean({ description: 'Whether a countdown is shown; a message then needs `offerExpiresAt`' }),
    ),
  },
  { description: 'A limited-time offer, on WhatsApp; only for marketing and without a footer' },
);
const Authentication = Type.Object(
  {
    hasSecurityRecommendation: Type.Optional(
      Type.Boolean({ description: 'Whether WhatsApp adds not to share the code' }),
    ),
    codeExpirationMinutes: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 90, description: 'WhatsApp adds when the code ends' })),
    ),
  },
  { description: 'What WhatsApp writes around a one-time password; only with an `otp` button' },
);
const specialParts = {
  cards: Type.Optional(Nullable(Cards)),
  offer: Type.Optional(Nullable(Offer)),
  authentication: Type.Optional(Nullable(Authentication)),
};

export const NewMessageTemplate = Type.Object({
  channelId: Uuid(),
  name: Name,
  language: Language,
  category: Type.Optional(Category),
  body: Type.Optional(Body),
  header: Type.Optional(Nullable(Header)),
  footer: Type.Optional(Nullable(Footer)),
  buttons: Type.Optional(Buttons),
  ...specialParts,
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
  ...specialParts,
});
export type MessageTemplateChange = Static<typeof MessageTemplateChange>;

const Text = Nullable(Type.String());
const StoredHeader = Type.Object({ type: OneOf(headerTypes), text: Text, url: Text });
const StoredButton = Type.Object({
  type: OneOf(buttonTypes),
  text: Type.String(),
  url: Text,
  phoneNumber: Text,
  ...special,
});
const StoredCard = Type.Object({
  header: Type.Object({ type: OneOf(['image', 'video']), url: Text }),
  body: Text,
  buttons: Type.Array(StoredButton),
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
    quality: Type.Unsafe<(typeof templateQualities)[number] | null>({
      type: ['string', 'null'],
      enum: [...templateQualities, null],
      description: 'How recipients react to it, as the vendor says; null as long as the vendor says nothing',
    }),
    vendorId: Nullable(Type.String({ description: "The vendor's id of the template" })),
    body: Type.String(),
    header: Nullable(StoredHeader),
    footer: Text,
    buttons: Type.Array(StoredButton),
    cards: Nullable(Type.Array(StoredCard)),
    offer: Nullable(Type.Object({ text: Type.String(), hasExpiration: Type.Boolean() })),
    authentication: Nullable(
      Type.Object({
        hasSecurityRecommendation: Type.Boolean(),
        codeExpirationMinutes: Nullable(Type.Integer()),
      }),
    ),
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
    leftOut: Type.Array(
      Type.Object({ name: Type.String(), language: Type.String(), reason: Type.String() }),
      { description: 'Templates at the vendor that cannot be used here, and why; the first 100' },
    ),
    leftOutTotal: Type.Integer(),
  },
  { title: 'TemplateSync' },
);
export type TemplateSync = Static<typeof TemplateSync>;
