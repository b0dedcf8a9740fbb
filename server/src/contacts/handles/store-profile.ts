import { storable } from '../../base/storable.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { ContactProfile } from '../../providers/adapter.ts';
import { contactEvents } from '../contact.ts';
import { splitName } from '../create-contacts.ts';
import { touchContacts } from '../search-text.ts';

const lockOwner = statement<
  [handleId: string],
  { contact_id: string; is_unnamed: boolean; extra: Record<string, unknown> }
>(
  'handles.lock_owner_of_profile',
  `select c.id as contact_id, h.extra, coalesce(c.first_name, '') = '' and coalesce(c.last_name, '') = '' as is_unnamed
     from handles h join visible_contacts c on c.id = h.contact_id and c.tenant_id = h.tenant_id
    where h.id = $1 and h.tenant_id = $tenant for no key update of c`,
);
const setExtra = statement<[handleId: string, extra: string, now: Date]>(
  'handles.set_extra',
  'update handles set extra = $2, updated_at = $3 where id = $1 and tenant_id = $tenant',
);
const setName = statement<[contactId: string, firstName: string | null, lastName: string | null]>(
  'contacts.set_name_of_profile',
  'update visible_contacts set first_name = $2, last_name = $3 where id = $1 and tenant_id = $tenant',
);

/** As long as the names that clients can set, and the URLs of pictures that Instagram makes. */
const MAX_NAME = 255;
const MAX_URL = 2000;

const shorten = (text: string | null, max: number): string | null =>
  text === null || text.trim() === '' ? null : storable(text.trim()).slice(0, max);

/** Stores what a vendor tells about the owner of a handle. It fills an empty name, and never changes one that is set. */
export async function storeProfile(tx: TenantTx, handleId: string, profile: ContactProfile): Promise<void> {
  const owner = await tx.find(lockOwner, [handleId]);
  if (!owner) return;
  const { fetchedAt: _, ...before } = owner.extra;
  const name = shorten(profile.name, MAX_NAME);
  const username = shorten(profile.username, MAX_NAME);
  const isUrlValid = profile.pictureUrl !== null && profile.pictureUrl.length <= MAX_URL;
  const pictureUrl = isUrlValid ? shorten(profile.pictureUrl, MAX_URL) : null;
  const { name: __, username: ___, pictureUrl: ____, ...others } = before;
  const extra = {
    ...others,
    ...(name === null ? {} : { name }),
    ...(username === null ? {} : { username }),
    ...(pictureUrl === null ? {} : { pictureUrl }),
  };
  await tx.run(setExtra, [handleId, JSON.stringify({ ...extra, fetchedAt: tx.now.toISOString() }), tx.now]);
  const given = name ?? username;
  if (owner.is_unnamed && given !== null) {
    const { firstName, lastName } = splitName(given);
    await tx.run(setName, [owner.contact_id, firstName, lastName]);
  } else if (isSame(before, extra)) return;
  await touchContacts(tx, [owner.contact_id]);
  tx.publish(...(await contactEvents(tx, [owner.contact_id], ['contact.updated'])));
}

const isSame = (before: Record<string, unknown>, after: Record<string, unknown>): boolean =>
  ['name', 'username', 'pictureUrl'].every((part) => before[part] === after[part]);
