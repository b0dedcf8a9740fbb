import { statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import type { Handle, HandleType } from '../../providers/adapter.ts';
import { lockHandles } from './lock.ts';

const selectOwners = statement<
  [types: string[], values: string[]],
  { type: HandleType; value: string; contact_id: string }
>(
  'handles.owners',
  `select h.type, h.value, h.contact_id from unnest($1::text[], $2::text[]) as given (type, value)
     join handles h on h.tenant_id = $tenant and h.type = given.type and h.value = given.value`,
);

const lockOwnersOf = statement<[types: string[], values: string[]]>(
  'handles.lock_owners',
  `select c.id from unnest($1::text[], $2::text[]) as given (type, value)
     join handles h on h.tenant_id = $tenant and h.type = given.type and h.value = given.value
     join visible_contacts c on c.id = h.contact_id and c.tenant_id = h.tenant_id
    order by c.id for no key update of c`,
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

/**
 * Locks the contacts that have these handles. For a transaction that changes contacts after it has locked chats: it
 * locks the contacts before.
 */
export async function lockOwners(tx: TenantTx, handles: readonly Handle[]): Promise<void> {
  if (handles.length === 0) return;
  await lockHandles(tx, 'shared');
  await tx.run(lockOwnersOf, [handles.map(({ type }) => type), handles.map(({ value }) => value)]);
}
