import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { messageTypes } from '../providers/adapter.ts';

export const senders = ['inbound', 'outbound', 'system'] as const;
export const authors = ['contact', 'user', 'automation', 'campaign', 'api'] as const;
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
    vendorId: Nullable(Type.String({ description: "The vendor's own id of the message" })),
    sender: OneOf(senders),
    author: OneOf(authors),
    type: OneOf(messageTypes),
    text: Nullable(Type.String({ description: 'The text, or the caption of what is not text' })),
    media: Type.Array(Media),
    content: FreeObject('What the type carries beside text and media'),
    status: OneOf(messageStatuses),
    error: Type.Unsafe<{ code: string; message: string } | null>({
      type: ['object', 'null'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      required: ['code', 'message'],
    }),
    replyToMessageId: Nullable(Uuid()),
    timestamp: Timestamp('When it was written, by the vendor’s clock'),
    scheduledAt: Nullable(Timestamp('When it is to go out, or was, where that was not at once')),
    editedAt: Nullable(Timestamp('When its writer changed it')),
    deletedAt: Nullable(Timestamp('When its writer took it back; nothing that it said is kept')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Message' },
);
export type Message = Static<typeof Message>;

/** What can be sent: the rest of the types only ever comes in. */
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
      description: 'A file that is elsewhere, where the vendor can get it',
    }),
  ),
  mimeType: Type.Optional(
    Type.String({ maxLength: 255, description: 'Of what is elsewhere; left out: what its name tells' }),
  ),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export type MediaInput = Static<typeof MediaInput>;

const Label = (most: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: most, ...(description === undefined ? {} : { description }) });
const Choice = Type.Object({ id: Label(256, 'Comes back with the answer'), title: Label(20) });

const Interactive = Type.Object({
  buttons: Type.Optional(Type.Array(Choice, { minItems: 1, maxItems: 3 })),
  list: Type.Optional(
    Type.Object({
      button: Label(20, 'What opens the list'),
      sections: Type.Array(
        Type.Object({
          title: Type.Optional(Label(24)),
          rows: Type.Array(
            Type.Object({
              id: Label(200, 'Comes back with the answer'),
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
  type: Type.Optional(OneOf(sendableTypes, 'Left out: what the rest makes it')),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500_000,
      description: 'The text, or the caption of what is not text',
    }),
  ),
  media: Type.Optional(
    Type.Union([MediaInput, Type.Array(MediaInput, { minItems: 1, maxItems: 100 })], {
      description: 'One file, or several, each by `fileId` or by `url`',
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
      emoji: Type.String({ maxLength: 32, description: 'Empty takes the reaction back' }),
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
  scheduledAt: Type.Optional(Timestamp('When it is to go out: in the future, at most a year ahead')),
};

/** A message to a chat that is known. */
export const NewChatMessage = Type.Object(content);
export type NewChatMessage = Static<typeof NewChatMessage>;

export const NewMessage = Type.Object({
  channelId: Uuid(),
  contactId: Type.Optional(Uuid('Whom it is for')),
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Instead of a contact: a phone number, an email address, an Instagram id, by the kind of the channel; somebody new becomes a contact',
    }),
  ),
  ...content,
});
export type NewMessage = Static<typeof NewMessage>;
