import type { RealClock } from '../base/clock.ts';
import { sha256 } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { DUE_NOW } from '../engine/queue.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import type { IncomingFile, ReceivedFile } from '../http/call.ts';
import { DEFAULT_PACE, FILE_FIELD } from '../http/upload.ts';
import { shownName } from './filename.ts';
import { mediaTypeOf } from './media-type.ts';
import { fileRemovalsQueue } from './queues.ts';
import type { FileStore } from './store.ts';

const listForRemoval = statement<[id: string, shard: number, dueAt: Date, now: Date]>(
  'file_removals.insert',
  'insert into file_removals (id, tenant_id, shard, due_at, created_at) values ($1, $tenant, $2, $3, $4)',
);
const abandon = statement<[id: string]>(
  'file_removals.abandon',
  `update file_removals set due_at = ${DUE_NOW} where id = $1 and tenant_id = $tenant`,
);

/** Twice as long as an upload may take. Then its bytes are removed, unless its file has been created. */
const ABANDONED_AFTER_MS = 2 * DEFAULT_PACE.maxMs;

/** The error of an upload whose bytes were removed before its file was created. */
export const uploadAbandoned = (): ApiError =>
  new ApiError('service_unavailable', { detail: 'the upload took too long and was removed; send it again' });

/** A file whose bytes are stored. They are removed unless its record is created. */
export interface StoredFile extends ReceivedFile {
  id: string;
  filename: string;
  mimeType: string;
  size: number;
  sha256: Buffer;
}

export interface ReceiveDeps {
  db: Database;
  clock: RealClock;
  wakeUps: Pick<WakeUps, 'wake'>;
  store: FileStore;
}

/** Stores the bytes of a file. Before the first one is written, the file is listed for removal. */
export async function receiveFile(
  { db, clock, wakeUps, store }: ReceiveDeps,
  tenantId: string,
  { filename: given, mimeType: claimed, bytes }: IncomingFile,
): Promise<StoredFile> {
  const tenant = db.forTenant(tenantId);
  const id = newId();
  const now = clock.real();
  const shard = fileRemovalsQueue.shardOf(tenantId, tenantId);
  const abandonedAt = new Date(now.getTime() + ABANDONED_AFTER_MS);
  await tenant.run(listForRemoval, [id, shard, abandonedAt, now]);

  // Changes nothing once the file is created. While that is being committed it waits for the outcome, which a process
  // that lost its connection in that moment does not know.
  const release = async (): Promise<void> => {
    const abandoned = await tenant.run(abandon, [id]).catch(() => 0);
    if (abandoned > 0) wakeUps.wake(fileRemovalsQueue.name, shard, tenantId);
  };
  try {
    const { head, ...facts } = await store.write(id, bytes);
    if (facts.size === 0) throw invalidParam(FILE_FIELD, 'too_small', 'The file is empty');
    const filename = shownName(given);
    return {
      ...facts,
      id,
      filename,
      mimeType: await mediaTypeOf(head, claimed),
      hash: sha256(`${facts.sha256.toString('hex')} ${filename}`),
      release,
    };
  } catch (error) {
    await release();
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? uploadAbandoned() : error;
  }
}
