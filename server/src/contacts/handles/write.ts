import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle, HandleType } from '../../providers/kinds.ts';
import { searchText } from '../search-text.ts';
import type { HandleState, StoredHandle } from './merge.ts';
import { findOwners, keyOf } from './owners.ts';
import { findSpellings } from './spellings.ts';

/**
 * SQL that inserts the rows `h` of a set, with $1 as the time, except those whose handle a contact of the tenant has
 * already. Phone numbers come before email addresses, each in order: see lock.ts.
 */
const insertInto = (rows: string, isPrimary: string): string =>
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select h.id, $tenant, h.contact_id, h.type, h.value, ${isPrimary}, h.extra::jsonb, $1, $1 from ${rows}
    order by h.type desc, h.value, h.number
   on conflict (tenant_id, type, value) do nothing returning contact_id, type, value`;

/** Unless it is said: the first of its type is the primary one. */
const IS_PRIMARY = `coalesce(h.is_primary,
  row_number() over (partition by h.contact_id, h.type order by h.number) = 1 and not exists (
    select 1 from handles o where o.contact_id = h.contact_id and o.type = h.type and o.is_primary))`;

const insertRows = statement<
  [
    now: Date,
    ids: string[],
    contactIds: string[],
    types: string[],
    values: string[],
    isPrimary: (boolean | null)[],
  ],
  { contact_id: string; type: HandleType; value: string }
>(
  'handles.insert',
  insertInto(
    `(select *, '{}' as extra
        from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::boolean[]) with ordinality
          as r (id, contact_id, type, value, is_primary, number)) h`,
    IS_PRIMARY,
  ),
);
const insertWithContacts = statement<
  [
    now: Date,
    handleIds: string[],
    contactIds: string[],
    types: string[],
    values: string[],
    extras: string[],
    firstNames: (string | null)[],
    lastNames: (string | null)[],
    secondIds: string[],
    secondTypes: (string | null)[],
    secondValues: (string | null)[],
  ],
  { contact_id: string }
>(
  'handles.insert_with_contacts',
  // A contact is inserted only if its handle was: two transactions that see a new sender at once create one contact.
  `with new as (
     select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                          $9::uuid[], $10::text[], $11::text[]) with ordinality
       as n (id, contact_id, type, value, extra, first_name, last_name, second_id, second_type, second_value, number)),
   firsts as (${insertInto('new h', 'true')}),
   seconds as (${insertInto(
     `(select n.second_id as id, n.contact_id, n.second_type as type, n.second_value as value, '{}' as extra, n.number
        from firsts f join new n using (contact_id) where n.second_value is not null) h`,
     'true',
   )})
   insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at)
   select f.contact_id, $tenant, n.first_name, n.last_name, true, '{}',
          ${searchText('n.first_name', 'n.last_name', 'n.value, s.value')}, $1, $1
     from firsts f join new n using (contact_id) left join seconds s using (contact_id)
   returning id as contact_id`,
);
const deleteHandles = statement<[ids: string[]]>(
  'handles.delete',
  'delete from handles where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const setPrimary = statement<[ids: string[], isPrimary: boolean, now: Date]>(
  'handles.set_primary',
  'update handles set is_primary = $2, updated_at = $3 where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** A handle for a contact that exists. */
export interface NewHandle extends Handle {
  contactId: string;
  /** Left out: whether it is the first of its type. */
  isPrimary?: boolean;
}

/** A contact to create, unless another contact has its first handle. */
export interface NewContactRow extends Handle {
  extra: Record<string, unknown>;
  firstName: string | null;
  lastName: string | null;
  /** A handle of another type, added unless another contact has it. */
  second: Handle | null;
}

/** Inserts the handles that no contact has yet and returns them. The caller has locked the contacts and the handles. */
export async function insertHandles(tx: TenantTx, handles: readonly NewHandle[]): Promise<NewHandle[]> {
  if (handles.length === 0) return [];
  const rows = await tx.all(insertRows, [
    tx.now,
    handles.map(() => newId()),
    handles.map((handle) => handle.contactId),
    handles.map((handle) => handle.type),
    handles.map((handle) => handle.value),
    handles.map((handle) => handle.isPrimary ?? null),
  ]);
  return rows.map(({ contact_id, type, value }) => ({ contactId: contact_id, type, value }));
}

/** Creates the contacts whose first handle no contact has yet, with their handles, and returns the ids of the new ones. */
export async function insertContactsWithHandles(
  tx: TenantTx,
  contacts: readonly NewContactRow[],
): Promise<string[]> {
  if (contacts.length === 0) return [];
  const rows = await tx.all(insertWithContacts, [
    tx.now,
    contacts.map(() => newId()),
    contacts.map(() => newId()),
    contacts.map((contact) => contact.type),
    contacts.map((contact) => contact.value),
    contacts.map((contact) => JSON.stringify(contact.extra)),
    contacts.map((contact) => contact.firstName),
    contacts.map((contact) => contact.lastName),
    contacts.map(() => newId()),
    contacts.map((contact) => contact.second?.type ?? null),
    contacts.map((contact) => contact.second?.value ?? null),
  ]);
  return rows.map((row) => row.contact_id);
}

const typeNames: Record<HandleType, string> = {
  phone_number: 'phone number',
  email: 'email address',
  instagram_id: 'Instagram id',
  whatsapp_id: 'WhatsApp id',
};
const nameOf = ({ type, value }: Handle): string => `${typeNames[type]} ${value}`;

/**
 * Replaces the handles of a contact and returns whether any changed. The caller has locked the contact and its handles.
 * It is a conflict to add a handle of another contact, or to remove one that has chats.
 */
export async function replaceHandles(
  tx: TenantTx,
  contactId: string,
  before: readonly StoredHandle[],
  after: readonly HandleState[],
): Promise<boolean> {
  const find = <T extends HandleState>(list: readonly T[], one: HandleState): T | undefined =>
    list.find((other) => other.type === one.type && other.value === one.value);
  const removed = before.filter((handle) => !find(after, handle));
  const withChats = removed.find((handle) => handle.hasChats);
  if (withChats)
    throw new ApiError('conflict', {
      detail: `the ${nameOf(withChats)} has chats; delete those first, or keep it`,
    });
  const changed = before.filter((handle) => {
    const wanted = find(after, handle);
    return wanted !== undefined && wanted.isPrimary !== handle.isPrimary;
  });
  const added = after.filter((handle) => !find(before, handle));
  if (removed.length + changed.length + added.length === 0) return false;

  // In this order, because a contact must never have two primary handles of one type.
  const idsOf = (handles: readonly StoredHandle[]): string[] => handles.map((handle) => handle.id);
  if (removed.length > 0) await tx.run(deleteHandles, [idsOf(removed)]);
  for (const isPrimary of [false, true]) {
    const ids = idsOf(changed.filter((handle) => handle.isPrimary !== isPrimary));
    if (ids.length > 0) await tx.run(setPrimary, [ids, isPrimary, tx.now]);
  }
  await insertAllHandles(tx, contactId, added);
  return true;
}

/** Inserts every handle, or throws a conflict that names the contact that has one already. */
async function insertAllHandles(
  tx: TenantTx,
  contactId: string,
  handles: readonly HandleState[],
): Promise<void> {
  const spelled = await findSpellings(tx, handles, null);
  const known = handles.map((handle) => spelled(handle)).filter((one, index) => one !== handles[index]);
  const owners = await findOwners(tx, known);
  const other = known.find((handle) => owners.get(keyOf(handle)) !== contactId);
  if (other)
    throw new ApiError('conflict', {
      detail: `the contact ${owners.get(keyOf(other))} has the ${nameOf(other)} already, which is the same number`,
    });
  const inserted = await insertHandles(
    tx,
    handles.map((handle) => ({ contactId, ...handle })),
  );
  const insertedKeys = new Set(inserted.map(keyOf));
  const taken = handles.find((handle) => !insertedKeys.has(keyOf(handle)));
  if (!taken) return;
  const owner = (await findOwners(tx, [taken])).get(keyOf(taken));
  throw new ApiError('conflict', {
    detail: owner
      ? `the contact ${owner} has the ${nameOf(taken)} already`
      : `another contact had the ${nameOf(taken)} until just now; try again`,
  });
}
