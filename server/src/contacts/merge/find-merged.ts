import { removalStatement, statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';

const mergedInto = statement<[id: string], { contact_id: string }>(
  'merged_contacts.by_id',
  'select contact_id from merged_contacts where id = $1 and tenant_id = $tenant',
);
const mergedIds = removalStatement<[contactId: string], { id: string; is_unfinished: boolean }>(
  'merged_contacts.of_contact',
  `select m.id, c.id is not null as is_unfinished
     from merged_contacts m left join contacts c on c.id = m.id and (c.tenant_id = m.tenant_id) is true
    where m.contact_id = $1 and m.tenant_id = $tenant order by m.id`,
);

const stopMoving = removalStatement<[contactId: string]>(
  'contacts.stop_merging',
  'update contacts set merged_into = id where merged_into = $1 and tenant_id = $tenant',
);

/** Keeps jobs from moving anything more to a contact that is being erased. */
export async function stopMerging(tx: TenantTx, contactId: string): Promise<void> {
  await tx.run(stopMoving, [contactId]);
}

/** The contact that has this id or that a contact with this id was merged into. */
export const currentContactId = async (db: TenantReader, contactId: string): Promise<string> =>
  (await db.find(mergedInto, [contactId]))?.contact_id ?? contactId;

/** The ids of contacts that were merged into a contact, and whether something of them is still to be moved. */
export const findMergedInto = (
  db: TenantReader,
  contactId: string,
): Promise<{ id: string; is_unfinished: boolean }[]> => db.all(mergedIds, [contactId]);
