import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../../http/schema.ts';
import { type ChannelKind, channelKinds } from '../../providers/kinds.ts';

/** Marketing never reaches a contact that is unsubscribed; service does, except after STOP by SMS. */
export const purposes = ['marketing', 'service'] as const;
export type Purpose = (typeof purposes)[number];

const subscriptionStatuses = ['subscribed', 'unsubscribed'] as const;
export const consentSources = ['contact', 'vendor', 'complaint', 'link', 'automation', 'api'] as const;

const decision = {
  channelKind: OneOf(channelKinds),
  status: OneOf(subscriptionStatuses),
  source: OneOf(
    consentSources,
    '`contact`: by a word such as STOP; `vendor`: at the vendor; `complaint`: marked as spam; `link`: the link of a mail',
  ),
  at: Timestamp('When it was decided'),
  proof: Nullable(FreeObject('What shows it, such as the id of the message; null if there is nothing')),
};

/** What a contact has decided for a kind of channel, as it is now. */
export const Subscription = Type.Object(decision, { title: 'Subscription' });
export type Subscription = Static<typeof Subscription>;

/** The entries of a contact by kind of channel, as they are stored. */
export type Subscriptions = Partial<Record<ChannelKind, Omit<Subscription, 'channelKind'>>>;

export const Consent = Type.Object(
  { id: Uuid(), contactId: Uuid(), ...decision, createdAt: Timestamp() },
  { title: 'Consent', description: 'A decision of a contact. It never changes' },
);
export type Consent = Static<typeof Consent>;

export const NewConsent = Type.Object({
  channelKinds: Type.Optional(
    Type.Array(OneOf(channelKinds), {
      minItems: 1,
      uniqueItems: true,
      description: 'The kinds of channels that it is about; all of them by default',
    }),
  ),
  status: OneOf(subscriptionStatuses),
  at: Type.Optional(Timestamp('When it was decided, not in the future; now by default')),
  proof: Type.Optional(
    Nullable(FreeObject('What shows it, such as the form and the address, up to 4,096 characters of JSON')),
  ),
});
