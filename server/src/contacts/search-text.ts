import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

/** SQL for the full name, empty if neither name is known; the same as `presentContact` shows. */
export const fullName = (first: string, last: string): string =>
  `concat_ws(' ', nullif(${first}, ''), nullif(${last}, ''))`;

/** SQL for the text that `search` looks in: the full name and the values of the handles, one per line. */
export const searchText = (first: string, last: string, handles: string): string =>
  `concat_ws(E'\\n', nullif(${fullName(first, last)}, ''), ${handles})`;

const updateSearchText = statement<[ids: string[], now: Date]>(
  'contacts.touch',
  `update visible_contacts c set updated_at = $2, search_text = ${searchText(
    'c.first_name',
    'c.last_name',
    `(select string_agg(h.value, E'\\n' order by h.created_at, h.id) from handles h where h.contact_id = c.id)`,
  )}
    where c.id = any ($1::uuid[]) and c.tenant_id = $tenant`,
);

/** Sets the time of change of contacts and updates what `search` finds them by. The caller has locked them. */
export async function touchContacts(tx: TenantTx, ids: Iterable<string>): Promise<void> {
  const changed = [...new Set(ids)];
  if (changed.length > 0) await tx.run(updateSearchText, [changed, tx.now]);
}
