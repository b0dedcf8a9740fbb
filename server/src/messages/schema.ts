import { type Static, type TObject, Type } from 'typebox';
import { purposes } from '../contacts/consent/schema.ts';
import { FreeObject, MimeType, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { handleTypes, messageTypes } from '../providers/kinds.ts';
import { Author, OnBehalfOf } from '../users/author.ts';

export const senders = ['inbound', 'outbound', 'system'] as const;
export const messageStatuses = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;

const Media = Type.Object({
  fileId: Nullable(Uuid('Null until the file has been fetched from the vendor')),
  url: Nullable(
    Type.String({
      description:
        'Downloads the file without a token. Ends after 7 days, or PARLEY_FILE_URL_TTL, if a customer sent the file or it is private',
    }),
  ),
  mimeType: Nullable(Type.String()),
  filename: Nullable(Type.String()),
  size: Nullable(Type.Integer()),
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      {
        description:
          'Why the file could not be fetched, and will not be; `media_gone`: the vendor no longer has it',
      },
    ),
  ),
});

/** Null in events of sensitive chats. */
const ofPerson = <S extends TObject>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: ['object', 'null'] });
const MessageContact = ofPerson(
  Type.Object({
    id: Uuid(),
    displayName: Type.String(),
    phoneNumber: Nullable(Type.String()),
    email: Nullable(Type.String()),
  }),
);
const MessageHandle = ofPerson(Type.Object({ type: OneOf(handleTypes), value: Type.String() }));

export const Message = Type.Object(
  {
    id: Uuid(),
    chatId: Uuid(),
    channelId: Uuid(),
    contactId: Uuid(),
    contact: MessageContact,
    handle: MessageHandle,
    vendorId: Nullable(Type.String({ description: "The vendor's id of the message" })),
    sender: OneOf(senders),
    author: Author,
    purpose: OneOf(purposes),
    isAutomatic: Type.Boolean({
      description: 'Whether a machine wrote it, such as an out-of-office note. Automations never answer it',
    }),
    type: OneOf(messageTypes),
    text: Nullable(Type.String({ description: 'The text, or the caption of media' })),
    media: Type.Array(Media),
    content: FreeObject('Further content, depending on the type'),
    status: OneOf(messageStatuses),
    error: Type.Unsafe<{ code: string; message: string } | null>({
      type: ['object', 'null'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      required: ['code', 'message'],
    }),
    replyToMessageId: Nullable(Uuid()),
    timestamp: Timestamp('When it was written, by the vendor’s clock'),
    scheduledAt: Nullable(Timestamp('When it is or was to be sent; null if it was not scheduled')),
    editedAt: Nullable(Timestamp('When its author last edited it')),
    deletedAt: Nullable(Timestamp('When its author deleted it; its content is not kept')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Message' },
);
export type Message = Static<typeof Message>;

/** The types that can be sent; the others are only received. */
export const sendableTypes = [
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
  'template',
  'email',
] as const satisfies readonly (typeof messageTypes)[number][];

const MediaInput = Type.Object({
  fileId: Type.Optional(Uuid('An uploaded file')),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The URL of a file that the vendor can fetch',
    }),
  ),
  mimeType: Type.Optional(
    MimeType('The MIME type of the file at `url`, such as `image/png`; by default from its name'),
  ),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export type MediaInput = Static<typeof MediaInput>;

const templateFile = {
  fileId: Type.Optional(Uuid('An uploaded file')),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'The URL of a file' })),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
};
const PlaceText = Type.String({ minLength: 1, maxLength: 1000 });

/** What is in the header of a template: a file, or a place. */
export const TemplateFile = Type.Object(
  {
    ...templateFile,
    location: Type.Optional(
      Type.Object(
        {
          latitude: Type.Number({ minimum: -90, maximum: 90 }),
          longitude: Type.Number({ minimum: -180, maximum: 180 }),
          name: PlaceText,
          address: PlaceText,
        },
        { description: 'The place of a `location` header' },
      ),
    ),
  },
  {
    description:
      'The picture, video or document of its header, instead of the default one of the template; or its place',
  },
);
export type TemplateFile = Static<typeof TemplateFile>;

