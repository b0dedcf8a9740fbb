import { randomSecret } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/outbox.ts';
import { realShardOf } from '../engine/queue.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { timestamp } from '../http/schema.ts';
import { givenUp, type StoredFile } from './receive.ts';
import { REMOVALS_LIST } from './removals.ts';
import type { File } from './schema.ts';

export interface FileRow {
  id: string;
  filename: string;
  mime_type: string;
  size: number;
  sha256: Buffer;
  public_token: string;
  created_at: Date;
  updated_at: Date;
}

export const FILE_COLUMNS =
  'f.id, f.filename, f.mime_type, f.size, f.sha256, f.public_token, f.created_at, f.updated_at';

const insertFile = statement<
  [
    id: string,
    tenantId: string,
    filename: string,
    mimeType: string,
    size: number,
    sha256: Buffer,
    publicToken: string,
    now: Date,
  ],
  FileRow
>(
  'files.insert',
  // Bytes that have been given up are not made a file any more.
  `with kept as (delete from file_removals where id = $1 and tenant_id = $2 returning id, tenant_id)
   insert into files as f (id, tenant_id, filename, mime_type, size, sha256, public_token, created_at, updated_at)
   select kept.id, kept.tenant_id, $3, $4, $5, $6, $7, $8, $8 from kept returning ${FILE_COLUMNS}`,
);
const insertFiles = statement<
  [
    tenantId: string,
    now: Date,
    ids: string[],
    messageIds: string[],
    filenames: string[],
    mimeTypes: string[],
    sizes: number[],
    hashes: Buffer[],
    publicTokens: string[],
  ],
  { id: string }
>(
  'files.insert_of_messages',
  `with kept as (delete from file_removals where id = any ($3::uuid[]) and tenant_id = $1 returning id)
   insert into files (id, tenant_id, message_id, filename, mime_type, size, sha256, public_token, created_at, updated_at)
   select n.id, $1, n.message_id, n.filename, n.mime_type, n.size, n.sha256, n.public_token, $2, $2
     from kept join unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::bytea[], $9::text[])
       as n (id, message_id, filename, mime_type, size, sha256, public_token) using (id)
   returning id`,
);
const deleteOfMessages = statement<[messageIds: string[], tenantId: string]>(
  'files.delete_of_messages',
  'delete from files where message_id = any ($1::uuid[]) and tenant_id = $2',
);
const fileById = statement<[id: string, tenantId: string], FileRow>(
  'files.by_id',
  `select ${FILE_COLUMNS} from files f where f.id = $1 and f.tenant_id = $2`,
);
const fileByToken = statement<[publicToken: string], FileRow>(
  'files.by_public_token',
  `select ${FILE_COLUMNS} from files f where f.public_token = $1`,
);
const deleteFile = statement<[id: string, tenantId: string]>(
  'files.delete',
  'delete from files where id = $1 and tenant_id = $2',
);

const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;

export const presentFile = (row: FileRow): File => ({
  id: row.id,
  filename: row.filename,
  mimeType: row.mime_type,
  size: row.size,
  sha256: row.sha256.toString('hex'),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** Makes the record of a file whose bytes are stored: from its commit on they are there for good. */
export async function createFile(
  tx: Tx,
  tenantId: string,
  file: StoredFile,
  { publish }: Publisher,
  now: Date,
): Promise<File> {
  const row = await tx.find(insertFile, [
    file.id,
    tenantId,
    file.filename,
    file.mimeType,
    file.size,
    file.sha256,
    randomSecret(TOKEN_BYTES),
    now,
  ]);
  if (!row) throw givenUp();
  const data = presentFile(row);
  await publish(tx, tenantId, [
    { type: 'file.created', channelId: null, contactId: null, chatId: null, data },
  ]);
  return data;
}

/** A file whose bytes are stored, with the public URL that it will have. */
export interface NewFile extends StoredFile {
  publicToken: string;
}

export const newFile = (file: StoredFile): NewFile => ({ ...file, publicToken: randomSecret(TOKEN_BYTES) });

/**
 * Makes the records of files that came with messages, which are there already. The files go with their messages. Nobody
 * is told of them but through the message.
 */
export async function attachFiles(
  tx: Tx,
  tenantId: string,
  attached: readonly { file: NewFile; messageId: string }[],
  now: Date,
): Promise<void> {
  if (attached.length === 0) return;
  const made = await tx.run(insertFiles, [
    tenantId,
    now,
    attached.map(({ file }) => file.id),
    attached.map(({ messageId }) => messageId),
    attached.map(({ file }) => file.filename),
    attached.map(({ file }) => file.mimeType),
    attached.map(({ file }) => file.size),
    attached.map(({ file }) => file.sha256),
    attached.map(({ file }) => file.publicToken),
  ]);
  if (made < attached.length) throw givenUp();
}

/** Deletes the files that came with messages. Their bytes go after the commit. */
export async function removeFilesOf(tx: Tx, tenantId: string, messageIds: string[]): Promise<void> {
  await tx.run(deleteOfMessages, [messageIds, tenantId]);
}

/** The row of a file, or `file_not_found` for an id of another tenant, of nobody, or of no shape at all. */
export async function requireFile(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  fileId: string,
): Promise<FileRow> {
  const row = isUuid(fileId) ? await db.find(fileById, [fileId, tenantId]) : undefined;
  if (!row) throw new ApiError('file_not_found');
  return row;
}

/** The row of a file by what only its public URL tells. Whoever has that may have the file, of whichever tenant. */
export async function requirePublicFile(db: Pick<Queryable, 'find'>, token: string): Promise<FileRow> {
  const row = TOKEN.test(token) ? await db.find(fileByToken, [token]) : undefined;
  if (!row) throw new ApiError('file_not_found');
  return row;
}

/** Where anyone can get the file. The name is there to be read by people, and to be saved under. */
export const publicUrlOf = (row: Pick<FileRow, 'public_token' | 'filename'>, baseUrl: string): string =>
  `${baseUrl}/public/files/${row.public_token}/${encodeURIComponent(row.filename)}`;

/** Deletes a file, and says whether it was there. Its bytes go after the commit. */
export async function removeFile(
  tx: Tx,
  tenantId: string,
  fileId: string,
  wakeUps: WakeUps,
): Promise<boolean> {
  if (!isUuid(fileId) || (await tx.run(deleteFile, [fileId, tenantId])) === 0) return false;
  tx.afterCommit(() => wakeUps.give(REMOVALS_LIST, realShardOf(tenantId), tenantId));
  return true;
}
