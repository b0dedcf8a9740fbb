import { createChats, type LockedChat, lockChatsOf, lockChatsOfContacts } from '../chats/find-or-create.ts';
import { addHandles, keyOf, ownersOf } from '../contacts/add-handles.ts';
import { createPeople } from '../contacts/find-or-create.ts';
import { vendorHandle } from '../contacts/handles.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Handle, Peer } from '../providers/adapter.ts';

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
export const peerOf = (peer: Peer): Peer => ({
  ...inOurSpelling(peer),
  ...(peer.others?.length ? { others: peer.others.map(inOurSpelling) } : {}),
});

const handlesOf = (peer: Peer): Handle[] => [peer, ...(peer.others ?? [])];

/** What was written, as far as it decides whose chat it belongs to. */
interface Written {
  vendorId: string;
  peer: Peer;
}

export interface ChatsWith<W> {
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
export async function chatsWith<W extends Written>(
  tx: Tx,
  { id: channelId, tenantId }: { id: string; tenantId: string },
  written: W[],
  now: Date,
): Promise<ChatsWith<W>> {
  const people = peopleIn(written);
  const chats = new Map<string, LockedChat>();
  const lock = async (handles: Handle[]): Promise<void> => {
    for (const chat of await lockChatsOf(tx, tenantId, channelId, handles))
      chats.set(keyOf({ type: chat.handle_type, value: chat.handle_value }), chat);
  };
  await lock([...people.values()]);
  const none = { newContacts: [], newChats: [], changedContacts: [] };
  const isStranger = (peer: Peer): boolean => !chats.has(keyOf(peer));
  const fromStrangers = written.filter(({ peer }) => isStranger(peer));
  // A message that was here before came in a chat that is deleted: its repetition does not bring anyone back.
  const before = await findReceivedBefore(
    tx,
    channelId,
    fromStrangers.map(({ vendorId }) => vendorId),
  );
  const kept = written.filter(({ peer, vendorId }) => !isStranger(peer) || !before.has(vendorId));
  const writing = new Set(kept.map(({ peer }) => keyOf(peer)));
  const open = [...people.values()].filter(
    (peer) => writing.has(keyOf(peer)) && (isStranger(peer) || peer.others !== undefined),
  );
  if (open.length === 0) return { ...none, written: kept, chats };

  const known = await ownersOf(tx, tenantId, open.flatMap(handlesOf));
  const doubles = doublesAmong(people);
  const persons = open.filter((peer) => known.has(keyOf(peer)) || !doubles.has(keyOf(peer)));
  const nobody = persons.filter((peer) => !handlesOf(peer).some((handle) => known.has(keyOf(handle))));
  const newContacts = nobody.length === 0 ? [] : await createPeople(tx, tenantId, nobody, now);
  const changed = await joinHandles(tx, tenantId, persons, known, now);

  const strangers = persons.filter(isStranger);
  const acquainted = strangers.filter((peer) => !nobody.includes(peer));
  await adoptChats(tx, { channelId, tenantId }, acquainted, chats);
  const without = strangers.filter(isStranger);
  const newChats = without.length === 0 ? [] : await createChats(tx, tenantId, channelId, without, now);
  if (without.length > 0) await lock(without);
  for (const [key, same] of doubles) {
    const chat = chats.get(key) ?? chats.get(same);
    if (chat) chats.set(key, chat);
  }
  const changedContacts = changed.filter((id) => !newContacts.includes(id));
  return { written: kept, chats, newContacts, newChats, changedContacts };
}

/** Everyone who wrote, once, with all handles that were told of them. */
function peopleIn(written: Written[]): Map<string, Peer> {
  const people = new Map<string, Peer>();
  for (const { peer } of written) {
    const key = keyOf(peer);
    const before = people.get(key);
    const others = new Map(
      [...(before?.others ?? []), ...(peer.others ?? [])]
        .filter((handle) => keyOf(handle) !== key)
        .map((handle) => [keyOf(handle), handle]),
    );
    const { type, value } = peer;
    const name = before?.name ?? peer.name;
    people.set(key, { type, value, name, ...(others.size > 0 ? { others: [...others.values()] } : {}) });
  }
  return people;
}

/** Who wrote by a handle that somebody else here has beside their own: the same person, by the key of the first. */
function doublesAmong(people: Map<string, Peer>): Map<string, string> {
  const doubles = new Map<string, string>();
  for (const [key, { others = [] }] of people)
    if (!doubles.has(key))
      for (const other of others) if (people.has(keyOf(other))) doubles.set(keyOf(other), key);
  return doubles;
}

/**
 * Gives the contact of each person the handles that nobody has. The contact is the one of the handle that counts, else
 * of the first other that anybody has; what belongs to another contact stays there.
 */
async function joinHandles(
  tx: Tx,
  tenantId: string,
  people: Peer[],
  known: Map<string, string>,
  now: Date,
): Promise<string[]> {
  const several = people.filter((peer) => peer.others !== undefined);
  if (several.length === 0) return [];
  // Those that were made a moment ago, here or by somebody else at the same time.
  const made = await ownersOf(
    tx,
    tenantId,
    several.filter((peer) => !known.has(keyOf(peer))),
  );
  const ownerOf = (handle: Handle): string | undefined => known.get(keyOf(handle)) ?? made.get(keyOf(handle));
  const missing = several.flatMap((peer) => {
    const handles = handlesOf(peer);
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
  people: Peer[],
  chats: Map<string, LockedChat>,
): Promise<void> {
  if (people.length === 0) return;
  const owners = await ownersOf(tx, tenantId, people);
  const contactIds = [...new Set(owners.values())];
  const found = await lockChatsOfContacts(tx, tenantId, channelId, contactIds);
  // The one with the latest message comes first.
  found.sort((a, b) => (b.latest_message_at?.getTime() ?? 0) - (a.latest_message_at?.getTime() ?? 0));
  for (const peer of people) {
    const theirs = found.filter(({ contact_id: id }) => id === owners.get(keyOf(peer)));
    const keys = new Set(handlesOf(peer).map(keyOf));
    const chat =
      theirs.find(({ handle_type: type, handle_value: value }) => keys.has(keyOf({ type, value }))) ??
      theirs.find(({ handle_type: type }) => type !== peer.type);
    if (chat) chats.set(keyOf(peer), chat);
  }
}
