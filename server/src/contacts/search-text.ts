import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

/** SQL for the first and last name as one, empty when neither is known. As `presentContact` has it. */
export const fullName = (first: string, last: string): string =>
  `concat_ws(' ', nullif(${first}, ''), nullif(${last}, ''))`;

/** SQL for what `search` looks in: the full name and the handles' values, one a line. */
export const searchText = (first: string, last: string, handles: string): string =>
  `concat_ws(E'\\n', nullif(${fullName(first, last)}, ''), ${handles})`;

const touch = statement<[ids: string[], tenantId: string, now: Date]>(
  'contacts.touch',
  `update contacts c set updated_at = $3, search_text = ${searchText(
    'c.first_name',
    'c.last_name',
    `(select string_agg(h.value, E'\\n' order by h.created_at, h.id) from handles h where h.contact_id = c.id)`,
  )}
    where c.id = any ($1::uuid[]) and c.tenant_id = $2`,
);

/** Ends every change of contacts: says when it was, and brings up to date what `search` finds them by. The rows are locked. */
export async function touchContacts(
  tx: Tx,
  tenantId: string,
  ids: Iterable<string>,
  now: Date,
): Promise<void> {
  const changed = [...new Set(ids)];
  if (changed.length > 0) await tx.run(touch, [changed, tenantId, now]);
}
