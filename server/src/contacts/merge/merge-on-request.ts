import { ApiError } from '../../base/errors.ts';
import { simulate } from '../../db/simulate.ts';
import type { TenantDatabase, TenantTx } from '../../db/tenant.ts';
import type { Principal } from '../../http/permissions.ts';
import type { Finish } from '../../http/route.ts';
import { MAX_HANDLES } from '../handles/validate.ts';
import { mergeContacts } from './merge-contacts.ts';
import type { ContactMerge, MergedContact } from './schema.ts';

/** Undone if the contact has more handles than one may be given: merging again and again would make it too large to show. */
async function mergeFew(tx: TenantTx, contactId: string, fromContactId: string): Promise<MergedContact> {
  const { contact, mergedChats } = await mergeContacts(tx, contactId, fromContactId);
  const count = contact.handles.length;
  if (count > MAX_HANDLES)
    throw new ApiError('conflict', {
      detail: `together they have ${count} handles, and a contact has at most ${MAX_HANDLES}; remove some first`,
    });
  return { ...contact, mergedChats };
}

/**
 * Merges contacts because somebody asked for it. A dry run is the same, rolled back, so that both cannot differ. Merging moves
 * chats of all channels, so that callers who do not see them must not do it.
 */
export async function mergeOnRequest(
  db: TenantDatabase,
  contactId: string,
  { fromContactId, dryRun = false }: ContactMerge,
  { channelIds }: Principal,
): Promise<Finish<MergedContact>> {
  if (channelIds !== undefined)
    throw new ApiError('forbidden', { detail: 'merging contacts needs access to all channels' });
  if (!dryRun) return (tx) => mergeFew(tx, contactId, fromContactId);
  const result = await simulate(db, (tx) => mergeFew(tx, contactId, fromContactId));
  return async () => result;
}
