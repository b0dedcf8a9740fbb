import { type Static, type TObject, Type } from 'typebox';
import { purposes } from '../contacts/consent/schema.ts';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { handleTypes, messageTypes } from '../providers/kinds.ts';
import { Author, OnBehalfOf } from '../users/author.ts';
import { content } from './content-schema.ts';

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
  contentId: Type.Optional(
    Type.String({
      description: 'By which the HTML of a mail names the file: `cid:` and this id. Only if the mail has one',
    }),
  ),
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
