import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { HandleState, StoredHandle } from './merge.ts';

const deleteHandles = statement<[ids: string[], tenantId: string]>(
  'handles.delete',
  'delete from handles where id = any ($1::uuid[]) and tenant_id = $2',
);
const setPrimary = statement<[ids: string[], tenantId: string, isPrimary: boolean, now: Date]>(
  'handles.set_primary',
  'update handles set is_primary = $3, updated_at = $4 where id = any ($1::uuid[]) and tenant_id = $2',
);
const insertHandles = statement<
  [
    tenantId: string,
    contactId: string,
    now: Date,
    ids: string[],
    types: string[],
    values: string[],
    primary: boolean[],
  ],
  { type: string; value: string }
>(
  'handles.insert',
  // Phone numbers before email addresses, as everywhere: see lock-handles.ts.
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select h.id, $1, $2, h.type, h.value, h.is_primary, '{}', $3, $3
     from unnest($4::uuid[], $5::text[], $6::text[], $7::boolean[]) as h (id, type, value, is_primary)
    order by h.type desc, h.value
   on conflict (tenant_id, type, value) do nothing returning type, value`,
);
const ownerOf = statement<[tenantId: string, type: string, value: string], { contact_id: string }>(
  'handles.owner',
  'select contact_id from handles where tenant_id = $1 and type = $2 and value = $3',
);

const nameOf: Record<HandleState['type'], string> = {
  phone_number: 'phone number',
  email: 'email address',
  instagram_id: 'Instagram id',
  whatsapp_id: 'WhatsApp id',
};

/**
 * Makes the handles of a contact those that are given, and says whether that changed any. The caller has locked the
 * contact and its handles. A handle that somebody else has, or that has chats and would go, is a conflict.
 */
export async function writeHandles(
  tx: Tx,
  tenantId: string,
  contactId: string,
  before: readonly StoredHandle[],
  after: readonly HandleState[],
  now: Date,
): Promise<boolean> {
  const find = <T extends HandleState>(list: readonly T[], one: HandleState): T | undefined =>
    list.find((other) => other.type === one.type && other.value === one.value);
  const gone = before.filter((handle) => !find(after, handle));
  const talking = gone.find((handle) => handle.hasChats);
  if (talking)
    throw new ApiError('conflict', {
      detail: `the ${nameOf[talking.type]} ${talking.value} has chats; delete those first, or keep it`,
    });
  const changed = before.filter((handle) => {
    const wanted = find(after, handle);
    return wanted !== undefined && wanted.isPrimary !== handle.isPrimary;
  });
  const added = after.filter((handle) => !find(before, handle));
  if (gone.length + changed.length + added.length === 0) return false;

  // In this order, because at no moment may a contact show two handles of one type.
  const idsOf = (handles: readonly StoredHandle[]): string[] => handles.map((handle) => handle.id);
  if (gone.length > 0) await tx.run(deleteHandles, [idsOf(gone), tenantId]);
  for (const isPrimary of [false, true]) {
    const ids = idsOf(changed.filter((handle) => handle.isPrimary !== isPrimary));
    if (ids.length > 0) await tx.run(setPrimary, [ids, tenantId, isPrimary, now]);
  }
  if (added.length > 0) await insert(tx, tenantId, contactId, added, now);
  return true;
}

async function insert(
  tx: Tx,
  tenantId: string,
  contactId: string,
  handles: readonly HandleState[],
  now: Date,
): Promise<void> {
  const made = await tx.all(insertHandles, [
    tenantId,
    contactId,
    now,
    handles.map(() => newId()),
    handles.map((handle) => handle.type),
    handles.map((handle) => handle.value),
    handles.map((handle) => handle.isPrimary),
  ]);
  const taken = handles.find(
    (handle) => !made.some((one) => one.type === handle.type && one.value === handle.value),
  );
  if (!taken) return;
  const owner = await tx.find(ownerOf, [tenantId, taken.type, taken.value]);
  throw new ApiError('conflict', {
    detail: owner
      ? `the contact ${owner.contact_id} has the ${nameOf[taken.type]} ${taken.value} already`
      : `another contact had the ${nameOf[taken.type]} ${taken.value} until just now; try again`,
  });
}
