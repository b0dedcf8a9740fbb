import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { type PersonFacts, personFacts, presentPerson } from '../contacts/contact.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { type StoredTime, timestamp, timestampOrNull } from '../http/schema.ts';
import type { Author } from '../users/author.ts';
import type { Message } from './schema.ts';

/** A row of `messages`, or the same as JSON from PostgreSQL's `to_json`. */
export interface OwnMessageRow {
  id: string;
  chat_id: string;
  channel_id: string;
  contact_id: string;
  sender: Message['sender'];
  author: Author['type'];
  author_id: string | null;
  author_name: string | null;
  purpose: Message['purpose'];
  is_automatic: boolean;
  type: Message['type'];
  text: string | null;
  media: Message['media'];
  content: Record<string, unknown>;
  status: Message['status'];
  error: Message['error'];
  vendor_id: string | null;
  reply_to_message_id: string | null;
  timestamp: StoredTime;
  scheduled_at: StoredTime | null;
  edited_at: StoredTime | null;
  deleted_at: StoredTime | null;
  created_at: StoredTime;
  updated_at: StoredTime;
}

export interface MessageRow extends OwnMessageRow {
  /** The contact of the message's chat. */
  person: PersonFacts;
}

/** Without the contact, which pages read once for all their messages. */
export const OWN_COLUMNS = `m.id, m.chat_id, m.channel_id, m.contact_id, m.sender, m.author, m.author_id, m.author_name, m.purpose, m.is_automatic, m.type,
  m.text, m.media, m.content, m.status, m.error, m.vendor_id, m.reply_to_message_id, m.timestamp, m.scheduled_at, m.edited_at,
  m.deleted_at, m.created_at, m.updated_at`;
const personIn = (chat: string): string => personFacts(`${chat}.contact_id`, `${chat}.handle_id`);
/**
 * The columns of message m with its contact; the parameter is the alias of its chat. While contacts are merged, a message may
 * still have the id of the one that has no handles any more.
 */
export const messageColumns = (chat: string): string => `${OWN_COLUMNS}, ${personIn(chat)} as person`;
/** The same where its chat is not joined. */
export const MESSAGE_COLUMNS = `${OWN_COLUMNS}, (select ${personIn('fk')} from chats fk where fk.id = m.chat_id) as person`;

const messageById = statement<[id: string], MessageRow>(
  'messages.by_id',
  `select ${MESSAGE_COLUMNS} from visible_messages m where m.id = $1 and m.tenant_id = $tenant`,
);

const messagesByIds = statement<[ids: string[]], MessageRow>(
  'messages.by_ids',
  `select ${MESSAGE_COLUMNS} from visible_messages m where m.id = any ($1::uuid[]) and m.tenant_id = $tenant`,
);

const contactsOfChats = statement<
  [chatIds: string[]],
  { chat_id: string; contact_id: string; person: PersonFacts }
>(
  'messages.contacts_of_chats',
  `select k.id as chat_id, k.contact_id, ${personFacts('k.contact_id', 'k.handle_id')} as person
     from visible_chats k where k.id = any ($1::uuid[]) and k.tenant_id = $tenant`,
);

/** Who the contacts of chats are, by chat. */
async function findContactsOfChats(db: TenantReader, chatIds: string[]) {
  const found = await db.all(contactsOfChats, [chatIds]);
  return new Map(
    found.map(({ chat_id, contact_id, person }) => [chat_id, presentPerson(contact_id, person)]),
  );
}

/** The messages of a page, each with its contact: 25 % less CPU than reading the contact with each message. */
export async function presentMessages(db: TenantReader, rows: readonly OwnMessageRow[]): Promise<Message[]> {
  if (rows.length === 0) return [];
  const contacts = await findContactsOfChats(db, [...new Set(rows.map((row) => row.chat_id))]);
  return rows.flatMap((row) => {
    const person = contacts.get(row.chat_id);
    return person ? [presentMessageOf(person, row, db)] : [];
  });
}

/**
 * A chat to read messages of, with its contact, which is read once for all of them. Throws `chat_not_found` if the tenant
 * has no chat with this id, also if it is not a UUID.
 */
export async function requireChatOfMessages(db: TenantReader, chatId: string) {
  const [found] = isUuid(chatId) ? await findContactsOfChats(db, [chatId]) : [];
  if (!found) throw new ApiError('chat_not_found');
  const [id, person] = found;
  return {
    id,
    presentPage: (reader: TenantReader, rows: readonly OwnMessageRow[]): Message[] =>
      rows.map((row) => presentMessageOf(person, row, reader)),
  };
}

/** The messages with these ids that exist, in any order. */
export async function findMessages(db: TenantReader, ids: string[]): Promise<Message[]> {
  return ids.length === 0 ? [] : (await db.all(messagesByIds, [ids])).map((row) => presentMessage(row, db));
}

/** Throws `message_not_found` if the tenant has no message with this id, also if it is not a UUID. */
export async function requireMessage(db: TenantReader, messageId: string): Promise<Message> {
  const row = isUuid(messageId) ? await db.find(messageById, [messageId]) : undefined;
  if (!row) throw new ApiError('message_not_found');
  return presentMessage(row, db);
}

/**
 * A file as its message shows it. The URL of an uploaded file is stored with the message. One that ends is made when it is
 * shown: of a file that was received or is private.
 */
const presentMedia = (
  media: Message['media'],
  sender: Message['sender'],
  { fileUrl }: Pick<TenantReader, 'fileUrl'>,
): Message['media'] =>
  media.map((one) =>
    one.fileId !== null && (one.url === null || sender === 'inbound')
      ? { ...one, url: fileUrl({ id: one.fileId, filename: one.filename ?? 'file' }) }
      : one,
  );

/** The message as the API shows it. */
export const presentMessage = (row: MessageRow, reader: Pick<TenantReader, 'fileUrl'>): Message =>
  presentMessageOf(presentPerson(row.contact_id, row.person), row, reader);

/** The message of a contact that its caller has already described. */
export function presentMessageOf(
  { contact, handle }: Pick<Message, 'handle'> & { contact: NonNullable<Message['contact']> },
  row: OwnMessageRow,
  reader: Pick<TenantReader, 'fileUrl'>,
): Message {
  return {
    id: row.id,
    chatId: row.chat_id,
    channelId: row.channel_id,
    contactId: row.contact_id,
    contact,
    handle,
    vendorId: row.vendor_id,
    sender: row.sender,
    author:
      row.author === 'contact'
        ? { type: 'contact', id: row.contact_id, name: contact.displayName }
        : { type: row.author, id: row.author_id, name: row.author_name },
    purpose: row.purpose,
    isAutomatic: row.is_automatic,
    type: row.type,
    text: row.text,
    media: row.media.length === 0 ? row.media : presentMedia(row.media, row.sender, reader),
    content: row.content,
    status: row.status,
    error: row.error,
    replyToMessageId: row.reply_to_message_id,
    timestamp: timestamp(row.timestamp),
    scheduledAt: timestampOrNull(row.scheduled_at),
    editedAt: timestampOrNull(row.edited_at),
    deletedAt: timestampOrNull(row.deleted_at),
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  };
}

/** A message of a sensitive chat as events show it: without text, media and content, and without who the contact is. */
export const withoutContent = (message: Message): Message => ({
  ...message,
  contact: null,
  handle: null,
  author: message.author.type === 'contact' ? { ...message.author, name: null } : message.author,
  text: null,
  media: [],
  content: {},
});
