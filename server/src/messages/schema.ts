import { type Static, Type } from 'typebox';
import { FreeObject, MimeType, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { messageTypes } from '../providers/adapter.ts';

export const senders = ['inbound', 'outbound', 'system'] as const;
const authors = ['contact', 'user', 'automation', 'campaign', 'api'] as const;
export const messageStatuses = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;

const Media = Type.Object({
  fileId: Nullable(Uuid('Null until the file has been fetched from the vendor')),
  url: Nullable(Type.String()),
  mimeType: Nullable(Type.String()),
  filename: Nullable(Type.String()),
  size: Nullable(Type.Integer()),
});

export const Message = Type.Object(
  {
    id: Uuid(),
    chatId: Uuid(),
    channelId: Uuid(),
    contactId: Uuid(),
    vendorId: Nullable(Type.String({ description: "The vendor's id of the message" })),
    sender: OneOf(senders),
    author: OneOf(authors),
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

const Label = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) });
const Choice = Type.Object({ id: Label(256, 'Returned with the choice of the customer'), title: Label(20) });

const Interactive = Type.Object({
  buttons: Type.Optional(Type.Array(Choice, { minItems: 1, maxItems: 3 })),
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
  email: Type.Optional(
    Type.Object({
      subject: Label(998),
      html: Type.Optional(Type.String({ minLength: 1, maxLength: 500_000 })),
      cc: Type.Optional(Type.Array(Label(254), { maxItems: 50 })),
    }),
  ),
  replyToMessageId: Type.Optional(Uuid('A message of the same chat')),
  scheduledAt: Type.Optional(Timestamp('When it is to be sent: in the future, at most a year ahead')),
};

/** A message to an existing chat. */
export const NewChatMessage = Type.Object(content);
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
});
export type NewMessage = Static<typeof NewMessage>;
