import { type Static, Type } from 'typebox';
import { ExternalId } from '../attributes/schema.ts';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { handleTypes } from '../providers/adapter.ts';
import { LONGEST_VALUE } from './attribute-values.ts';

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

const Name = Type.String({ maxLength: 255 });
const PhoneNumber = Type.String({
  maxLength: 255,
  description: 'With + and the country code, such as `+15550001111`',
});
const Email = Type.String({ maxLength: 255 });

const GivenHandle = Type.Object({
  type: OneOf(handleTypes),
  value: Type.String({ maxLength: 1000 }),
  isPrimary: Type.Optional(
    Type.Boolean({
      description: 'Whether the contact shows this one of its type; the first, when none is said to be',
    }),
  ),
});
const GivenAttribute = Type.Object({
  externalId: Type.Optional(Type.String({ maxLength: 100, description: 'Which attribute; or its `id`' })),
  id: Type.Optional(Uuid()),
  value: Type.Unsafe<string | number | boolean | null>({
    type: ['string', 'number', 'boolean', 'null'],
    maxLength: LONGEST_VALUE,
    description: 'Fitting the type of the attribute; null takes the value away',
  }),
});

/** What a contact is made and changed with: every field is optional in both. */
export const ContactFields = Type.Object({
  firstName: Type.Optional(Nullable(Name)),
  lastName: Type.Optional(Nullable(Name)),
  phoneNumber: Type.Optional(Nullable(PhoneNumber)),
  email: Type.Optional(Nullable(Email)),
  handles: Type.Optional(
    Type.Array(GivenHandle, {
      maxItems: 100,
      description: 'Every way to reach the person; replaces the list before',
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.Object({ id: Uuid() }), { maxItems: 1000, description: 'Replaces the list before' }),
  ),
  attributes: Type.Optional(
    Type.Array(GivenAttribute, {
      maxItems: 1000,
      description: 'Merged: attributes that are not named stay as they are',
    }),
  ),
  isSubscribed: Type.Optional(
    Type.Boolean({ description: 'False once the person opted out; true when left out' }),
  ),
  metadata: Type.Optional(
    Nullable(
      FreeObject('Whatever the client wants to keep with the contact, up to 16,384 characters of JSON'),
    ),
  ),
});

/** A person in a list that is merged into the contacts, as broadcasts bring them. */
export const ContactItem = Type.Object({
  firstName: Type.Optional(Nullable(Name)),
  lastName: Type.Optional(Nullable(Name)),
  email: Type.Optional(Nullable(Email)),
  phoneNumber: Type.Optional(Nullable(PhoneNumber)),
  attributes: Type.Optional(
    Type.Array(Type.Object({ externalId: ExternalId, value: Type.String({ maxLength: LONGEST_VALUE }) }), {
      maxItems: 200,
      description: 'Values by the `externalId` of their attribute',
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }), {
      maxItems: 200,
      description: 'By name, whatever the case; a label that is not there is made',
    }),
  ),
});
export type ContactItem = Static<typeof ContactItem>;
