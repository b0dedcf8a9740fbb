import { statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import type { Handle, HandleType } from '../../providers/kinds.ts';
import { lockHandles } from './lock.ts';

const selectOwners = statement<
  [types: string[], values: string[]],
  { type: HandleType; value: string; contact_id: string }
>(
  'handles.owners',
  `select h.type, h.value, h.contact_id from unnest($1::text[], $2::text[]) as given (type, value)
     join handles h on h.tenant_id = $tenant and h.type = given.type and h.value = given.value`,
);

const selectOwnersWith = statement<
  [types: string[], values: string[], other: string],
  { type: HandleType; value: string }
>(
  'handles.owners_with',
  `select h.type, h.value from unnest($1::text[], $2::text[]) as given (type, value)
     join handles h on h.tenant_id = $tenant and h.type = given.type and h.value = given.value
    where exists (select from handles o where o.contact_id = h.contact_id and o.tenant_id = $tenant and o.type = $3)`,
);

const countByContact = statement<[contactIds: string[]], { contact_id: string; count: number }>(
  'handles.count_by_contact',
  `select contact_id, count(*)::int as count from handles
    where contact_id = any ($1::uuid[]) and (tenant_id = $tenant) is true group by contact_id`,
);

const lockOwnersOf = (mode: string): string =>
  `select h.type, h.value, c.id as contact_id from unnest($1::text[], $2::text[]) as given (type, value)
     join handles h on h.tenant_id = $tenant and h.type = given.type and h.value = given.value
     join visible_contacts c on c.id = h.contact_id and c.tenant_id = h.tenant_id
    order by c.id for ${mode} of c`;
type OwnerRow = { type: HandleType; value: string; contact_id: string };
const lockToRefer = statement<[types: string[], values: string[]], OwnerRow>(
  'handles.lock_owners_to_refer',
  lockOwnersOf('key share'),
);
const lockToChange = statement<[types: string[], values: string[]], OwnerRow>(
  'handles.lock_owners',
  lockOwnersOf('no key update'),
);
const lockToMerge = statement<[types: string[], values: string[]], OwnerRow>(
  'handles.lock_owners_to_merge',
  lockOwnersOf('update'),
);

const lockModes = { to_refer: lockToRefer, to_change: lockToChange, to_merge: lockToMerge };

/** One text for a handle, to be the key of a map. */
export const keyOf = ({ type, value }: Handle): string => `${type} ${value}`;

/** Finds the contacts that have these handles, by `keyOf`. */
export async function findOwners(db: TenantReader, handles: readonly Handle[]): Promise<Map<string, string>> {
  if (handles.length === 0) return new Map();
  const types = handles.map(({ type }) => type);
  const rows = await db.all(selectOwners, [types, handles.map(({ value }) => value)]);
  return new Map(rows.map((row) => [keyOf(row), row.contact_id]));
}

/** How many handles contacts have, by their ids. */
export async function countHandles(
  db: TenantReader,
  contactIds: readonly string[],
): Promise<Map<string, number>> {
  if (contactIds.length === 0) return new Map();
  const rows = await db.all(countByContact, [[...contactIds]]);
  return new Map(rows.map(({ contact_id, count }) => [contact_id, count]));
}

/**
 * Locks the contacts that have these handles, and returns them by `keyOf`. For a transaction that changes contacts after it
 * has locked chats: it locks the contacts before. One that deletes contacts locks them `to_merge`, and one that only creates
 * chats `to_refer` to them.
 */
export async function lockOwners(
  tx: TenantTx,
  handles: readonly Handle[],
  mode: keyof typeof lockModes,
): Promise<Map<string, string>> {
  if (handles.length === 0) return new Map();
  await lockHandles(tx, 'shared');
  const rows = await tx.all(lockModes[mode], [
    handles.map(({ type }) => type),
    handles.map(({ value }) => value),
  ]);
  return new Map(rows.map((row) => [keyOf(row), row.contact_id]));
}

/** Which of these handles belong to contacts that also have a handle of the other type, by `keyOf`. */
export async function findOwnersWith(
  db: TenantReader,
  handles: readonly Handle[],
  other: HandleType,
): Promise<Set<string>> {
  const rows = await db.all(selectOwnersWith, [
    handles.map(({ type }) => type),
    handles.map(({ value }) => value),
    other,
  ]);
  return new Set(rows.map(keyOf));
}