const Label = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) });
const Choice = Type.Object({ id: Label(256, 'Returned with the choice of the customer'), title: Label(20) });

const Url = Type.String({ minLength: 1, maxLength: 2000, description: 'An http or https URL' });

const Flow = Type.Object(
  {
    flowId: Type.Optional(Label(256, 'The flow; or give its `name`')),
    name: Type.Optional(Label(200)),
    button: Label(30, 'The text of the button that opens the flow'),
    token: Type.Optional(Label(1024, 'Returned with the answer; the id of the message by default')),
    mode: Type.Optional(OneOf(['draft', 'published'], '`published` by default')),
    action: Type.Optional(
      OneOf(
        ['navigate', 'data_exchange'],
        '`navigate` by default; with `data_exchange` its endpoint decides',
      ),
    ),
    screen: Type.Optional(Label(200, 'The first screen; by default the first one of the flow')),
    data: Type.Optional(FreeObject('What the first screen gets, up to 16,384 characters of JSON')),
  },
  { description: 'A form of several screens; on WhatsApp' },
);

const Interactive = Type.Object({
  header: Type.Optional(
    Type.Object(
      { text: Label(60) },
      { description: 'Above the text; or give one file in `media` with buttons' },
    ),
  ),
  footer: Type.Optional(Label(60, 'Below the text')),
  buttons: Type.Optional(
    Type.Array(Choice, {
      minItems: 1,
      maxItems: 13,
      description: 'On WhatsApp up to 3 buttons, on Instagram up to 13 quick replies',
    }),
  ),
  list: Type.Optional(
    Type.Object({
      button: Label(20, 'The text of the button that opens the list'),
      sections: Type.Array(
        Type.Object({
          title: Type.Optional(Label(24)),
          rows: Type.Array(
            Type.Object({
              id: Label(200, 'Returned with the choice of the customer'),
              title: Label(24),
              description: Type.Optional(Label(72)),
            }),
            { minItems: 1, maxItems: 10 },
          ),
        }),
        { minItems: 1, maxItems: 10 },
      ),
    }),
  ),
  link: Type.Optional(
    Type.Object(
      { title: Label(20, 'The text of the button'), url: Url },
      { description: 'A button that opens a page; on WhatsApp and Instagram' },
    ),
  ),
  flow: Type.Optional(Flow),
  product: Type.Optional(
    Type.Object(
      { catalogId: Label(256), productId: Label(256, 'The id in the catalogue that the retailer gave it') },
      { description: 'One product of the catalogue; on WhatsApp' },
    ),
  ),
  productList: Type.Optional(
    Type.Object(
      {
        catalogId: Label(256),
        sections: Type.Array(
          Type.Object({
            title: Type.Optional(Label(24, 'Required if there are several sections')),
            productIds: Type.Array(Label(256), { minItems: 1, maxItems: 30 }),
          }),
          { minItems: 1, maxItems: 10 },
        ),
      },
      { description: 'Up to 30 products of the catalogue; needs a header; on WhatsApp' },
    ),
  ),
  catalog: Type.Optional(
    Type.Object(
      { thumbnailProductId: Label(256, 'The product whose picture is shown') },
      { description: 'A button that opens the whole catalogue; on WhatsApp' },
    ),
  ),
  locationRequest: Type.Optional(
    Type.Object({}, { description: 'A button by which the contact sends its location; on WhatsApp' }),
  ),
  cards: Type.Optional(
    Type.Array(
      Type.Object({
        title: Label(80),
        subtitle: Type.Optional(Label(80)),
        imageUrl: Type.Optional(Url),
        url: Type.Optional(Url),
        buttons: Type.Optional(
          Type.Array(
            Type.Object({
              title: Label(20),
              id: Type.Optional(Label(256, 'Returned with the choice of the customer; or give `url`')),
              url: Type.Optional(Url),
            }),
            { minItems: 1, maxItems: 3 },
          ),
        ),
      }),
      { minItems: 1, maxItems: 10, description: 'Cards side by side, without a text; on Instagram' },
    ),
  ),
});

