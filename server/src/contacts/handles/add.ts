import { newId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Handle, HandleType } from '../../providers/adapter.ts';
import { touchContacts } from '../search-text.ts';
import { lockHandles } from './lock.ts';

const findOwners = statement<
  [tenantId: string, types: string[], values: string[]],
  { type: HandleType; value: string; contact_id: string }
>(
  'handles.owners',
  `select h.type, h.value, h.contact_id from unnest($2::text[], $3::text[]) as n (type, value)
     join handles h on h.tenant_id = $1 and h.type = n.type and h.value = n.value`,
);
const lockContacts = statement<[ids: string[], tenantId: string], { id: string }>(
  'contacts.lock_to_add_handles',
  'select id from contacts where id = any ($1::uuid[]) and tenant_id = $2 order by id for update',
);
const insertMore = statement<
  [tenantId: string, now: Date, ids: string[], contactIds: string[], types: string[], values: string[]],
  { contact_id: string }
>(
  'handles.insert_more',
  // The first of its type is the one that the contact shows.
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select n.id, $1, n.contact_id, n.type, n.value,
          row_number() over (partition by n.contact_id, n.type order by n.number) = 1 and not exists (
            select 1 from handles o where o.contact_id = n.contact_id and o.type = n.type and o.is_primary), '{}', $2, $2
     from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) with ordinality
       as n (id, contact_id, type, value, number)
    order by n.type desc, n.value
   on conflict (tenant_id, type, value) do nothing returning contact_id`,
);

/** One name for a handle, whatever its type. */
export const keyOf = ({ type, value }: Handle): string => `${type} ${value}`;

/** Whose these handles are, by `keyOf`. */
export async function ownersOf(
  tx: Tx,
  tenantId: string,
  handles: readonly Handle[],
): Promise<Map<string, string>> {
  if (handles.length === 0) return new Map();
  const types = handles.map(({ type }) => type);
  const rows = await tx.all(findOwners, [tenantId, types, handles.map(({ value }) => value)]);
  return new Map(rows.map((row) => [keyOf(row), row.contact_id]));
}

export interface AddedHandle extends Handle {
  contactId: string;
}

/** Adds handles to contacts, but those that anybody has, and gives the contacts that got any. */
export async function addHandles(
  tx: Tx,
  tenantId: string,
  handles: readonly AddedHandle[],
  now: Date,
): Promise<string[]> {
  if (handles.length === 0) return [];
  await lockHandles(tx, tenantId, 'shared');
  const locked = await tx.all(lockContacts, [[...new Set(handles.map((one) => one.contactId))], tenantId]);
  const there = new Set(locked.map(({ id }) => id));
  const added = handles.filter(({ contactId }) => there.has(contactId));
  const rows = await tx.all(insertMore, [
    tenantId,
    now,
    added.map(() => newId()),
    added.map(({ contactId }) => contactId),
    added.map(({ type }) => type),
    added.map(({ value }) => value),
  ]);
  const changed = [...new Set(rows.map((row) => row.contact_id))];
  await touchContacts(tx, tenantId, changed, now);
  return changed;
}
