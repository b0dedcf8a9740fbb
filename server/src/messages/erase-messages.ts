import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { removeUnusedFiles } from '../files/unused-files.ts';
import type { Message } from './schema.ts';

const deleteSome = removalStatement<[limit: number, contactId: string], Pick<Message, 'media'>>(
  'messages.erase_of_contact',
  // Locked in the order of ids, as statuses lock them.
  `with chosen as materialized (
     select m.id from messages m
      where m.tenant_id = $tenant and m.id = any (array(
        select x.id from messages x where x.contact_id = $2 and x.tenant_id = $tenant limit $1))
      order by m.id for update)
   delete from messages m using chosen where m.id = chosen.id and m.tenant_id = $tenant returning m.media`,
);

/**
 * Deletes at most `limit` messages of a contact and returns how many. Files that were sent in them and in no other are
 * deleted as well.
 */
export async function eraseSomeMessages(tx: TenantTx, contactId: string, limit: number): Promise<number> {
  const deleted = await tx.all(deleteSome, [limit, contactId]);
  const fileIds = deleted.flatMap(({ media }) => media.flatMap(({ fileId }) => fileId ?? []));
  await removeUnusedFiles(tx, [...new Set(fileIds)]);
  return deleted.length;
}
