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
    scheduledAt: Nullable(Timestamp('When it is to be sent, where that was asked for')),
    editedAt: Nullable(Timestamp('When whoever wrote it last changed it')),
    deletedAt: Nullable(Timestamp('When whoever wrote it took it back: then it says nothing any more')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Message' },
);
export type Message = Static<typeof Message>;
