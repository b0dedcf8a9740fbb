import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { NewEvent } from '../../engine/outbox.ts';
import type { Handle } from '../../providers/adapter.ts';
import { contactEvents } from '../contact.ts';
import { touchContacts } from '../search-text.ts';

const lockSubscriptions = statement<
  [ids: string[], tenantId: string],
  { id: string; is_subscribed: boolean }
>(
  'contacts.lock_subscriptions',
  'select id, is_subscribed from contacts where id = any ($1::uuid[]) and tenant_id = $2 order by id for update',
);
const setOptOuts = statement<
  [tenantId: string, types: string[], values: string[], at: (Date | null)[], now: Date]
>(
  'handles.set_opt_outs',
  `update handles h set opted_out_at = n.at, updated_at = $5
     from unnest($2::text[], $3::text[], $4::timestamptz[]) as n (type, value, at)
    where h.tenant_id = $1 and h.type = n.type and h.value = n.value`,
);
const setSubscribed = statement<[ids: string[], tenantId: string, isSubscribed: boolean]>(
  'contacts.set_subscribed',
  'update contacts set is_subscribed = $3 where id = any ($1::uuid[]) and tenant_id = $2',
);

/** A person asked not to be written to any more, or took that back. */
export interface SubscriptionChange {
  contactId: string;
  /** What they wrote from. */
  handle: Handle;
  subscription: 'stop' | 'start';
  at: Date;
}

/** Does as people ask, in the order in which they asked, and gives what is to be told of it. */
export async function setSubscriptions(
  tx: Tx,
  tenantId: string,
  changes: readonly SubscriptionChange[],
  now: Date,
): Promise<NewEvent[]> {
  if (changes.length === 0) return [];
  const ids = [...new Set(changes.map(({ contactId }) => contactId))];
  const before = await tx.all(lockSubscriptions, [ids, tenantId]);
  const byHandle = new Map(changes.map((change) => [`${change.handle.type} ${change.handle.value}`, change]));
  const last = [...byHandle.values()];
  await tx.run(setOptOuts, [
    tenantId,
    last.map(({ handle }) => handle.type),
    last.map(({ handle }) => handle.value),
    last.map(({ subscription, at }) => (subscription === 'stop' ? at : null)),
    now,
  ]);
  const wanted = new Map(changes.map(({ contactId, subscription }) => [contactId, subscription === 'start']));
  const changedTo = (isSubscribed: boolean): string[] =>
    before
      .filter((row) => wanted.get(row.id) === isSubscribed && row.is_subscribed !== isSubscribed)
      .map((row) => row.id);
  const [gone, back] = [changedTo(false), changedTo(true)];
  if (gone.length > 0) await tx.run(setSubscribed, [gone, tenantId, false]);
  if (back.length > 0) await tx.run(setSubscribed, [back, tenantId, true]);
  await touchContacts(tx, tenantId, [...gone, ...back], now);
  return [
    ...(await contactEvents(tx, tenantId, gone, ['contact.updated', 'contact.unsubscribed'])),
    ...(await contactEvents(tx, tenantId, back, ['contact.updated'])),
  ];
}
