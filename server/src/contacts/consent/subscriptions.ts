import type { NewEvent } from '../../base/events.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/adapter.ts';
import { contactEvents } from '../contact.ts';
import { storeOptOuts } from '../handles/opt-outs.ts';
import { keyOf } from '../handles/owners.ts';
import { touchContacts } from '../search-text.ts';

const lockSubscriptions = statement<[ids: string[]], { id: string; is_subscribed: boolean }>(
  'contacts.lock_subscriptions',
  `select id, is_subscribed from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant
    order by id for no key update`,
);
const setSubscribed = statement<[ids: string[], isSubscribed: boolean]>(
  'contacts.set_subscribed',
  'update visible_contacts set is_subscribed = $2 where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** A contact asked to receive no more messages, or to receive them again. */
export interface SubscriptionChange {
  contactId: string;
  /** The handle that the request came from. */
  handle: Handle;
  subscription: 'stop' | 'start';
  at: Date;
}

/** Stores opt-outs and opt-ins, of each contact and handle the last one, and returns the events to publish. */
export async function setSubscriptions(
  tx: TenantTx,
  changes: readonly SubscriptionChange[],
): Promise<NewEvent[]> {
  if (changes.length === 0) return [];
  const ids = [...new Set(changes.map(({ contactId }) => contactId))];
  const before = await tx.all(lockSubscriptions, [ids]);
  const byHandle = new Map(changes.map((change) => [keyOf(change.handle), change]));
  await storeOptOuts(
    tx,
    [...byHandle.values()].map(({ handle, subscription, at }) => ({
      handle,
      optedOutAt: subscription === 'stop' ? at : null,
    })),
  );
  const wanted = new Map(changes.map(({ contactId, subscription }) => [contactId, subscription === 'start']));
  const changedTo = (isSubscribed: boolean): string[] =>
    before
      .filter((row) => wanted.get(row.id) === isSubscribed && row.is_subscribed !== isSubscribed)
      .map((row) => row.id);
  const [optedOut, optedIn] = [changedTo(false), changedTo(true)];
  if (optedOut.length > 0) await tx.run(setSubscribed, [optedOut, false]);
  if (optedIn.length > 0) await tx.run(setSubscribed, [optedIn, true]);
  await touchContacts(tx, [...optedOut, ...optedIn]);
  return [
    ...(await contactEvents(tx, optedOut, ['contact.updated', 'contact.unsubscribed'])),
    ...(await contactEvents(tx, optedIn, ['contact.updated'])),
  ];
}
