import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { StoredValue } from './attribute-values.ts';

const setAttributes = statement<
  [
    tenantId: string,
    now: Date,
    contactIds: string[],
    attributeIds: string[],
    values: string[],
    numbers: (number | null)[],
    times: (Date | null)[],
  ],
  { contact_id: string }
>(
  'contacts.set_attributes',
  `insert into contact_attributes as a (contact_id, attribute_id, tenant_id, value, number, time, updated_at)
   select n.contact_id, n.attribute_id, $1, n.value, n.number, n.time, $2
     from unnest($3::uuid[], $4::uuid[], $5::text[], $6::float8[], $7::timestamptz[])
       as n (contact_id, attribute_id, value, number, time)
    order by n.contact_id, n.attribute_id
   on conflict (contact_id, attribute_id) do update
     set value = excluded.value, number = excluded.number, time = excluded.time, updated_at = excluded.updated_at
   where a.value <> excluded.value
   returning a.contact_id`,
);
const removeAttributes = statement<[contactId: string, tenantId: string, attributeIds: string[]]>(
  'contacts.remove_attributes',
  'delete from contact_attributes where contact_id = $1 and tenant_id = $2 and attribute_id = any ($3::uuid[])',
);

export interface ValueOfContact extends StoredValue {
  contactId: string;
  attributeId: string;
}

/** Stores values of attributes and gives the contacts of which any changed. */
export async function storeValues(
  tx: Tx,
  tenantId: string,
  values: readonly ValueOfContact[],
  now: Date,
): Promise<string[]> {
  if (values.length === 0) return [];
  const rows = await tx.all(setAttributes, [
    tenantId,
    now,
    values.map(({ contactId }) => contactId),
    values.map(({ attributeId }) => attributeId),
    values.map(({ value }) => value),
    values.map(({ number }) => number),
    values.map(({ time }) => time),
  ]);
  return rows.map((row) => row.contact_id);
}

/** Takes values away from a contact and says whether it had any of them. */
export async function removeValues(
  tx: Tx,
  tenantId: string,
  contactId: string,
  attributeIds: string[],
): Promise<boolean> {
  return attributeIds.length > 0 && (await tx.run(removeAttributes, [contactId, tenantId, attributeIds])) > 0;
}
