import { ApiError, invalidParam } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { Author } from '../users/author.ts';
import type { Note } from './schema.ts';

interface NoteRow {
  id: string;
  chat_id: string;
  channel_id: string;
  contact_id: string;
  author: Author['type'];
  author_id: string | null;
  author_name: string | null;
  text: string;
  mentioned_user_ids: string[];
  created_at: Date;
  updated_at: Date;
}

export const NOTE_COLUMNS = `n.id, n.chat_id, n.channel_id, n.contact_id, n.author, n.author_id, n.author_name, n.text,
  n.mentioned_user_ids, n.created_at, n.updated_at`;

const lockChat = statement<
  [id: string],
  { id: string; channel_id: string; contact_id: string; is_sensitive: boolean }
>(
  'notes.lock_chat',
  `select id, channel_id, contact_id, is_sensitive from visible_chats
    where id = $1 and tenant_id = $tenant for no key update`,
);
const unknownUsers = statement<[ids: string[]], { id: string }>(
  'notes.unknown_users',
  `select given.id from unnest($1::uuid[]) as given (id)
    where not exists (select 1 from users u where u.id = given.id and u.tenant_id = $tenant)`,
);
const insertNote = statement<
  [
    id: string,
    chatId: string,
    channelId: string,
    contactId: string,
    author: string,
    authorId: string | null,
    authorName: string | null,
    text: string,
    mentionedUserIds: string[],
    now: Date,
  ],
  NoteRow
>(
  'notes.insert',
  `insert into notes as n (id, tenant_id, chat_id, channel_id, contact_id, author, author_id, author_name, text,
                           mentioned_user_ids, created_at, updated_at)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) returning ${NOTE_COLUMNS}`,
);
const updateNote = statement<
  [id: string, chatId: string, text: string | null, mentionedUserIds: string[] | null, now: Date],
  NoteRow
>(
  'notes.update',
  `update visible_notes n set text = coalesce($3, n.text), mentioned_user_ids = coalesce($4, n.mentioned_user_ids),
          updated_at = $5
    where n.id = $1 and n.chat_id = $2 and n.tenant_id = $tenant returning ${NOTE_COLUMNS}`,
);
const deleteNote = statement<[id: string, chatId: string], NoteRow>(
  'notes.delete',
  `delete from visible_notes n where n.id = $1 and n.chat_id = $2 and n.tenant_id = $tenant returning ${NOTE_COLUMNS}`,
);

export const presentNote = (row: NoteRow): Note => ({
  id: row.id,
  chatId: row.chat_id,
  channelId: row.channel_id,
  contactId: row.contact_id,
  author: { type: row.author, id: row.author_id, name: row.author_name },
  text: row.text,
  mentionedUserIds: row.mentioned_user_ids,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

interface NoteContent {
  text: string;
  mentionedUserIds: string[];
}

/** Locks the chat of a note, so that events have the order of the changes. */
async function lockChatOf(tx: TenantTx, chatId: string) {
  const chat = isUuid(chatId) ? await tx.find(lockChat, [chatId]) : undefined;
  if (!chat) throw new ApiError('chat_not_found');
  return chat;
}

async function requireUsers(tx: TenantTx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const [unknown] = await tx.all(unknownUsers, [[...ids]]);
  if (!unknown) return;
  const index = ids.findIndex((id) => id.toLowerCase() === unknown.id);
  throw invalidParam(`mentionedUserIds.${index}`, 'custom', `There is no user ${ids[index]}`);
}

function publish(tx: TenantTx, type: EventType, row: NoteRow, isSensitive: boolean): Note {
  const note = presentNote(row);
  tx.publish({
    type,
    channelId: row.channel_id,
    contactId: row.contact_id,
    chatId: row.chat_id,
    data: isSensitive ? { ...note, text: null } : note,
  });
  return note;
}

/** Writes a note about a chat. */
export async function createNote(
  tx: TenantTx,
  chatId: string,
  { text, mentionedUserIds }: NoteContent,
  author: Author,
): Promise<Note> {
  const chat = await lockChatOf(tx, chatId);
  await requireUsers(tx, mentionedUserIds);
  const row = await tx.find(insertNote, [
    newId(),
    chat.id,
    chat.channel_id,
    chat.contact_id,
    author.type,
    author.id,
    author.name,
    text,
    mentionedUserIds,
    tx.now,
  ]);
  return publish(tx, 'note.created', row as NoteRow, chat.is_sensitive);
}

/** Changes the given parts of a note. */
export async function changeNote(
  tx: TenantTx,
  chatId: string,
  noteId: string,
  { text, mentionedUserIds }: Partial<NoteContent>,
): Promise<Note> {
  const chat = await lockChatOf(tx, chatId);
  await requireUsers(tx, mentionedUserIds ?? []);
  const row = isUuid(noteId)
    ? await tx.find(updateNote, [noteId, chat.id, text ?? null, mentionedUserIds ?? null, tx.now])
    : undefined;
  if (!row) throw new ApiError('note_not_found');
  return publish(tx, 'note.updated', row, chat.is_sensitive);
}

/** Deletes a note, and returns whether it existed. */
export async function removeNote(tx: TenantTx, chatId: string, noteId: string): Promise<boolean> {
  const chat = isUuid(chatId) ? await tx.find(lockChat, [chatId]) : undefined;
  const row = chat && isUuid(noteId) ? await tx.find(deleteNote, [noteId, chat.id]) : undefined;
  if (chat && row) publish(tx, 'note.deleted', row, chat.is_sensitive);
  return row !== undefined;
}
