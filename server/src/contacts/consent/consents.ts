import type { EventType, NewEvent } from '../../base/events.ts';
import { groupBy } from '../../base/group-by.ts';
import { newId } from '../../base/ids.ts';
import { type ParameterOf, rowSet } from '../../db/rows.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { type ChannelKind, channelKinds } from '../../providers/kinds.ts';
import { findContacts, newContactEvents } from '../contact.ts';
import { touchContacts } from '../search-text.ts';
import type { Subscription, Subscriptions } from './schema.ts';
import { isFirstStop, strongerOf } from './stronger.ts';

interface ContactSubscriptions {
  id: string;
  subscriptions: Subscriptions;
}

const lockSubscriptions = statement<[ids: string[]], ContactSubscriptions>(
  'contacts.lock_subscriptions',
  `select id, subscriptions from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant
    order by id for no key update`,
);
const changedContacts = rowSet({ id: 'uuid', subscriptions: 'jsonb', is_subscribed: 'boolean' });
const updateSubscriptions = statement<[contacts: ParameterOf<typeof changedContacts>]>(
  'contacts.set_subscriptions',
  `update visible_contacts c set subscriptions = n.subscriptions, is_subscribed = n.is_subscribed
     from ${changedContacts.from(1, 'n')} where c.id = n.id and c.tenant_id = $tenant`,
);
const newConsents = rowSet({
  id: 'uuid',
  contact_id: 'uuid',
  channel_kind: 'text',
  status: 'text',
  source: 'text',
  proof: 'jsonb?',
  at: 'timestamptz',
});
const insertConsents = statement<[now: Date, consents: ParameterOf<typeof newConsents>]>(
  'consents.insert',
  `insert into consents (id, tenant_id, contact_id, channel_kind, status, source, proof, at, created_at)
   select n.id, $tenant, n.contact_id, n.channel_kind, n.status, n.source, n.proof, n.at, $1
     from ${newConsents.from(2, 'n')}`,
);

/** A decision of a contact about one or several kinds of channels. */
export interface ConsentChange {
  contactId: string;
  channelKinds: readonly ChannelKind[];
  status: Subscription['status'];
  source: Subscription['source'];
  /** `now` counts even if the clock of a vendor that reported the decision before is ahead. */
  at: Date | 'now';
  proof: Record<string, unknown> | null;
}

/** What became of a contact's subscriptions. */
export interface ChangedSubscriptions {
  contactId: string;
  /** The kinds that were subscribed before and no longer are. */
  unsubscribed: ChannelKind[];
  subscribed: ChannelKind[];
}

/** Whether no kind of channel is unsubscribed. */
export const isSubscribed = (subscriptions: Subscriptions): boolean =>
  !Object.values(subscriptions).some(({ status }) => status === 'unsubscribed');

/**
 * Stores decisions in the history of their contacts, in the given order, and what follows from them. One that repeats what is known
 * is not stored again; one that is older or weaker than the known one only goes to the history. Returns the contacts that changed.
 */
export async function storeConsents(
  tx: TenantTx,
  changes: readonly ConsentChange[],
): Promise<ChangedSubscriptions[]> {
  if (changes.length === 0) return [];
  const perContact = groupBy(changes, ({ contactId }) => contactId);
  const rows = await tx.all(lockSubscriptions, [[...perContact.keys()]]);
  const consents: Parameters<typeof newConsents.encode>[0][number][] = [];
  const changed: (ChangedSubscriptions & { subscriptions: Subscriptions })[] = [];
  for (const { id, subscriptions: before } of rows) {
    const subscriptions = { ...before };
    for (const { channelKinds: kinds, status, source, at: given, proof } of perContact.get(id) ?? [])
      for (const kind of kinds) {
        const known = subscriptions[kind];
        const knownAt = known ? new Date(known.at) : tx.now;
        const at = given !== 'now' ? given : knownAt > tx.now ? knownAt : tx.now;
        const decided = { status, source, at: at.toISOString(), proof };
        const repeats = (known?.status ?? 'subscribed') === status && !(known && isFirstStop(known, decided));
        if (repeats && (proof === null || source !== 'api')) continue;
        consents.push({ id: newId(), contact_id: id, channel_kind: kind, status, source, proof, at });
        subscriptions[kind] = known ? strongerOf(known, decided) : decided;
      }
    const isUnsubscribed = (all: Subscriptions, kind: ChannelKind) => all[kind]?.status === 'unsubscribed';
    const unsubscribed = channelKinds.filter(
      (kind) => isUnsubscribed(subscriptions, kind) && !isUnsubscribed(before, kind),
    );
    const subscribed = channelKinds.filter(
      (kind) => isUnsubscribed(before, kind) && !isUnsubscribed(subscriptions, kind),
    );
    if (channelKinds.some((kind) => subscriptions[kind] !== before[kind]))
      changed.push({ contactId: id, unsubscribed, subscribed, subscriptions });
  }
  if (consents.length > 0) tx.enqueue(insertConsents, [tx.now, newConsents.encode(consents)]);
  if (changed.length === 0) return [];
  await tx.run(updateSubscriptions, [
    changedContacts.encode(
      changed.map(({ contactId, subscriptions }) => ({
        id: contactId,
        subscriptions,
        is_subscribed: isSubscribed(subscriptions),
      })),
    ),
  ]);
  return changed;
}

/** Sets all kinds of channels. Returns what that changed, if it changed something. */
export async function storeSubscription(
  tx: TenantTx,
  contactId: string,
  isSubscribed: boolean | undefined,
): Promise<ChangedSubscriptions | undefined> {
  if (isSubscribed === undefined) return undefined;
  const status = isSubscribed ? 'subscribed' : 'unsubscribed';
  const change = { contactId, channelKinds, status, source: 'api', at: 'now', proof: null } as const;
  return (await storeConsents(tx, [change]))[0];
}

/** Which events tell about the kinds of channels that a contact has left or joined again. */
export const subscriptionEvents = ({ unsubscribed, subscribed }: ChangedSubscriptions): EventType[] => [
  ...(unsubscribed.length > 0 ? (['contact.unsubscribed'] as const) : []),
  ...(subscribed.length > 0 ? (['contact.subscribed'] as const) : []),
];

/** The events of contacts whose subscriptions have changed. */
export async function consentEvents(
  tx: TenantTx,
  changed: readonly ChangedSubscriptions[],
): Promise<NewEvent[]> {
  const ids = changed.map(({ contactId }) => contactId);
  await touchContacts(tx, ids);
  const types = new Map(changed.map((one) => [one.contactId, subscriptionEvents(one)]));
  return (await findContacts(tx, ids)).flatMap((contact) =>
    newContactEvents(contact, ['contact.updated', ...(types.get(contact.id) ?? [])]),
  );
}

/** Stores decisions and returns the events to publish. */
export const recordConsents = async (tx: TenantTx, changes: readonly ConsentChange[]): Promise<NewEvent[]> =>
  consentEvents(tx, await storeConsents(tx, changes));
