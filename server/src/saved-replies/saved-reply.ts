import { limitRows } from '../access/limits.ts';
import { attributesOf as attributesOfTenant } from '../attributes/find-attributes.ts';
import { isSimpleLiquid, renderSimple, validateLiquid } from '../automations/definition/liquid.ts';
import { attributesOf } from '../automations/runs/context.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { deletionOf } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import { findChats } from '../chats/chat.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { findFile } from '../files/file.ts';
import type { Principal } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import type { SavedReply } from './schema.ts';

export interface SavedReplyRow {
  id: string;
  shortcut: string;
  text: string;
  media: SavedReply['media'];
  channel_ids: string[];
  created_at: Date;
  updated_at: Date;
}

export const SAVED_REPLY_COLUMNS =
  's.id, s.shortcut, s.text, s.media, s.channel_ids, s.created_at, s.updated_at';

type Values = [id: string, shortcut: string, text: string, media: string, channelIds: string[], now: Date];
const insertReply = statement<Values, SavedReplyRow>(
  'saved_replies.insert',
  `insert into saved_replies as s (id, tenant_id, shortcut, text, media, channel_ids, created_at, updated_at)
   values ($1, $tenant, $2, $3, $4::jsonb, $5, $6, $6)
   on conflict (tenant_id, lower(shortcut)) do nothing returning ${SAVED_REPLY_COLUMNS}`,
);
const replyById = statement<[id: string], SavedReplyRow>(
  'saved_replies.by_id',
  `select ${SAVED_REPLY_COLUMNS} from saved_replies s where s.id = $1 and s.tenant_id = $tenant`,
);
const lockReply = statement<[id: string], SavedReplyRow>(
  'saved_replies.lock',
  `select ${SAVED_REPLY_COLUMNS} from saved_replies s where s.id = $1 and s.tenant_id = $tenant for no key update`,
);
const updateReply = statement<Values, SavedReplyRow>(
  'saved_replies.update',
  `update saved_replies s set shortcut = $2, text = $3, media = $4::jsonb, channel_ids = $5, updated_at = $6
    where s.id = $1 and s.tenant_id = $tenant returning ${SAVED_REPLY_COLUMNS}`,
);
const deleteReply = statement<[id: string]>(
  'saved_replies.delete',
  'delete from saved_replies where id = $1 and tenant_id = $tenant',
);

const requireFewReplies = limitRows('savedReplies', 'saved_replies');

