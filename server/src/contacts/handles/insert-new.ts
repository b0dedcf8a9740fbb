import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '../../base/ids.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/kinds.ts';
import { searchText } from '../search-text.ts';

const insertContacts = statement<
  [
    now: Date,
    ids: string[],
    firstNames: (string | null)[],
    lastNames: (string | null)[],
    languages: (string | null)[],
    timezones: (string | null)[],
    handles: string[],
    metadata: (string | null)[],
  ]
>(
  'contacts.insert_new',
  // No handle has a blank in it.
  `insert into contacts (id, tenant_id, first_name, last_name, language, timezone, is_subscribed, metadata, search_text,
                         created_at, updated_at)
   select n.id, $tenant, n.first_name, n.last_name, n.language, n.timezone, true, coalesce(n.metadata, '{}')::jsonb,
          ${searchText('n.first_name', 'n.last_name', `replace(n.handles, ' ', E'\\n')`)}, $1, $1
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       as n (id, first_name, last_name, language, timezone, handles, metadata)`,
);
const insertHandles = statement<
  [now: Date, ids: string[], contactIds: string[], types: string[], values: string[], isPrimary: boolean[]]
>(
  'handles.insert_new',
  // In the order of all who write handles: see lock.ts.
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select n.id, $tenant, n.contact_id, n.type, n.value, n.is_primary, '{}', $1, $1
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::boolean[])
       as n (id, contact_id, type, value, is_primary)
    order by n.type desc, n.value`,
);

/** A handle of a new contact, as it is stored. */
export interface InsertedHandle extends Handle {
  id: string;
  isPrimary: boolean;
}

/** A contact to insert, with phone numbers and email addresses that no contact has. */
export interface UnknownContact {
  contactId: string;
  firstName: string | null;
  lastName: string | null;
  language: string | null;
  timezone: string | null;
  metadata: object | null;
  handles: readonly Handle[];
}

/** The first of its type is the primary one. */
const newHandles = ({ handles }: UnknownContact): InsertedHandle[] =>
  handles.map(({ type, value }, index) => ({
    id: newId(),
    type,
    value,
    isPrimary: handles.findIndex((other) => other.type === type) === index,
  }));

/** Whether a contact has got one of the handles since they were looked for. */
export const isHandleTaken = (error: unknown): boolean => isUniqueViolation(error, 'handles_value');

/**
 * Begins to insert contacts with their handles, and returns the handles of each and a promise that is settled when PostgreSQL is
 * done. If `isHandleTaken` is true of its error, the transaction can be repeated. For 20,000 contacts, these statements take 1.2 s of
 * CPU time in PostgreSQL, as COPY does with the same foreign keys. With `insertContactsWithHandles`, which leaves out contacts whose
 * handles exist, an import of them took 1.7 to 2.1 s there, and takes 1.5 s now.
 */
export async function insertUnknownContacts(
  tx: TenantTx,
  contacts: readonly UnknownContact[],
): Promise<{ handles: InsertedHandle[][]; stored: Promise<unknown> }> {
  if (contacts.length === 0) return { handles: [], stored: Promise.resolve() };
  const storing = tx.run(insertContacts, [
    tx.now,
    contacts.map(({ contactId }) => contactId),
    contacts.map(({ firstName }) => firstName),
    contacts.map(({ lastName }) => lastName),
    contacts.map(({ language }) => language),
    contacts.map(({ timezone }) => timezone),
    contacts.map(({ handles }) => handles.map(({ value }) => value).join(' ')),
    contacts.map(({ metadata }) => metadata && JSON.stringify(metadata)),
  ]);
  storing.catch(() => {});
  // Sends it, so that PostgreSQL is busy while the handles and events are prepared: see runRows.
  await nextTurn();
  const handles = contacts.map(newHandles);
  const all = handles.flat();
  const stored = tx.run(insertHandles, [
    tx.now,
    all.map(({ id }) => id),
    handles.flatMap((own, index) => own.map(() => (contacts[index] as UnknownContact).contactId)),
    all.map(({ type }) => type),
    all.map(({ value }) => value),
    all.map(({ isPrimary }) => isPrimary),
  ]);
  // The caller may fail before it waits for it.
  stored.catch(() => {});
  return { handles, stored };
}
