import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { HandleType } from './schema.ts';

/** A person as a vendor names them. */
export interface Person {
  type: HandleType;
  value: string;
  name: string | null;
}

const insertPeople = statement<
  [
    tenantId: string,
    now: Date,
    handleIds: string[],
    contactIds: string[],
    types: string[],
    values: string[],
    names: (string | null)[],
  ],
  { contact_id: string }
>(
  'contacts.insert_people',
  // The contact follows from its handle, so that two who see a new person at once make one.
  `with people as (
     select * from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[])
       as p (handle_id, contact_id, type, value, name)),
   made as (
     insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select handle_id, $1, contact_id, type, value, true,
            case when name is null then '{}'::jsonb else jsonb_build_object('name', name) end, $2, $2
       from people order by type, value
     on conflict (tenant_id, type, value) do nothing returning contact_id)
   insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, created_at, updated_at)
   select m.contact_id, $1, nullif(split_part(p.name, ' ', 1), ''),
          nullif(substr(p.name, length(split_part(p.name, ' ', 1)) + 2), ''), true, '{}', $2, $2
     from made m join people p using (contact_id)
   returning id as contact_id`,
);

/** Makes a contact for each person whose handle nobody has yet, and gives the ids of the new ones. */
export async function createPeople(tx: Tx, tenantId: string, people: Person[], now: Date): Promise<string[]> {
  const rows = await tx.all(insertPeople, [
    tenantId,
    now,
    people.map(() => newId()),
    people.map(() => newId()),
    people.map((person) => person.type),
    people.map((person) => person.value),
    people.map((person) => person.name?.trim() || null),
  ]);
  return rows.map((row) => row.contact_id);
}
