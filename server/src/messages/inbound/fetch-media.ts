import type { Logger } from 'pino';
import type { Keys } from '../../base/crypto.ts';
import { storable } from '../../base/storable.ts';
import { decryptConfig } from '../../channels/encrypted-config.ts';
import { isServerTrouble } from '../../db/errors.ts';
import { statement } from '../../db/statement.ts';
import { nextDueAt } from '../../engine/retry.ts';
import type { Outcome } from '../../engine/scheduler.ts';
import { attachFiles, type NewFile } from '../../files/file.ts';
import { findExceededStorage } from '../../files/limit-storage.ts';
import type { ReceiveDeps } from '../../files/receive.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { AdapterContext } from '../../providers/adapter-context.ts';
import type { Adapters } from '../../providers/adapters.ts';
import { VendorFailure } from '../../providers/vendor-failure.ts';
import { type MessageRow, messageColumns } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import { type MediaFetchRow, mediaFetchesQueue } from '../queues.ts';
import { entryOf, storeBytes } from './media.ts';

const lockMessage = statement<[id: string], MessageRow & { is_sensitive: boolean }>(
  'media_fetches.lock_message',
  `select ${messageColumns('c')}, c.is_sensitive
     from visible_messages m join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    where m.id = $1 and m.tenant_id = $tenant for no key update of m`,
);
const deleteFetch = statement<[id: string, attempts: number]>(
  'media_fetches.finish',
  'delete from media_fetches where id = $1 and tenant_id = $tenant and attempts = $2',
);
const setMedia = statement<[id: string, media: string, now: Date]>(
  'messages.set_media',
  'update visible_messages set media = $2, updated_at = $3 where id = $1 and tenant_id = $tenant',
);
const storeFailure = statement<[id: string, attempts: number, error: string, dueAt: Date | null]>(
  'media_fetches.fail',
  `update visible_media_fetches set attempts = attempts + 1, error = $3, due_at = $4
    where id = $1 and tenant_id = $tenant and attempts = $2`,
);

export interface FetchDeps extends ReceiveDeps {
  keys: Keys;
  adapters: Adapters;
  context: AdapterContext;
  log: Logger;
}

/**
 * Fetches a file of a message from the vendor. The message exists before its files and shows each one once it is
 * stored; a file that cannot be fetched stays as the vendor described it.
 */
export async function fetchMedia(deps: FetchDeps, [row]: MediaFetchRow[]): Promise<Outcome> {
  if (!row) return 'ok';
  let file: NewFile | undefined;
  try {
    file = await fetchFile(deps, row);
    await storeFile(deps, row, file);
    return 'ok';
  } catch (error) {
    if (isServerTrouble(error)) throw error;
    await failFetch(deps, row, error);
    return isPermanent(error) ? 'ok' : 'failing';
  } finally {
    await file?.release();
  }
}

const isPermanent = (error: unknown): boolean => error instanceof VendorFailure && !error.isTemporary;

async function fetchFile(deps: FetchDeps, row: MediaFetchRow): Promise<NewFile> {
  const adapter = deps.adapters.get(row.provider);
  if (!adapter?.fetchMedia)
    throw new VendorFailure('unsupported', `The provider "${row.provider}" has no files to fetch.`);
  const { channel_id: id, tenant_id: tenantId, kind, address } = row;
  if ((await findExceededStorage(deps.db.forTenant(tenantId), 1)) !== undefined)
    throw new VendorFailure('storage_full', 'The tenant has used up its limit storageBytes.');
  const config = decryptConfig(row.config_encrypted, deps.keys);
  const fetched = await adapter.fetchMedia(row.ref, { id, tenantId, kind, address, config }, deps.context);
  if (fetched.bytes.length === 0) throw new VendorFailure('empty', 'The vendor returned an empty file.');
  return storeBytes(deps, tenantId, fetched);
}

/** The lock makes a deletion of the chat or of the message wait, or this finds nothing to store. */
async function storeFile({ db }: FetchDeps, row: MediaFetchRow, file: NewFile): Promise<void> {
  await db.forTenant(row.tenant_id).transaction(async (tx) => {
    const message = await tx.find(lockMessage, [row.message_id]);
    if (!message || (await tx.run(deleteFetch, [row.id, row.attempts])) === 0) return;
    if (message.media[row.number] === undefined) return;
    message.media[row.number] = entryOf(file);
    message.updated_at = tx.now;
    await tx.run(setMedia, [message.id, JSON.stringify(message.media), tx.now]);
    await attachFiles(tx, [{ file, messageId: message.id }]);
    tx.publish(messageEvent('message.updated', message, message.is_sensitive, tx));
  });
}

const codeOf = (error: unknown): string =>
  error instanceof VendorFailure ? error.code : error instanceof OutboundError ? error.phase : 'other';

/** What the vendor says. Other errors may contain addresses of this network. */
const shownError = (error: unknown): { code: string; message: string } => ({
  code: codeOf(error),
  message:
    error instanceof VendorFailure
      ? storable(error.message)
      : 'The vendor could not be reached for the file.',
});

/** Shows with the message why a file will not come. */
async function showFailure(
  db: FetchDeps['db'],
  row: MediaFetchRow,
  reason: string,
  error: { code: string; message: string },
): Promise<void> {
  await db.forTenant(row.tenant_id).transaction(async (tx) => {
    const message = await tx.find(lockMessage, [row.message_id]);
    await tx.run(storeFailure, [row.id, row.attempts, reason, null]);
    const entry = message?.media[row.number];
    if (!message || !entry) return;
    message.media[row.number] = { ...entry, error };
    message.updated_at = tx.now;
    await tx.run(setMedia, [message.id, JSON.stringify(message.media), tx.now]);
    tx.publish(messageEvent('message.updated', message, message.is_sensitive, tx));
  });
}

async function failFetch({ db, log }: FetchDeps, row: MediaFetchRow, error: unknown): Promise<void> {
  const tenant = db.forTenant(row.tenant_id);
  const attempts = row.attempts + 1;
  const dueAt = isPermanent(error) ? null : nextDueAt(mediaFetchesQueue.retry, attempts, tenant.now);
  const message = error instanceof Error ? error.message : String(error);
  if (dueAt) await tenant.run(storeFailure, [row.id, row.attempts, storable(message), dueAt]);
  else await showFailure(db, row, storable(message), shownError(error));
  const { tenant_id: tenantId, channel_id: channelId, message_id: messageId, number } = row;
  // The code only: messages of vendors may quote addresses and credentials.
  const line = { tenantId, channelId, messageId, number, attempts, code: codeOf(error) };
  if (dueAt) log.info(line, 'a file of a message could not be fetched and will be tried again');
  else log.warn(line, 'a file of a message could not be fetched and will not be tried again');
}

/** Gives up a file whose fetch ended the process again and again. */
export async function setFetchAside({ db }: FetchDeps, row: MediaFetchRow): Promise<void> {
  const message = 'The server ended again and again while it fetched the file.';
  await showFailure(db, row, message, { code: 'crashed', message });
}
