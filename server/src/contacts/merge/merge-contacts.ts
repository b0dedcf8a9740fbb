import { moveUnfinishedRuns } from '../../automations/runs/move-runs.ts';
import { ApiError } from '../../base/errors.ts';
import { isUuid, newId } from '../../base/ids.ts';
import { moveRecipients } from '../../campaigns/move-recipients.ts';
import { mergeChats, moveChats } from '../../chats/merge-chats.ts';
import { removalStatement, statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { moveNewEvents } from '../../engine/move-events.ts';
import { stopNumbering } from '../../engine/sequencer.ts';
import { startRemoval } from '../../jobs/job.ts';
import { hasManyRows, removeNow } from '../../jobs/removal-steps.ts';
import type { Handle } from '../../providers/kinds.ts';
import { recountContact } from '../../reports/marks.ts';
import { isSubscribed } from '../consent/consents.ts';
import { moveConsents } from '../consent/move.ts';
import type { Subscriptions } from '../consent/schema.ts';
import { combineSubscriptions } from '../consent/stronger.ts';
import { requireContact } from '../contact.ts';
import { lockHandles } from '../handles/lock.ts';
import { moveHandles } from '../handles/move.ts';
import { touchContacts } from '../search-text.ts';
import type { MergedContacts } from './schema.ts';

interface LockedContact {
  id: string;
  first_name: string | null;
  last_name: string | null;
  language: string | null;
  timezone: string | null;
  metadata: Record<string, unknown>;
  subscriptions: Subscriptions;
}

const lockBoth = statement<[ids: string[]], LockedContact>(
  'contacts.lock_to_merge',
  `select id, first_name, last_name, language, timezone, metadata, subscriptions from visible_contacts
    where id = any ($1::uuid[]) and tenant_id = $tenant order by id for update`,
);
const moveLabels = removalStatement<[fromId: string, toId: string]>(
  'contact_labels.copy',
  `insert into contact_labels (contact_id, label_id, tenant_id, created_at)
   select $2, label_id, tenant_id, created_at from contact_labels where contact_id = $1 and tenant_id = $tenant
   on conflict do nothing`,
);
const moveAttributes = removalStatement<[fromId: string, toId: string]>(
  'contact_attributes.copy',
  `insert into contact_attributes (contact_id, attribute_id, tenant_id, value, number, time, updated_at)
   select $2, attribute_id, tenant_id, value, number, time, updated_at from contact_attributes
    where contact_id = $1 and tenant_id = $tenant
   on conflict do nothing`,
);
const store = statement<
  [
    id: string,
    firstName: string | null,
    lastName: string | null,
    metadata: string,
    subscriptions: Subscriptions,
    isSubscribed: boolean,
    language: string | null,
    timezone: string | null,
  ]
>(
  'contacts.store_merged',
  `update visible_contacts
      set first_name = $2, last_name = $3, metadata = $4, subscriptions = $5, is_subscribed = $6, language = $7, timezone = $8
    where id = $1 and tenant_id = $tenant`,
);
const redirect = removalStatement<[mergedId: string, survivingId: string, now: Date]>(
  'contacts.redirect',
  // Also those that were merged into it before.
  `with earlier as (
     update merged_contacts set contact_id = $2 where contact_id = $1 and tenant_id = $tenant),
   new as (
     insert into merged_contacts (id, tenant_id, contact_id, created_at, contact_created_at)
     select c.id, c.tenant_id, $2, $3, c.created_at from contacts c where c.id = $1 and c.tenant_id = $tenant)
   update contacts set merged_into = $2 where (id = $1 or merged_into = $1) and tenant_id = $tenant`,
);

/** The first contact's names, else the other's: a first name of one and a last name of the other would be nobody. */
const nameOf = (one: LockedContact, other: LockedContact): LockedContact =>
  one.first_name === null && one.last_name === null ? other : one;

/**
 * Makes one contact of two that are the same person. Everything of `mergedId` belongs to `survivingId` from the commit on,
 * whose own values count where both have one; for each kind of channel an opt-out of one of both stays. The other contact
 * disappears. Many messages, runs and events are moved by a job. Locks the tenant's counter and both
 * contacts, so it comes first in its transaction.
 */
export async function mergeContacts(
  tx: TenantTx,
  survivingId: string,
  mergedId: string,
  /** Which handles of the same type are known to be the same, so that their chats are one. */
  isSame: (one: Handle, other: Handle) => boolean = () => false,
): Promise<MergedContacts> {
  if (!isUuid(survivingId) || !isUuid(mergedId)) throw new ApiError('contact_not_found');
  await stopNumbering(tx);
  await lockHandles(tx, 'shared');
  const locked = await tx.all(lockBoth, [[survivingId, mergedId]]);
  const [surviving, merged] = [survivingId, mergedId].map((id) =>
    locked.find((contact) => contact.id === id.toLowerCase()),
  );
  if (!surviving || !merged) throw new ApiError('contact_not_found');
  if (surviving.id === merged.id)
    throw new ApiError('conflict', { detail: 'a contact cannot be merged into itself' });
  const [to, from] = [surviving.id, merged.id];

  // Their chats may become one, in which others answered first.
  for (const id of [from, to]) await recountContact(tx, id);
  await tx.run(redirect, [from, to, tx.now]);
  await moveHandles(tx, from, to);
  const chats = await moveChats(tx, from, to);
  await moveUnfinishedRuns(tx, from);
  await moveRecipients(tx, from, to);
  await moveConsents(tx, from, to);
  await tx.run(moveLabels, [from, to]);
  await tx.run(moveAttributes, [from, to]);
  const name = nameOf(surviving, merged);
  const subscriptions = combineSubscriptions(surviving.subscriptions, merged.subscriptions);
  await tx.run(store, [
    to,
    name.first_name,
    name.last_name,
    JSON.stringify({ ...merged.metadata, ...surviving.metadata }),
    subscriptions,
    isSubscribed(subscriptions),
    surviving.language ?? merged.language,
    surviving.timezone ?? merged.timezone,
  ]);
  await touchContacts(tx, [to]);
  await moveNewEvents(tx, from);
  const mergedChats = await mergeChats(tx, chats, from, to, isSame);
  // The job hides nothing, but searches must leave the other contact out.
  if (await hasManyRows(tx, 'merge_contacts', from))
    await startRemoval(tx, 'merge_contacts', from, [newId()]);
  else await removeNow(tx, 'merge_contacts', from);

  const contact = await requireContact(tx, to);
  tx.publish({
    type: 'contact.merged',
    channelId: null,
    contactId: to,
    chatId: null,
    data: { contact, mergedContactId: from, mergedChats },
  });
  return { contact, mergedContactId: from, mergedChats };
}
