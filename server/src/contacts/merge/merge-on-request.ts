import { ApiError } from '../../base/errors.ts';
import { simulate } from '../../db/simulate.ts';
import type { TenantDatabase } from '../../db/tenant.ts';
import type { Principal } from '../../http/permissions.ts';
import type { Finish } from '../../http/route.ts';
import { mergeContacts } from './merge-contacts.ts';
import type { ContactMerge, MergedContacts } from './schema.ts';

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
  if (!dryRun) return (tx) => mergeContacts(tx, contactId, mergedContactId);
  const result = await simulate(db, (tx) => mergeContacts(tx, contactId, mergedContactId));
  return async () => result;
}
