import {
  createChats,
  type LockedChat,
  lockChatsOf,
  lockChatsOfContacts,
} from '../../chats/find-or-create.ts';
import { createContacts } from '../../contacts/find-or-create.ts';
import { addHandles, keyOf, ownersOf } from '../../contacts/handles/add.ts';
import { vendorHandle } from '../../contacts/handles/validate.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Handle, VendorContact } from '../../providers/adapter.ts';

const receivedBefore = statement<[channelId: string, vendorIds: string[]], { vendor_id: string }>(
  'messages.received_before',
  'select vendor_id from vendor_messages where channel_id = $1 and vendor_id = any ($2::text[]) and message_id is not null',
);

/** Which of these messages of the vendor have been here, even if they are gone since. */
export async function findReceivedBefore(
  tx: Pick<Tx, 'all'>,
  channelId: string,
  vendorIds: string[],
): Promise<Set<string>> {
  if (vendorIds.length === 0) return new Set();
  return new Set((await tx.all(receivedBefore, [channelId, vendorIds])).map((row) => row.vendor_id));
}

const inOurSpelling = <H extends Handle>(handle: H): H => ({
  ...handle,
  value: vendorHandle(handle.type, handle.value),
});

/** A person as the vendor names them, in our spelling: the handle that counts, and further ones. */
export const normalizeContact = (contact: VendorContact): VendorContact => ({
  ...inOurSpelling(contact),
  ...(contact.others?.length ? { others: contact.others.map(inOurSpelling) } : {}),
});

const handlesOf = (contact: VendorContact): Handle[] => [contact, ...(contact.others ?? [])];

/** What was written, as far as it decides whose chat it belongs to. */
interface Written {
  vendorId: string;
  contact: VendorContact;
}

export interface ResolvedChats<W> {
  /** What is to be stored: not what came before in a chat that is deleted since. */
  written: W[];
  /** The locked chat of every person who wrote, by the key of the handle that counts. */
  chats: Map<string, LockedChat>;
  newContacts: string[];
  newChats: string[];
  /** Contacts that were there and got another handle. */
  changedContacts: string[];
}

/** The locked chat of every person. Who is new gets a contact and a chat; all handles of a person become one contact's. */
export async function resolveChats<W extends Written>(
  tx: Tx,
  { id: channelId, tenantId }: { id: string; tenantId: string },
  written: W[],
  now: Date,
): Promise<ResolvedChats<W>> {
  const people = peopleIn(written);
  const chats = new Map<string, LockedChat>();
  const lock = async (handles: Handle[]): Promise<void> => {
    for (const chat of await lockChatsOf(tx, tenantId, channelId, handles))
      chats.set(keyOf({ type: chat.handle_type, value: chat.handle_value }), chat);
  };
  await lock([...people.values()]);
  const none = { newContacts: [], newChats: [], changedContacts: [] };
  const isUnknown = (contact: VendorContact): boolean => !chats.has(keyOf(contact));
  const fromUnknownSenders = written.filter(({ contact }) => isUnknown(contact));
  // A message that was here before came in a chat that is deleted: its repetition does not bring anyone back.
  const before = await findReceivedBefore(
    tx,
    channelId,
    fromUnknownSenders.map(({ vendorId }) => vendorId),
  );
  const kept = written.filter(({ contact, vendorId }) => !isUnknown(contact) || !before.has(vendorId));
  const writing = new Set(kept.map(({ contact }) => keyOf(contact)));
  const open = [...people.values()].filter(
    (contact) => writing.has(keyOf(contact)) && (isUnknown(contact) || contact.others !== undefined),
  );
  if (open.length === 0) return { ...none, written: kept, chats };

  const known = await ownersOf(tx, tenantId, open.flatMap(handlesOf));
  const duplicates = findDuplicates(people);
  const persons = open.filter((contact) => known.has(keyOf(contact)) || !duplicates.has(keyOf(contact)));
  const nobody = persons.filter((contact) => !handlesOf(contact).some((handle) => known.has(keyOf(handle))));
  const newContacts = nobody.length === 0 ? [] : await createContacts(tx, tenantId, nobody, now);
  const changed = await joinHandles(tx, tenantId, persons, known, now);

  const unknownSenders = persons.filter(isUnknown);
  const acquainted = unknownSenders.filter((contact) => !nobody.includes(contact));
  await adoptChats(tx, { channelId, tenantId }, acquainted, chats);
  const without = unknownSenders.filter(isUnknown);
  const newChats = without.length === 0 ? [] : await createChats(tx, tenantId, channelId, without, now);
  if (without.length > 0) await lock(without);
  for (const [key, same] of duplicates) {
    const chat = chats.get(key) ?? chats.get(same);
    if (chat) chats.set(key, chat);
  }
  const changedContacts = changed.filter((id) => !newContacts.includes(id));
  return { written: kept, chats, newContacts, newChats, changedContacts };
}

