import { randomSecret } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import type { FileUrls } from '../base/file-urls.ts';
import { isUuid } from '../base/ids.ts';
import type { Queryable } from '../db/queryable.ts';
import { type ParameterOf, rowSet } from '../db/rows.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import { fileRemovalsQueue } from './queues.ts';
import { type StoredFile, uploadAbandoned } from './receive.ts';
import type { File } from './schema.ts';

export interface FileRow {
  id: string;
  filename: string;
  mime_type: string;
  size: number;
  sha256: Buffer;
  public_token: string;
  /** Only its owner can download it for ever; everyone else gets URLs that end. */
  is_private: boolean;
  /** The message that it came with; null if it was uploaded. */
  message_id: string | null;
  created_at: Date;
  updated_at: Date;
}

export const FILE_COLUMNS =
  'f.id, f.filename, f.mime_type, f.size, f.sha256, f.public_token, f.is_private, f.message_id, f.created_at, f.updated_at';

const insertFile = statement<
  [
    id: string,
    filename: string,
    mimeType: string,
    size: number,
    sha256: Buffer,
    publicToken: string,
    now: Date,
    isPrivate: boolean,
    uploadedBy: string | null,
  ],
  FileRow
>(
  'files.insert',
  // Without a row in file_removals the bytes are removed already, and no file is created.
  `with kept as (delete from file_removals where id = $1 and tenant_id = $tenant returning id, tenant_id)
   insert into files as f (id, tenant_id, filename, mime_type, size, sha256, public_token, created_at, updated_at, is_private,
     uploaded_by)
   select kept.id, kept.tenant_id, $2, $3, $4, $5, $6, $7, $7, $8, $9 from kept returning ${FILE_COLUMNS}`,
);
const newFiles = rowSet({
  id: 'uuid',
  message_id: 'uuid',
  filename: 'text',
  mime_type: 'text',
  size: 'bigint',
  sha256: 'bytea',
  public_token: 'text',
});
const insertFiles = statement<
  [now: Date, ids: string[], files: ParameterOf<typeof newFiles>],
  { id: string }
>(
  'files.insert_of_messages',
  `with kept as (delete from file_removals where id = any ($2::uuid[]) and tenant_id = $tenant returning id)
   insert into files (id, tenant_id, message_id, filename, mime_type, size, sha256, public_token, created_at, updated_at)
   select n.id, $tenant, n.message_id, n.filename, n.mime_type, n.size, n.sha256, n.public_token, $1, $1
     from kept join ${newFiles.from(3, 'n')} using (id)
   returning id`,
);
const deleteOfMessages = statement<[messageIds: string[]]>(
  'files.delete_of_messages',
  'delete from files where message_id = any ($1::uuid[]) and tenant_id = $tenant',
);
const fileById = statement<[id: string], FileRow>(
  'files.by_id',
  `select ${FILE_COLUMNS} from visible_files f where f.id = $1 and f.tenant_id = $tenant`,
);
const fileByToken = systemStatement<[publicToken: string], FileRow>(
  'files.by_public_token',
  `select ${FILE_COLUMNS} from visible_files f where f.public_token = $1 and not f.is_private`,
);
const signedFile = systemStatement<[id: string], FileRow>(
  'files.by_signed_url',
  `select ${FILE_COLUMNS} from visible_files f where f.id = $1`,
);
const filesOfMessage = statement<[messageId: string], Pick<FileRow, 'id' | 'mime_type' | 'size'>>(
  'files.of_message',
  `select f.id, f.mime_type, f.size from visible_files f where f.message_id = $1 and f.tenant_id = $tenant`,
);
const deleteFile = statement<[id: string]>(
  'files.delete',
  'delete from files where id = $1 and tenant_id = $tenant',
);

const lockFile = statement<[id: string], { id: string }>(
  'files.hold',
  'select f.id from visible_files f where f.id = $1 and f.tenant_id = $tenant for key share of f',
);
const importInNeed = statement<[id: string], { id: string; filename: string; has_ended: boolean }>(
  'files.import_in_need',
  `select i.id, i.filename, j.ended_at is not null as has_ended
     from imports i join jobs j on j.id = i.id and (j.tenant_id = i.tenant_id) is true
    where i.tenant_id = $tenant and i.file_id = $1
      and (j.ended_at is null
        or i.is_dry_run and j.status = 'completed' and not exists (
          select 1 from imports n where n.tenant_id = $tenant and n.file_id = $1 and not n.is_dry_run))
    order by has_ended, i.id desc limit 1`,
);

/** The files that came with a message. */
export const findFilesOfMessage = (
  db: TenantReader,
  messageId: string,
): Promise<Pick<FileRow, 'id' | 'mime_type' | 'size'>[]> => db.all(filesOfMessage, [messageId]);

interface UrlDeps {
  fileUrl: TenantReader['fileUrl'];
  /** What public URLs begin with. */
  baseUrl: () => string;
}

const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;

/** Whether the URLs that are shown of a file end after a while. */
export const hasSignedUrls = ({ is_private, message_id }: FileRow): boolean =>
  is_private || message_id !== null;

