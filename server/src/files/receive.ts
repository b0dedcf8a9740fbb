import type { Clock } from '../base/clock.ts';
import { sha256 } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { AT_ONCE, realShardOf } from '../engine/queue.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import type { IncomingFile, ReceivedFile } from '../http/route.ts';
import { FILE_FIELD, PACE } from '../http/upload.ts';
import { shownName } from './filename.ts';
import { mediaTypeOf } from './media-type.ts';
import { REMOVALS_LIST } from './removals.ts';
import type { FileStore } from './store.ts';

const listForRemoval = statement<[id: string, tenantId: string, shard: number, dueAt: Date, now: Date]>(
  'file_removals.list',
  'insert into file_removals (id, tenant_id, shard, due_at, created_at) values ($1, $2, $3, $4, $5)',
);
const abandon = statement<[id: string, tenantId: string]>(
  'file_removals.abandon',
  `update file_removals set due_at = ${AT_ONCE} where id = $1 and tenant_id = $2`,
);

/** Twice as long as an upload may take. Then its bytes are removed, if its process has not lived to say what becomes of them. */
const GIVEN_UP_AFTER_MS = 2 * PACE.longestMs;

/** Its bytes have been removed under it: it took too long, or was thought to have ended with its process. */
export const givenUp = (): ApiError =>
  new ApiError('service_unavailable', { detail: 'the upload was given up meanwhile, send it again' });

/** A file whose bytes are stored for good, unless its record is not made. */
export interface StoredFile extends ReceivedFile {
  id: string;
  filename: string;
  mimeType: string;
  size: number;
  sha256: Buffer;
}

export interface ReceiveDeps {
  db: Database;
  clock: Clock;
  wakeUps: WakeUps;
  store: FileStore;
}

/** Takes a file in. Before the first byte is written it is on record that there may be bytes to remove. */
export async function receiveFile(
  { db, clock, wakeUps, store }: ReceiveDeps,
  tenantId: string,
  { filename: given, mimeType: claimed, bytes }: IncomingFile,
): Promise<StoredFile> {
  const id = newId();
  const shard = realShardOf(tenantId);
  const now = clock.real();
  await db.run(listForRemoval, [id, tenantId, shard, new Date(now.getTime() + GIVEN_UP_AFTER_MS), now]);

  // Changes nothing once the file is made. While that is being committed it waits for the outcome, which a process that
  // lost its connection in that moment does not know.
  const release = async (): Promise<void> => {
    const abandoned = await db.run(abandon, [id, tenantId]).catch(() => 0);
    if (abandoned > 0) wakeUps.give(REMOVALS_LIST, shard, tenantId);
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
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? givenUp() : error;
  }
}
