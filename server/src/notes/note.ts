import { ApiError } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import { causedByUser, type TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { Author } from '../users/author.ts';
import type { Note } from './schema.ts';

export interface NoteRow {
  id: string;
  chat_id: string;
  channel_id: string;
  contact_id: string;
  author: Author['type'];
  author_id: string | null;
  author_name: string | null;
  text: string;
  mentioned_user_ids: string[];
  mentioned_team_ids: string[];
  created_at: Date;
  updated_at: Date;
}

export const NOTE_COLUMNS = `n.id, n.chat_id, n.channel_id, n.contact_id, n.author, n.author_id, n.author_name, n.text,
  n.mentioned_user_ids, n.mentioned_team_ids, n.created_at, n.updated_at`;

const lockChat = statement<
  [id: string],
  { id: string; channel_id: string; contact_id: string; is_sensitive: boolean }
>(
  'notes.lock_chat',
  `select id, channel_id, contact_id, is_sensitive from visible_chats
    where id = $1 and tenant_id = $tenant for no key update`,
);
const unknownMentions = statement<
  [userIds: string[], teamIds: string[]],
  { kind: 'user' | 'team'; id: string }
>(
  'notes.unknown_mentions',
  `select 'user' as kind, given.id from unnest($1::uuid[]) as given (id)
    where not exists (select 1 from users u where u.id = given.id and u.tenant_id = $tenant)
   union all
   select 'team', given.id from unnest($2::uuid[]) as given (id)
    where not exists (select 1 from teams t where t.id = given.id and t.tenant_id = $tenant)`,
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
    mentionedTeamIds: string[],
  ],
  NoteRow
>(
  'notes.insert',
  `insert into notes as n (id, tenant_id, chat_id, channel_id, contact_id, author, author_id, author_name, text,
                           mentioned_user_ids, created_at, updated_at, mentioned_team_ids)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11) returning ${NOTE_COLUMNS}`,
);
const noteById = statement<[id: string], NoteRow>(
  'notes.by_id',
  `select ${NOTE_COLUMNS} from visible_notes n where n.id = $1 and n.tenant_id = $tenant`,
);
const updateNote = statement<
  [id: string, text: string, mentionedUserIds: string[], mentionedTeamIds: string[], now: Date],
  NoteRow
>(
  'notes.update',
  `update visible_notes n set text = $2, mentioned_user_ids = $3, mentioned_team_ids = $4, updated_at = $5
    where n.id = $1 and n.tenant_id = $tenant returning ${NOTE_COLUMNS}`,
);
const deleteNote = statement<[id: string], NoteRow>(
  'notes.delete',
  `delete from visible_notes n where n.id = $1 and n.tenant_id = $tenant returning ${NOTE_COLUMNS}`,
);

export const presentNote = (row: NoteRow): Note => ({
  id: row.id,
  chatId: row.chat_id,
  channelId: row.channel_id,
  contactId: row.contact_id,
  author: { type: row.author, id: row.author_id, name: row.author_name },
  text: row.text,
  mentionedUserIds: row.mentioned_user_ids,
  mentionedTeamIds: row.mentioned_team_ids,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

interface Mentions {
  mentionedUserIds: string[];
  mentionedTeamIds: string[];
}
interface NoteContent extends Mentions {
  text: string;
}

/** Locks the chat, so that events have the order of the changes. */
async function lockChatOf(tx: TenantTx, chatId: string) {
  const chat = isUuid(chatId) ? await tx.find(lockChat, [chatId]) : undefined;
  if (!chat) throw new ApiError('chat_not_found');
  return chat;
}

/** A note and its chat, which is locked; undefined if there is no such note. */
async function lockNote(
  tx: TenantTx,
  noteId: string,
): Promise<{ note: NoteRow; isSensitive: boolean } | undefined> {
  const found = isUuid(noteId) ? await tx.find(noteById, [noteId]) : undefined;
  if (!found) return undefined;
  const chat = await tx.find(lockChat, [found.chat_id]);
  const note = await tx.find(noteById, [noteId]);
  // Until the lock was there, the chat may have become one with another, and the note moved with it.
  if (note && note.chat_id !== found.chat_id) return lockNote(tx, noteId);
  return chat && note ? { note, isSensitive: chat.is_sensitive } : undefined;
}

/** Throws an issue for each user and team that does not exist. Returns the ids as they are stored. */
async function requireMentions(tx: TenantTx, mentions: Mentions): Promise<Mentions> {
  const lower = (ids: string[]): string[] => ids.map((id) => id.toLowerCase());
  const mentionedUserIds = lower(mentions.mentionedUserIds);
  const mentionedTeamIds = lower(mentions.mentionedTeamIds);
  if (mentionedUserIds.length + mentionedTeamIds.length === 0) return { mentionedUserIds, mentionedTeamIds };
  const issues = collectIssues();
  for (const { kind, id } of await tx.all(unknownMentions, [mentionedUserIds, mentionedTeamIds])) {
    const [name, ids] =
      kind === 'user' ? ['mentionedUserIds', mentionedUserIds] : ['mentionedTeamIds', mentionedTeamIds];
    issues.add(`${name}.${ids.indexOf(id)}`, 'custom', `There is no ${kind} ${id}`);
  }
  issues.throwIfAny();
  return { mentionedUserIds, mentionedTeamIds };
}

function publish(
  tx: TenantTx,
  type: EventType,
  row: NoteRow,
  isSensitive: boolean,
  facts?: Record<string, unknown>,
): Note {
  const note = presentNote(row);
  tx.publish({
    type,
    channelId: row.channel_id,
    contactId: row.contact_id,
    chatId: row.chat_id,
    data: isSensitive ? { ...note, text: null } : note,
    facts,
  });
  return note;
}

/** Whom a note has reached now, for notifications; undefined for nobody. */
function newMentions(row: NoteRow, before?: NoteRow): Record<string, unknown> | undefined {
  const added = (ids: string[], known: string[] = []) => ids.filter((id) => !known.includes(id));
  const userIds = added(row.mentioned_user_ids, before?.mentioned_user_ids);
  const teamIds = added(row.mentioned_team_ids, before?.mentioned_team_ids);
  return userIds.length + teamIds.length === 0
    ? undefined
    : { mentions: { noteId: row.id, userIds, teamIds } };
}

/** Writes a note about a chat. */
export async function createNote(
  tx: TenantTx,
  chatId: string,
  { text, ...mentions }: NoteContent,
  author: Author,
): Promise<Note> {
  const chat = await lockChatOf(tx, chatId);
  const { mentionedUserIds, mentionedTeamIds } = await requireMentions(tx, mentions);
  const row = (await tx.find(insertNote, [
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
    mentionedTeamIds,
  ])) as NoteRow;
  const facts = newMentions(row);
  return publish(
    causedByUser(tx, author.type === 'user' ? author.id : null),
    'note.created',
    row,
    chat.is_sensitive,
    facts,
  );
}

/** Changes the given parts of a note. Only who was not mentioned before is notified. */
export async function changeNote(tx: TenantTx, noteId: string, change: Partial<NoteContent>): Promise<Note> {
  const locked = await lockNote(tx, noteId);
  if (!locked) throw new ApiError('note_not_found');
  const { note: before, isSensitive } = locked;
  const given = await requireMentions(tx, {
    mentionedUserIds: change.mentionedUserIds ?? [],
    mentionedTeamIds: change.mentionedTeamIds ?? [],
  });
  const row = (await tx.find(updateNote, [
    before.id,
    change.text ?? before.text,
    change.mentionedUserIds ? given.mentionedUserIds : before.mentioned_user_ids,
    change.mentionedTeamIds ? given.mentionedTeamIds : before.mentioned_team_ids,
    tx.now,
  ])) as NoteRow;
  return publish(tx, 'note.updated', row, isSensitive, newMentions(row, before));
}

/** Deletes a note, and returns whether it existed. */
export async function removeNote(tx: TenantTx, noteId: string): Promise<boolean> {
  const locked = await lockNote(tx, noteId);
  const row = locked && (await tx.find(deleteNote, [locked.note.id]));
  if (row) publish(tx, 'note.deleted', row, locked.isSensitive);
  return row !== undefined;
}