export const presentSavedReply = (row: SavedReplyRow): SavedReply => ({
  id: row.id,
  shortcut: row.shortcut,
  text: row.text,
  media: row.media,
  channelIds: row.channel_ids,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

interface GivenFile {
  fileId: string;
}

interface SavedReplyInput {
  shortcut: string;
  text: string;
  media?: GivenFile | GivenFile[];
  channelIds?: string[];
}

/** What the texts can use. */
const SCOPE = ['contact', 'attributes', 'chat', 'user'];

function validateText(text: string, issues: Issues): void {
  const issue = validateLiquid(text, SCOPE);
  if (issue !== undefined) issues.add('text', 'custom', issue);
  else if (!isSimpleLiquid(text))
    issues.add(
      'text',
      'custom',
      'Loops, assignments and filters that can multiply a text are not allowed here',
    );
}

async function readFiles(
  tx: TenantTx,
  media: GivenFile | readonly GivenFile[],
  issues: Issues,
): Promise<SavedReply['media']> {
  const files: SavedReply['media'] = [];
  for (const [index, { fileId }] of [media].flat().entries()) {
    const file = await findFile(tx, fileId);
    if (file)
      files.push({ fileId: file.id, filename: file.filename, mimeType: file.mime_type, size: file.size });
    else
      issues.add(
        `${Array.isArray(media) ? `media.${index}` : 'media'}.fileId`,
        'custom',
        `There is no file ${fileId}`,
      );
  }
  return files;
}

async function validateChannels(tx: TenantTx, ids: readonly string[], issues: Issues): Promise<void> {
  const known = await findKnownChannelIds(tx, [...ids]);
  for (const [index, id] of ids.entries())
    if (!known.has(id.toLowerCase()))
      issues.add(`channelIds.${index}`, 'custom', `There is no channel ${id}`);
}

const taken = (shortcut: string) =>
  invalidParam('shortcut', 'custom', `There is already a saved reply "${shortcut}"`);

export async function createSavedReply(tx: TenantTx, input: SavedReplyInput): Promise<SavedReply> {
  const { shortcut, text, media = [], channelIds = [] } = input;
  const issues = collectIssues();
  validateText(text, issues);
  const files = await readFiles(tx, media, issues);
  await validateChannels(tx, channelIds, issues);
  issues.throwIfAny();
  await requireFewReplies(tx);
  const row = await tx.find(insertReply, [
    newId(),
    shortcut,
    text,
    JSON.stringify(files),
    channelIds,
    tx.now,
  ]);
  if (!row) throw taken(shortcut);
  return presentSavedReply(row);
}

export async function requireSavedReply(db: TenantReader, savedReplyId: string): Promise<SavedReply> {
  const row = isUuid(savedReplyId) ? await db.find(replyById, [savedReplyId]) : undefined;
  if (!row) throw new ApiError('saved_reply_not_found');
  return presentSavedReply(row);
}

/** Changes the given fields. */
export async function changeSavedReply(
  tx: TenantTx,
  savedReplyId: string,
  change: Partial<SavedReplyInput>,
): Promise<SavedReply> {
  const row = isUuid(savedReplyId) ? await tx.find(lockReply, [savedReplyId]) : undefined;
  if (!row) throw new ApiError('saved_reply_not_found');
  const issues = collectIssues();
  if (change.text !== undefined) validateText(change.text, issues);
  const files = change.media === undefined ? row.media : await readFiles(tx, change.media, issues);
  if (change.channelIds !== undefined) await validateChannels(tx, change.channelIds, issues);
  issues.throwIfAny();
  const { shortcut = row.shortcut, text = row.text, channelIds = row.channel_ids } = change;
  const updated = await tx
    .find(updateReply, [row.id, shortcut, text, JSON.stringify(files), channelIds, tx.now])
    .catch((error) => {
      throw isUniqueViolation(error, 'saved_replies_shortcut') ? taken(shortcut) : error;
    });
  return presentSavedReply(updated as SavedReplyRow);
}

/** Deletes a saved reply and returns whether it existed. */
export async function removeSavedReply(tx: TenantTx, savedReplyId: string): Promise<boolean> {
  if (!isUuid(savedReplyId) || (await tx.run(deleteReply, [savedReplyId])) === 0) return false;
  tx.announce(deletionOf('saved_reply', savedReplyId));
  return true;
}

/** The text as it would be sent in a chat by the caller. */
export async function renderSavedReply(
  db: TenantReader,
  savedReplyId: string,
  chatId: string,
  { caller }: Principal,
): Promise<{ text: string }> {
  const [{ text }, [chat], attributes] = await Promise.all([
    requireSavedReply(db, savedReplyId),
    findChats(db, [chatId.toLowerCase()]),
    attributesOfTenant(db),
  ]);
  if (!chat) throw invalidParam('chatId', 'custom', `There is no chat ${chatId}`);
  const { text: rendered, issue = 'its values are too long' } =
    renderSimple(text, {
      contact: { ...chat.contact, labelIds: chat.contact.labels.map(({ id }) => id) },
      attributes: attributesOf(
        chat.contact,
        attributes.map(({ external_id }) => external_id),
      ),
      chat,
      user: { id: caller.type === 'user' ? caller.id : null, name: caller.name },
    }) ?? {};
  if (rendered === undefined)
    throw invalidParam('chatId', 'custom', `The text could not be rendered for this chat: ${issue}`);
  return { text: rendered };
}
