import { type Static, Type } from 'typebox';
import { ExternalId } from '../attributes/schema.ts';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { channelKinds, handleTypes } from '../providers/kinds.ts';
import { MAX_VALUE_LENGTH } from './attributes/values.ts';
import { Subscription } from './consent/schema.ts';
import { MAX_HANDLES } from './handles/validate.ts';

export const Handle = Type.Object(
  {
    id: Uuid(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    type: OneOf(handleTypes),
    isPrimary: Type.Boolean({
      description: 'Whether it is the one of its type that the contact shows as `phoneNumber` or `email`',
    }),
    value: Type.String({ description: 'Phone numbers as E.164' }),
    extra: FreeObject('Details from the vendor, such as a profile name'),
    undeliverable: Type.Array(
      Type.Object({ channelKind: OneOf(channelKinds), reason: Type.String(), at: Timestamp() }),
      {
        description:
          'Over which kinds of channels nothing can be delivered to it, and why. Nothing is sent there',
      },
    ),
    hasChats: Type.Boolean(),
  },
  { title: 'Handle' },
);
export type Handle = Static<typeof Handle>;

const LANGUAGE = 'In which dates are written for the contact; a tag such as `de` or `pt-BR`';
const TIMEZONE = 'In which times are written for the contact; a name such as `Europe/Berlin`';

export const Contact = Type.Object(
  {
    id: Uuid(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    firstName: Nullable(Type.String()),
    lastName: Nullable(Type.String()),
    fullName: Type.String({ description: 'First and last name; empty if neither is known' }),
    displayName: Type.String({
      description: 'The full name, or else the phone number, the email or another handle',
    }),
    language: Nullable(Type.String({ description: LANGUAGE })),
    timezone: Nullable(Type.String({ description: TIMEZONE })),
    isSubscribed: Type.Boolean({
      description: 'False while the contact is unsubscribed from one kind of channel or several',
    }),
    subscriptions: Type.Array(Subscription, {
      description:
        'What the contact has decided, per kind of channel. One that is missing counts as subscribed',
    }),
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
    metadata: FreeObject('Data that the client stores with the contact, returned unchanged'),
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
      description: 'Whether it is the primary handle of its type; if none is, the first one becomes primary',
    }),
  ),
});
const GivenAttribute = Type.Object({
  externalId: Type.Optional(Type.String({ maxLength: 100, description: 'The attribute; or give its `id`' })),
  id: Type.Optional(Uuid()),
  value: Type.Unsafe<string | number | boolean | null>({
    type: ['string', 'number', 'boolean', 'null'],
    maxLength: MAX_VALUE_LENGTH,
    description: 'A value of the type of the attribute; null removes it',
  }),
});

/** The fields to create and update a contact; all are optional. */
export const ContactFields = Type.Object({
  firstName: Type.Optional(Nullable(Name)),
  lastName: Type.Optional(Nullable(Name)),
  language: Type.Optional(Nullable(Type.String({ maxLength: 35, description: LANGUAGE }))),
  timezone: Type.Optional(Nullable(Type.String({ maxLength: 64, description: TIMEZONE }))),
  phoneNumber: Type.Optional(Nullable(PhoneNumber)),
  email: Type.Optional(Nullable(Email)),
  handles: Type.Optional(
    Type.Array(GivenHandle, {
      maxItems: MAX_HANDLES,
      description: 'All handles of the contact; replaces the earlier list',
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.Object({ id: Uuid() }), { maxItems: 1000, description: 'Replaces the earlier list' }),
  ),
  attributes: Type.Optional(
    Type.Array(GivenAttribute, {
      maxItems: 1000,
      description: 'Merged: attributes that are left out stay as they are',
    }),
  ),
  isSubscribed: Type.Optional(
    Type.Boolean({
      description:
        'Subscribes to all kinds of channels, or unsubscribes from all of them; true for a new contact',
    }),
  ),
  metadata: Type.Optional(
    Nullable(FreeObject('Data of the client to store with the contact, up to 16,384 characters of JSON')),
  ),
});

/** A contact of a list that is merged into the existing contacts, as campaigns have it. */
export const ContactItem = Type.Object({
  firstName: Type.Optional(Nullable(Name)),
  lastName: Type.Optional(Nullable(Name)),
  email: Type.Optional(Nullable(Email)),
  phoneNumber: Type.Optional(Nullable(PhoneNumber)),
  attributes: Type.Optional(
    Type.Array(Type.Object({ externalId: ExternalId, value: Type.String({ maxLength: MAX_VALUE_LENGTH }) }), {
      maxItems: 200,
      description: 'Values by the `externalId` of their attribute',
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }), {
      maxItems: 200,
      description: 'By name, not case-sensitive; a missing label is created',
    }),
  ),
});
export type ContactItem = Static<typeof ContactItem>;
