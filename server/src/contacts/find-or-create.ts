import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { HandleType } from '../providers/adapter.ts';
import { searchText } from './search-text.ts';

/** A person as a vendor names them. */
export interface Person {
  type: HandleType;
  value: string;
  name: string | null;
}

/** A person to be made unless somebody has the handle that they are known by. */
export interface NewContactRow {
  type: HandleType;
  value: string;
  extra: Record<string, unknown>;
  firstName: string | null;
  lastName: string | null;
  /** A handle of another type, added unless somebody has it. */
  second: { type: HandleType; value: string } | null;
}

const insertContacts = statement<
  [
    tenantId: string,
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
  'contacts.insert_people',
  // The contact follows from its handle, so that two who see a new person at once make one.
  `with people as (
     select * from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                          $10::uuid[], $11::text[], $12::text[]) with ordinality
       as p (handle_id, contact_id, type, value, extra, first_name, last_name, second_id, second_type, second_value, number)),
   made as (
     insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select handle_id, $1, contact_id, type, value, true, extra::jsonb, $2, $2 from people order by type, value
     on conflict (tenant_id, type, value) do nothing returning contact_id),
   seconds as (
     insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select p.second_id, $1, p.contact_id, p.second_type, p.second_value, true, '{}', $2, $2
       from made m join people p using (contact_id)
      where p.second_value is not null order by p.second_type, p.second_value, p.number
     on conflict (tenant_id, type, value) do nothing returning contact_id, value)
   insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at)
   select m.contact_id, $1, p.first_name, p.last_name, true, '{}',
          ${searchText('p.first_name', 'p.last_name', 'p.value, s.value')}, $2, $2
     from made m join people p using (contact_id) left join seconds s using (contact_id)
   returning id as contact_id`,
);

/** Makes a contact for each person whose first handle nobody has yet, and gives the ids of the new ones. */
export async function insertNewContacts(
  tx: Tx,
  tenantId: string,
  people: NewContactRow[],
  now: Date,
): Promise<string[]> {
  if (people.length === 0) return [];
  const rows = await tx.all(insertContacts, [
    tenantId,
    now,
    people.map(() => newId()),
    people.map(() => newId()),
    people.map((person) => person.type),
    people.map((person) => person.value),
    people.map((person) => JSON.stringify(person.extra)),
    people.map((person) => person.firstName),
    people.map((person) => person.lastName),
    people.map(() => newId()),
    people.map((person) => person.second?.type ?? null),
    people.map((person) => person.second?.value ?? null),
  ]);
  return rows.map((row) => row.contact_id);
}

/** What a profile calls a person: the first word, and the rest. */
function namesOf(name: string | null): Pick<NewContactRow, 'firstName' | 'lastName'> {
  const [first = '', ...rest] = (name ?? '').trim().split(' ');
  return { firstName: first || null, lastName: rest.join(' ') || null };
}

/** Makes a contact for each person whose handle nobody has yet, and gives the ids of the new ones. */
export function createContacts(tx: Tx, tenantId: string, people: Person[], now: Date): Promise<string[]> {
  return insertNewContacts(
    tx,
    tenantId,
    people.map(({ type, value, name }) => ({
      type,
      value,
      extra: name?.trim() ? { name: name.trim() } : {},
      ...namesOf(name),
      second: null,
    })),
    now,
  );
}
