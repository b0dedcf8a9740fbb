import {
  createChats,
  findChatsOfContacts,
  findWithoutChat,
  type LockedChat,
} from '../../chats/find-or-create.ts';
import { createContacts } from '../../contacts/create-contacts.ts';
import { addHandles } from '../../contacts/handles/add.ts';
import { findOwners, keyOf, lockOwners } from '../../contacts/handles/owners.ts';
import { vendorHandle } from '../../contacts/handles/validate.ts';
import { TransactionConflict } from '../../db/errors.ts';
import type { Queryable } from '../../db/queryable.ts';
import { systemStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { VendorContact } from '../../providers/inbound-event.ts';
import type { Handle } from '../../providers/kinds.ts';
import { lockChatsAndClaim, type VendorClaim } from './claim-vendor-ids.ts';

const receivedBefore = systemStatement<[channelId: string, vendorIds: string[]], { vendor_id: string }>(
  'messages.received_before',
  'select vendor_id from vendor_messages where channel_id = $1 and vendor_id = any ($2::text[]) and message_id is not null',
);

/** Which of these vendor ids were received before, even if their messages are deleted by now. */
export async function findReceivedBefore(
  db: Pick<Queryable, 'all'>,
  channelId: string,
  vendorIds: string[],
): Promise<Set<string>> {
  if (vendorIds.length === 0) return new Set();
  return new Set((await db.all(receivedBefore, [channelId, vendorIds])).map((row) => row.vendor_id));
}

/** A vendor's handle as we store it. */
export const normalizeHandle = <H extends Handle>(handle: H): H => ({
  ...handle,
  value: vendorHandle(handle.type, handle.value),
});

/** A vendor's contact with its handles as we store them. */
export const normalizeContact = (contact: VendorContact): VendorContact => ({
  ...normalizeHandle(contact),
  ...(contact.others?.length ? { others: contact.others.map(normalizeHandle) } : {}),
});

export const handlesOf = (contact: VendorContact): Handle[] => [contact, ...(contact.others ?? [])];

/** What a message needs so that its chat can be found. */
export interface Written {
  vendorId: string;
  /** The id that it gets if nobody has stored it before. */
  messageId: string;
  contact: VendorContact;
}

interface CreatedChats {
  newContacts: string[];
  newChats: string[];
  /** Contacts that existed and got another handle. */
  changedContacts: string[];
}

export interface ResolvedChats<W> extends CreatedChats {
  /** What is to be stored: not what was received before in a chat that is deleted by now. */
  written: W[];
  /** The vendor's ids of the messages. */
  claims: VendorClaim[];
  /** The locked chat of every sender, by the key of the sender's first handle. */
  chats: Map<string, LockedChat>;
}

/**
 * Locks the chat of every sender. New senders get a contact and a chat; all handles of a sender go to one contact. Contacts
 * come before chats, as in every transaction.
 */
export async function resolveChats<W extends Written>(
  tx: TenantTx,
  channelId: string,
  written: W[],
  /** Whether new chats are closed, because nobody waits in them. */
  isClosed = false,
): Promise<ResolvedChats<W>> {
  const senders = sendersOf(written);
  // Mostly all chats exist. If not, nothing may be locked before the contacts.
  if ([...senders.values()].every(({ others }) => others === undefined)) {
    const { chats, claims } = await lockChats(tx, channelId, senders, written, NOTHING_CREATED.handles, {
      allOrNone: true,
    });
    if (chats.size === senders.size) return { written, claims, chats, ...NOTHING_CREATED };
    if (chats.size > 0) throw new TransactionConflict('A chat was deleted while it was locked with others.');
  }
  const withoutChat = await findWithoutChat(tx, channelId, [...senders.values()]);
  const hasNoChat = (contact: VendorContact): boolean => withoutChat.has(keyOf(contact));
  // A message that was received before came in a chat that is deleted by now: its repetition does not create it again.
  const before = await findReceivedBefore(
    tx,
    channelId,
    written.filter(({ contact }) => hasNoChat(contact)).map(({ vendorId }) => vendorId),
  );
  const kept = written.filter(({ contact, vendorId }) => !hasNoChat(contact) || !before.has(vendorId));
  const keptKeys = new Set(kept.map(({ contact }) => keyOf(contact)));
  const unresolved = [...senders.values()].filter(
    (contact) => keptKeys.has(keyOf(contact)) && (hasNoChat(contact) || contact.others !== undefined),
  );
  const { handles, ...created } =
    unresolved.length === 0
      ? NOTHING_CREATED
      : await createMissing(tx, channelId, senders, unresolved, hasNoChat, isClosed);

  return { written: kept, ...(await lockChats(tx, channelId, senders, kept, handles)), ...created };
}

/** Locks the chats of senders, those with `handles` over these, and claims the vendor's ids of messages. */
async function lockChats<W extends Written>(
  tx: TenantTx,
  channelId: string,
  senders: ReadonlyMap<string, VendorContact>,
  messages: readonly W[],
  handles: ReadonlyMap<string, Handle>,
  options?: { allOrNone: boolean },
): Promise<Pick<ResolvedChats<W>, 'chats' | 'claims'>> {
  const handleOf = (contact: VendorContact): Handle => handles.get(keyOf(contact)) ?? contact;
  const toLock = new Map([...senders.values()].map(handleOf).map((handle) => [keyOf(handle), handle]));
  const { chats: locked, claims } = await lockChatsAndClaim(
    tx,
    channelId,
    [...toLock.values()],
    messages.map((message) => ({ ...message, contact: handleOf(message.contact) })),
    options,
  );
  const byHandle = new Map(
    locked.map((chat) => [keyOf({ type: chat.handle_type, value: chat.handle_value }), chat]),
  );
  const chats = new Map<string, LockedChat>();
  for (const [key, contact] of senders) {
    const chat = byHandle.get(keyOf(handleOf(contact)));
    if (chat) chats.set(key, chat);
  }
  return { chats, claims };
}

type Created = CreatedChats & {
  /** The handle that the chat of a sender is over, by the key of the sender's first handle, if it is another one. */
  handles: ReadonlyMap<string, Handle>;
};

const NOTHING_CREATED: Created = { newContacts: [], newChats: [], changedContacts: [], handles: new Map() };

/** Creates the contacts, handles and chats of senders that do not exist yet. */
async function createMissing(
  tx: TenantTx,
  channelId: string,
  senders: Map<string, VendorContact>,
  unresolved: VendorContact[],
  hasNoChat: (contact: VendorContact) => boolean,
  isClosed: boolean,
): Promise<Created> {
  const owners = await lockOwners(tx, unresolved.flatMap(handlesOf), 'to_refer');
  const duplicates = findDuplicates(senders);
  const unique = unresolved.filter(
    (contact) => owners.has(keyOf(contact)) || !duplicates.has(keyOf(contact)),
  );
  const unknown = unique.filter((contact) => !handlesOf(contact).some((handle) => owners.has(keyOf(handle))));
  const newContacts = unknown.length === 0 ? [] : await createContacts(tx, unknown);
  const changed = await addMissingHandles(tx, unique, owners);

  const known = unique.filter((contact) => hasNoChat(contact) && !unknown.includes(contact));
  const handles = await adoptChats(tx, channelId, known);
  const toCreate = unique.filter((contact) => hasNoChat(contact) && !handles.has(keyOf(contact)));
  const newChats = toCreate.length === 0 ? [] : await createChats(tx, channelId, toCreate, { isClosed });
  for (const [key, same] of duplicates) {
    const [contact, first] = [senders.get(key), senders.get(same)];
    if (contact && first && hasNoChat(contact) && !unique.includes(contact))
      handles.set(key, handles.get(same) ?? first);
  }
  const changedContacts = changed.filter((id) => !newContacts.includes(id));
  return { newContacts, newChats, changedContacts, handles };
}

/** Every sender once, by the key of the first handle, with all other handles that were given for it. */
function sendersOf(written: Written[]): Map<string, VendorContact> {
  const senders = new Map<string, VendorContact>();
  for (const { contact } of written) {
    const key = keyOf(contact);
    const before = senders.get(key);
    const others = new Map(
      [...(before?.others ?? []), ...(contact.others ?? [])]
        .filter((handle) => keyOf(handle) !== key)
        .map((handle) => [keyOf(handle), handle]),
    );
    const { type, value } = contact;
    const name = before?.name ?? contact.name;
    senders.set(key, { type, value, name, ...(others.size > 0 ? { others: [...others.values()] } : {}) });
  }
  return senders;
}

/** Senders whose first handle is another handle of a sender before them: both are the same contact. */
function findDuplicates(senders: Map<string, VendorContact>): Map<string, string> {
  const duplicates = new Map<string, string>();
  for (const [key, { others = [] }] of senders)
    if (!duplicates.has(key))
      for (const other of others) if (senders.has(keyOf(other))) duplicates.set(keyOf(other), key);
  return duplicates;
}

/**
 * Adds the handles that no contact has yet to the sender's contact: the owner of the first handle, else of the first
 * other handle that has one. A handle of another contact stays there.
 */
async function addMissingHandles(
  tx: TenantTx,
  senders: VendorContact[],
  owners: Map<string, string>,
): Promise<string[]> {
  const several = senders.filter((contact) => contact.others !== undefined);
  if (several.length === 0) return [];
  // Contacts that were created a moment ago, here or by another transaction.
  const created = await findOwners(
    tx,
    several.filter((contact) => !owners.has(keyOf(contact))),
  );
  const ownerOf = (handle: Handle): string | undefined =>
    owners.get(keyOf(handle)) ?? created.get(keyOf(handle));
  const missing = several.flatMap((contact) => {
    const handles = handlesOf(contact);
    const contactId = handles.map(ownerOf).find((id) => id !== undefined);
    return contactId === undefined
      ? []
      : handles.filter((handle) => !ownerOf(handle)).map((handle) => ({ ...handle, contactId }));
  });
  const unique = new Map(missing.map((handle) => [keyOf(handle), handle]));
  return addHandles(tx, [...unique.values()]);
}

/**
 * Finds the chats of known contacts who write from another handle than before: the chat over one of the handles given
 * with it, else one over a handle of another type. A second phone number is another chat; a number that the vendor now
 * hides behind an id is not. Returns the handle of the chat by the key of the contact's first handle.
 */
async function adoptChats(
  tx: TenantTx,
  channelId: string,
  senders: VendorContact[],
): Promise<Map<string, Handle>> {
  const handles = new Map<string, Handle>();
  if (senders.length === 0) return handles;
  const owners = await findOwners(tx, senders);
  const found = await findChatsOfContacts(tx, channelId, [...new Set(owners.values())]);
  found.sort((a, b) => (b.latest_message_at?.getTime() ?? 0) - (a.latest_message_at?.getTime() ?? 0));
  for (const contact of senders) {
    const own = found.filter(({ contact_id: id }) => id === owners.get(keyOf(contact)));
    const keys = new Set(handlesOf(contact).map(keyOf));
    const chat = own.find((one) => keys.has(keyOf(one))) ?? own.find(({ type }) => type !== contact.type);
    if (chat) handles.set(keyOf(contact), { type: chat.type, value: chat.value });
  }
  return handles;
}
