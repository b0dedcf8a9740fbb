import { ApiError } from '../../base/errors.ts';
import { simulate } from '../../db/simulate.ts';
import type { TenantDatabase, TenantTx } from '../../db/tenant.ts';
import type { Principal } from '../../http/permissions.ts';
import type { Finish } from '../../http/route.ts';
import { MAX_HANDLES } from '../handles/validate.ts';
import { mergeContacts } from './merge-contacts.ts';
import type { ContactMerge, MergedContacts } from './schema.ts';

/** Undone if the contact has more handles than one may be given: merging again and again would make it too large to show. */
async function mergeFew(tx: TenantTx, contactId: string, mergedContactId: string): Promise<MergedContacts> {
  const merged = await mergeContacts(tx, contactId, mergedContactId);
  const count = merged.contact.handles.length;
  if (count > MAX_HANDLES)
    throw new ApiError('conflict', {
      detail: `together they have ${count} handles, and a contact has at most ${MAX_HANDLES}; remove some first`,
    });
  return merged;
}

/**
 * Merges contacts because somebody asked for it. A dry run is the same, rolled back, so that both cannot differ. Merging moves
 * chats of all channels, so that callers who do not see them must not do it.
 */
export async function mergeOnRequest(
  db: TenantDatabase,
  contactId: string,
  { mergedContactId, dryRun = false }: ContactMerge,
  { channelIds }: Principal,
): Promise<Finish<MergedContacts>> {
  if (channelIds !== undefined)
    throw new ApiError('forbidden', { detail: 'merging contacts needs access to all channels' });
  if (!dryRun) return (tx) => mergeFew(tx, contactId, mergedContactId);
  const result = await simulate(db, (tx) => mergeFew(tx, contactId, mergedContactId));
  return async () => result;
}
