import { statement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import type { Handle, HandleType } from '../../providers/adapter.ts';

const selectOwners = statement<
  [types: string[], values: string[]],
  { type: HandleType; value: string; contact_id: string }
>(
  'handles.owners',
  `select h.type, h.value, h.contact_id from unnest($1::text[], $2::text[]) as given (type, value)
     join handles h on h.tenant_id = $tenant and h.type = given.type and h.value = given.value`,
);

/** One text for a handle, to be the key of a map. */
export const keyOf = ({ type, value }: Handle): string => `${type} ${value}`;

/** Finds the contacts that have these handles, by `keyOf`. */
export async function findOwners(db: TenantReader, handles: readonly Handle[]): Promise<Map<string, string>> {
  if (handles.length === 0) return new Map();
  const types = handles.map(({ type }) => type);
  const rows = await db.all(selectOwners, [types, handles.map(({ value }) => value)]);
  return new Map(rows.map((row) => [keyOf(row), row.contact_id]));
}
