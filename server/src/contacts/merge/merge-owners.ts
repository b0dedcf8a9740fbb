import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { stopNumbering } from '../../engine/sequencer.ts';
import type { Handle } from '../../providers/kinds.ts';
import { findOwners, keyOf, lockOwners } from '../handles/owners.ts';
import { mergeContacts } from './merge-contacts.ts';

const oldestFirst = statement<[ids: string[]], { id: string }>(
  'contacts.oldest_first',
  `select id from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant order by created_at, id`,
);

/** Thrown where contacts must be merged by a transaction that has not locked them for it: it is repeated with `mayMerge`. */
export class MergeNeeded extends Error {}

/** Handles that belong to the same person. */
export type SamePerson = readonly Handle[];

const ownersOf = (handles: SamePerson, owners: ReadonlyMap<string, string>): string[] => [
  ...new Set(handles.flatMap((handle) => owners.get(keyOf(handle)) ?? [])),
];

/**
 * Locks the owners of handles before anything else is locked. Handles of the same person that belong to several contacts
 * make one contact of them: the oldest stays.
 */
export async function lockAndMergeOwners(
  tx: TenantTx,
  handles: readonly Handle[],
  same: readonly SamePerson[],
  mayMerge: boolean,
): Promise<void> {
  if (handles.length === 0) return;
  if (mayMerge) await stopNumbering(tx);
  const owners = await lockOwners(tx, handles, mayMerge ? 'to_merge' : 'to_change');
  const several = same.filter((one) => ownersOf(one, owners).length > 1);
  if (several.length === 0) return;
  if (!mayMerge) throw new MergeNeeded('The handles of one person belong to several contacts.');
  for (const one of several) await mergeOwners(tx, one);
}

/** Makes one contact of the owners of these handles. */
async function mergeOwners(tx: TenantTx, handles: SamePerson): Promise<void> {
  // Another transaction may have merged them while this one waited for the locks.
  const ids = ownersOf(handles, await findOwners(tx, handles));
  const [oldest, ...others] = await tx.all(oldestFirst, [ids]);
  const keys = new Set(handles.map(keyOf));
  const isSame = (a: Handle, b: Handle): boolean => keys.has(keyOf(a)) && keys.has(keyOf(b));
  for (const { id } of others) await mergeContacts(tx, (oldest as { id: string }).id, id, isSame);
}

/** The same for handles of which one was replaced by the other, in the middle of a transaction. */
export async function mergeReplaced(tx: TenantTx, handles: SamePerson, mayMerge: boolean): Promise<void> {
  const owners = ownersOf(handles, await findOwners(tx, handles));
  if (owners.length < 2) return;
  if (!mayMerge) throw new MergeNeeded('The handles of one person belong to several contacts.');
  await mergeOwners(tx, handles);
}
