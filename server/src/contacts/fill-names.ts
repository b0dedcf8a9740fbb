import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { splitName } from './create-contacts.ts';
import { touchContacts } from './search-text.ts';

const fill = statement<
  [ids: string[], firstNames: (string | null)[], lastNames: (string | null)[]],
  { id: string; first_name: string | null; last_name: string | null }
>(
  'contacts.fill_names',
  // The caller has locked chats, and contacts are locked before chats: this one waits for nobody. A contact that somebody is
  // changing gets its name with the next message.
  `with chosen as materialized (
     select c.id from visible_contacts c where c.id = any ($1::uuid[]) and c.tenant_id = $tenant
        and coalesce(c.first_name, '') = '' and coalesce(c.last_name, '') = ''
      order by c.id for no key update skip locked)
   update visible_contacts c set first_name = n.first_name, last_name = n.last_name
     from chosen join unnest($1::uuid[], $2::text[], $3::text[]) as n (id, first_name, last_name) on n.id = chosen.id
    where c.id = chosen.id and c.tenant_id = $tenant
   returning c.id, c.first_name, c.last_name`,
);

/** A name that a contact got. */
export interface FilledName {
  id: string;
  first_name: string | null;
  last_name: string | null;
}

/** Gives contacts without a name the one of their profile at the vendor. A name that they have stays. */
export async function fillNames(tx: TenantTx, names: ReadonlyMap<string, string>): Promise<FilledName[]> {
  const split = [...names]
    .map(([id, name]) => ({ id, ...splitName(name) }))
    .filter(({ firstName, lastName }) => firstName !== null || lastName !== null);
  if (split.length === 0) return [];
  const filled = await tx.all(fill, [
    split.map(({ id }) => id),
    split.map(({ firstName }) => firstName),
    split.map(({ lastName }) => lastName),
  ]);
  await touchContacts(
    tx,
    filled.map(({ id }) => id),
  );
  return filled;
}