/** Everyone who wrote, once, with all handles that were told of them. */
function peopleIn(written: Written[]): Map<string, VendorContact> {
  const people = new Map<string, VendorContact>();
  for (const { contact } of written) {
    const key = keyOf(contact);
    const before = people.get(key);
    const others = new Map(
      [...(before?.others ?? []), ...(contact.others ?? [])]
        .filter((handle) => keyOf(handle) !== key)
        .map((handle) => [keyOf(handle), handle]),
    );
    const { type, value } = contact;
    const name = before?.name ?? contact.name;
    people.set(key, { type, value, name, ...(others.size > 0 ? { others: [...others.values()] } : {}) });
  }
  return people;
}

/** Who wrote by a handle that somebody else here has beside their own: the same person, by the key of the first. */
function findDuplicates(people: Map<string, VendorContact>): Map<string, string> {
  const duplicates = new Map<string, string>();
  for (const [key, { others = [] }] of people)
    if (!duplicates.has(key))
      for (const other of others) if (people.has(keyOf(other))) duplicates.set(keyOf(other), key);
  return duplicates;
}

/**
 * Gives the contact of each person the handles that nobody has. The contact is the one of the handle that counts, else
 * of the first other that anybody has; what belongs to another contact stays there.
 */
async function joinHandles(
  tx: Tx,
  tenantId: string,
  people: VendorContact[],
  known: Map<string, string>,
  now: Date,
): Promise<string[]> {
  const several = people.filter((contact) => contact.others !== undefined);
  if (several.length === 0) return [];
  // Those that were made a moment ago, here or by somebody else at the same time.
  const made = await ownersOf(
    tx,
    tenantId,
    several.filter((contact) => !known.has(keyOf(contact))),
  );
  const ownerOf = (handle: Handle): string | undefined => known.get(keyOf(handle)) ?? made.get(keyOf(handle));
  const missing = several.flatMap((contact) => {
    const handles = handlesOf(contact);
    const contactId = handles.map(ownerOf).find((id) => id !== undefined);
    return contactId === undefined
      ? []
      : handles.filter((handle) => !ownerOf(handle)).map((handle) => ({ ...handle, contactId }));
  });
  const once = new Map(missing.map((handle) => [keyOf(handle), handle]));
  return addHandles(tx, tenantId, [...once.values()], now);
}

/**
 * Finds the chat of people who go by another handle than before: by one of those that are told with it, or, where the
 * vendor tells no other, by one of another type. A second number is another chat; a number that is hidden now is not.
 */
async function adoptChats(
  tx: Tx,
  { channelId, tenantId }: { channelId: string; tenantId: string },
  people: VendorContact[],
  chats: Map<string, LockedChat>,
): Promise<void> {
  if (people.length === 0) return;
  const owners = await ownersOf(tx, tenantId, people);
  const contactIds = [...new Set(owners.values())];
  const found = await lockChatsOfContacts(tx, tenantId, channelId, contactIds);
  // The one with the latest message comes first.
  found.sort((a, b) => (b.latest_message_at?.getTime() ?? 0) - (a.latest_message_at?.getTime() ?? 0));
  for (const contact of people) {
    const theirs = found.filter(({ contact_id: id }) => id === owners.get(keyOf(contact)));
    const keys = new Set(handlesOf(contact).map(keyOf));
    const chat =
      theirs.find(({ handle_type: type, handle_value: value }) => keys.has(keyOf({ type, value }))) ??
      theirs.find(({ handle_type: type }) => type !== contact.type);
    if (chat) chats.set(keyOf(contact), chat);
  }
}