export const presentFile = (row: FileRow, { fileUrl, baseUrl }: UrlDeps): File => ({
  id: row.id,
  filename: row.filename,
  url: hasSignedUrls(row) ? fileUrl(row) : publicUrlOf(row, baseUrl()),
  isPrivate: row.is_private,
  mimeType: row.mime_type,
  size: row.size,
  sha256: row.sha256.toString('hex'),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** Creates the record of a file whose bytes are stored. From its commit on they are kept until the file is deleted. */
export async function createFile(
  tx: TenantTx,
  file: StoredFile,
  { isPrivate, uploadedBy }: { isPrivate: boolean; uploadedBy: string | null },
  baseUrl: () => string,
): Promise<File> {
  const row = await tx.find(insertFile, [
    file.id,
    file.filename,
    file.mimeType,
    file.size,
    file.sha256,
    randomSecret(TOKEN_BYTES),
    tx.now,
    isPrivate,
    uploadedBy,
  ]);
  if (!row) throw uploadAbandoned();
  const data = presentFile(row, { fileUrl: tx.fileUrl, baseUrl });
  tx.publish({ type: 'file.created', channelId: null, contactId: null, chatId: null, data });
  return data;
}

/** A file whose bytes are stored, with the secret of its public URL. */
export interface NewFile extends StoredFile {
  publicToken: string;
}

export const newFile = (file: StoredFile): NewFile => ({ ...file, publicToken: randomSecret(TOKEN_BYTES) });

/**
 * Creates the records of files that came with existing messages. They are deleted with their messages and have no event
 * of their own.
 */
export async function attachFiles(
  tx: TenantTx,
  attached: readonly { file: NewFile; messageId: string }[],
): Promise<void> {
  if (attached.length === 0) return;
  const inserted = await tx.run(insertFiles, [
    tx.now,
    attached.map(({ file }) => file.id),
    newFiles.encode(
      attached.map(({ file, messageId }) => ({
        id: file.id,
        message_id: messageId,
        filename: file.filename,
        mime_type: file.mimeType,
        size: file.size,
        sha256: file.sha256,
        public_token: file.publicToken,
      })),
    ),
  ]);
  if (inserted < attached.length) throw uploadAbandoned();
}

/** Deletes the files that came with messages. Their bytes are removed after the commit. */
export async function removeFilesOf(tx: TenantTx, messageIds: string[]): Promise<void> {
  await tx.run(deleteOfMessages, [messageIds]);
}

/** The row of a file of the tenant; undefined also for an id that is not a UUID. */
export const findFile = async (db: TenantReader, fileId: string): Promise<FileRow | undefined> =>
  isUuid(fileId) ? db.find(fileById, [fileId]) : undefined;

/** Returns the row of a file. Throws `file_not_found` also for one of another tenant and for an id that is not a UUID. */
export async function requireFile(db: TenantReader, fileId: string): Promise<FileRow> {
  const row = await findFile(db, fileId);
  if (!row) throw new ApiError('file_not_found');
  return row;
}

/** Returns the row of a file by the secret of its public URL, of any tenant: the URL alone gives access. */
export async function requirePublicFile(db: Pick<Queryable, 'find'>, token: string): Promise<FileRow> {
  const row = TOKEN.test(token) ? await db.find(fileByToken, [token]) : undefined;
  if (!row) throw new ApiError('file_not_found');
  return row;
}

/** Returns the row of a file by a signed URL, of any tenant: the signature alone gives access. */
export async function requireSignedFile(
  db: Pick<Queryable, 'find'>,
  urls: FileUrls,
  { fileId, expires, signature }: { fileId: string; expires: string; signature: string },
): Promise<{ row: FileRow; remainingMs: number }> {
  const remainingMs = isUuid(fileId) ? urls.remainingMs(fileId, expires, signature) : undefined;
  if (remainingMs === undefined) throw new ApiError('file_not_found');
  if (remainingMs <= 0)
    throw new ApiError('file_url_expired', {
      detail: `read the message or the file again for a new URL, or download it with a token from /v3/files/${fileId}/content`,
    });
  const row = await db.find(signedFile, [fileId]);
  if (!row) throw new ApiError('file_not_found');
  return { row, remainingMs };
}

/** The permanent URL of a file. */
export function requirePermanentUrl(row: FileRow, baseUrl: string): string {
  if (row.is_private)
    throw new ApiError('conflict', {
      detail: 'the file is private, so it has no permanent URL; `url` of the file is valid for a while',
    });
  return publicUrlOf(row, baseUrl);
}

/** The URL at which anyone can download the file. The name in it is only for people and for saving the file. */
export const publicUrlOf = (row: Pick<FileRow, 'public_token' | 'filename'>, baseUrl: string): string =>
  `${baseUrl}/public/files/${row.public_token}/${encodeURIComponent(row.filename)}`;

/** Holds a file until the transaction ends, so that nobody deletes it before; false if it is gone. */
export const holdFile = async (tx: TenantTx, fileId: string): Promise<boolean> =>
  (await tx.find(lockFile, [fileId])) !== undefined;

/**
 * Deletes a file and returns whether it existed. Its bytes are removed after the commit. Unless it is forced, a file that an import
 * needs is kept. That is asked after the deletion, which has waited for those who hold the file.
 */
export async function removeFile(
  tx: TenantTx,
  fileId: string,
  { force }: { force?: string },
): Promise<boolean> {
  if (!isUuid(fileId) || (await tx.run(deleteFile, [fileId])) === 0) return false;
  const needed = force === 'true' ? undefined : await tx.find(importInNeed, [fileId]);
  if (needed) {
    const { id, filename, has_ended } = needed;
    throw new ApiError('conflict', {
      detail: has_ended
        ? `the file was checked by the import "${filename}" (${id}) and is not imported yet; import it first, or add ?force=true`
        : `the import "${filename}" (${id}) reads the file; wait until it has ended or cancel it, or add ?force=true`,
    });
  }
  tx.wake(fileRemovalsQueue, tx.tenantId);
  return true;
}