const Text = (maxLength: number) => Type.Optional(Label(maxLength));
const ContactCard = Type.Object({
  name: Label(255, 'The whole name, as it is shown'),
  firstName: Text(255),
  lastName: Text(255),
  organization: Text(255),
  department: Text(255),
  title: Text(255),
  birthday: Type.Optional(
    Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'As 1815-12-10' }),
  ),
  phoneNumbers: Type.Optional(Type.Array(Label(50), { maxItems: 20 })),
  emails: Type.Optional(Type.Array(Label(254), { maxItems: 20 })),
  urls: Type.Optional(Type.Array(Url, { maxItems: 20 })),
  addresses: Type.Optional(
    Type.Array(
      Type.Object({
        street: Text(255),
        city: Text(255),
        state: Text(255),
        zip: Text(50),
        country: Text(255),
        countryCode: Text(10),
      }),
      { maxItems: 10 },
    ),
  ),
});

const content = {
  type: Type.Optional(OneOf(sendableTypes, 'By default from the other parameters')),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500_000,
      description: 'The text, or the caption of media',
    }),
  ),
  media: Type.Optional(
    Type.Union([MediaInput, Type.Array(MediaInput, { minItems: 1, maxItems: 100 })], {
      description: 'One or several files, each by `fileId` or by `url`',
    }),
  ),
  template: Type.Optional(
    Type.Object({
      templateId: Uuid(),
      variables: Type.Optional(FreeObject('A text for each variable of the template')),
      header: Type.Optional(TemplateFile),
      couponCode: Type.Optional(
        Type.String({ minLength: 1, maxLength: 20, description: 'For a `copy_code` button' }),
      ),
      offerExpiresAt: Type.Optional(Timestamp('When the offer of the template ends: in the future')),
      cards: Type.Optional(
        Type.Array(
          Type.Object({
            variables: Type.Optional(FreeObject('A text for each variable of the card')),
            header: Type.Optional(Type.Object(templateFile)),
          }),
          {
            minItems: 2,
            maxItems: 10,
            description: 'For each card of a carousel its variables and its file',
          },
        ),
      ),
    }),
  ),
  interactive: Type.Optional(Interactive),
  reaction: Type.Optional(
    Type.Object({
      messageId: Uuid('A message of the same chat'),
      emoji: Type.String({ maxLength: 32, description: 'Empty removes the reaction' }),
    }),
  ),
  location: Type.Optional(
    Type.Object({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      name: Type.Optional(Label(1000)),
      address: Type.Optional(Label(1000)),
    }),
  ),
  contacts: Type.Optional(
    Type.Array(ContactCard, { minItems: 1, maxItems: 50, description: 'Cards of contacts; on WhatsApp' }),
  ),
  email: Type.Optional(
    Type.Object({
      subject: Label(998),
      html: Type.Optional(Type.String({ minLength: 1, maxLength: 500_000 })),
      cc: Type.Optional(Type.Array(Label(254), { maxItems: 50 })),
    }),
  ),
  replyToMessageId: Type.Optional(Uuid('A message of the same chat')),
  purpose: Type.Optional(
    OneOf(purposes, '`service` by default. `marketing` is refused if the contact is unsubscribed'),
  ),
  scheduledAt: Type.Optional(Timestamp('When it is to be sent: in the future, at most a year ahead')),
};

/** The parts whose texts automations render: they are checked again when a run sends them. */
export const RenderedParts = Type.Object({ interactive: content.interactive, contacts: content.contacts });

/** A message to an existing chat. */
export const NewChatMessage = Type.Object({ ...content, ...OnBehalfOf });
export type NewChatMessage = Static<typeof NewChatMessage>;

export const NewMessage = Type.Object({
  channelId: Uuid(),
  contactId: Type.Optional(Uuid('The recipient')),
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Instead of `contactId`: a phone number, email address or Instagram id, depending on the kind of channel; an unknown recipient becomes a contact',
    }),
  ),
  ...content,
  ...OnBehalfOf,
});
export type NewMessage = Static<typeof NewMessage>;
