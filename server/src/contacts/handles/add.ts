import type { TenantTx } from '../../db/tenant.ts';
import { lockContacts } from '../contact.ts';
import { touchContacts } from '../search-text.ts';
import { lockHandles } from './lock.ts';
import { insertHandles, type NewHandle } from './write.ts';

/** Adds handles that no contact has yet to contacts, and returns the ids of the contacts that got any. */
export async function addHandles(tx: TenantTx, handles: readonly NewHandle[]): Promise<string[]> {
  if (handles.length === 0) return [];
  await lockHandles(tx, 'shared');
  const existing = await lockContacts(
    tx,
    handles.map(({ contactId }) => contactId),
  );
  const inserted = await insertHandles(
    tx,
    handles.filter(({ contactId }) => existing.has(contactId)),
  );
  const changed = [...new Set(inserted.map(({ contactId }) => contactId))];
  await touchContacts(tx, changed);
  return changed;
}
