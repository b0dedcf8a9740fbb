import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';

export const handleTypes = ['phone_number', 'email', 'instagram_id', 'whatsapp_id'] as const;
export type HandleType = (typeof handleTypes)[number];

export const Handle = Type.Object(
  {
    id: Uuid(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    type: OneOf(handleTypes),
    isPrimary: Type.Boolean({ description: 'Whether it is the one of its type that the contact shows' }),
    value: Type.String({ description: 'Phone numbers as E.164' }),
    extra: FreeObject('What the vendor told about it, such as a profile name'),
    hasChats: Type.Boolean(),
  },
  { title: 'Handle' },
);
export type Handle = Static<typeof Handle>;

export const Contact = Type.Object(
  {
    id: Uuid(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    firstName: Nullable(Type.String()),
    lastName: Nullable(Type.String()),
    fullName: Type.String({ description: 'First and last name; empty when neither is known' }),
    displayName: Type.String({ description: 'The full name, else the phone number, the email, any handle' }),
    isSubscribed: Type.Boolean({ description: 'False once the person opted out' }),
    handles: Type.Array(Handle),
    labels: Type.Array(Type.Object({ id: Uuid(), name: Type.String(), color: Nullable(Type.String()) })),
    attributes: Type.Array(
      Type.Object({
        id: Uuid(),
        externalId: Type.String(),
        name: Type.String(),
        type: Type.String(),
        value: Type.String(),
      }),
    ),
    phoneNumber: Nullable(Type.String()),
    email: Nullable(Type.String()),
    chats: Type.Array(
      Type.Object({ id: Uuid(), channelId: Uuid(), status: Type.String(), updatedAt: Timestamp() }),
    ),
    metadata: FreeObject('What the client keeps with the contact, given back untouched'),
  },
  { title: 'Contact' },
);
export type Contact = Static<typeof Contact>;
