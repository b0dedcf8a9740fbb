import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { StoredValue } from './values.ts';

const setAttributes = statement<
  [
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
   select n.contact_id, n.attribute_id, $tenant, n.value, n.number, n.time, $1
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::float8[], $6::timestamptz[])
       as n (contact_id, attribute_id, value, number, time)
    order by n.contact_id, n.attribute_id
   on conflict (contact_id, attribute_id) do update
     set value = excluded.value, number = excluded.number, time = excluded.time, updated_at = excluded.updated_at
   where a.value <> excluded.value
   returning a.contact_id`,
);
const removeAttributes = statement<[contactIds: string[], attributeIds: string[]], { contact_id: string }>(
  'contacts.remove_attributes',
  `delete from contact_attributes where contact_id = any ($1::uuid[]) and tenant_id = $tenant
      and attribute_id = any ($2::uuid[])
   returning contact_id`,
);

interface ValueOfContact extends StoredValue {
  contactId: string;
  attributeId: string;
}

/** Stores values of attributes and returns the ids of the contacts of which any changed. */
export async function storeValues(tx: TenantTx, values: readonly ValueOfContact[]): Promise<string[]> {
  if (values.length === 0) return [];
  const rows = await tx.all(setAttributes, [
    tx.now,
    values.map(({ contactId }) => contactId),
    values.map(({ attributeId }) => attributeId),
    values.map(({ value }) => value),
    values.map(({ number }) => number),
    values.map(({ time }) => time),
  ]);
  return rows.map((row) => row.contact_id);
}

/** Removes values from contacts and returns the ids of those that had any of them. */
export async function removeValues(
  tx: TenantTx,
  contactIds: string[],
  attributeIds: string[],
): Promise<string[]> {
  if (attributeIds.length === 0) return [];
  return (await tx.all(removeAttributes, [contactIds, attributeIds])).map((row) => row.contact_id);
}
