import type { TenantTx } from '../db/tenant.ts';
import type { Handle } from '../providers/kinds.ts';
import { insertContactsWithHandles, type NewContactRow } from './handles/write.ts';

/** A contact as a vendor describes it. */
interface VendorProfile extends Handle {
  name: string | null;
}

const MAX_NAME_CHARACTERS = 255;

/** Splits the name of a vendor's profile: the first word, and the rest. */
export function splitName(name: string): Pick<NewContactRow, 'firstName' | 'lastName'> {
  const [first = '', ...rest] = name.trim().split(' ');
  const cut = (part: string): string | null =>
    part.trim().slice(0, MAX_NAME_CHARACTERS).toWellFormed() || null;
  return { firstName: cut(first), lastName: cut(rest.join(' ')) };
}

/** Creates a contact for each profile whose handle no contact has yet, and returns the ids of the new ones. */
export function createContacts(tx: TenantTx, profiles: readonly VendorProfile[]): Promise<string[]> {
  return insertContactsWithHandles(
    tx,
    profiles.map(({ type, value, name: given }) => {
      const name = given?.trim() ?? '';
      return { type, value, extra: name === '' ? {} : { name }, ...splitName(name), second: null };
    }),
  );
}
