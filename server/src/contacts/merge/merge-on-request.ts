import { ApiError } from '../../base/errors.ts';
import type { TenantDatabase } from '../../db/tenant.ts';
import type { Principal } from '../../http/permissions.ts';
import type { Finish } from '../../http/route.ts';
import { mergeContacts } from './merge-contacts.ts';
import type { ContactMerge, MergedContacts } from './schema.ts';

/** Ends the transaction of a dry run. */
class DryRun extends Error {
  readonly result: MergedContacts;
  constructor(result: MergedContacts) {
    super('rolled back, because it was a dry run');
    this.result = result;
  }
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
  if (!dryRun) return (tx) => mergeContacts(tx, contactId, mergedContactId);
  const result = await db
    .transaction(async (tx): Promise<MergedContacts> => {
      throw new DryRun(await mergeContacts(tx, contactId, mergedContactId));
    })
    .catch((error) => {
      if (error instanceof DryRun) return error.result;
      throw error;
    });
  return async () => result;
}
