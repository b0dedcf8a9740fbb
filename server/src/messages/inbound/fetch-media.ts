import type { Logger } from 'pino';
import type { Keys } from '../../base/crypto.ts';
import { ApiError } from '../../base/errors.ts';
import { decryptConfig } from '../../channels/channel.ts';
import { statement } from '../../db/statement.ts';
import { storable } from '../../db/storable.ts';
import type { Publisher } from '../../engine/outbox.ts';
import { declareQueue, type QueueRow } from '../../engine/queue.ts';
import { type Work, work } from '../../engine/runner.ts';
import { attachFiles, type NewFile } from '../../files/file.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import {
  type Adapter,
  type AdapterContext,
  type ChannelKind,
  VendorFailure,
} from '../../providers/adapter.ts';
import { MESSAGE_COLUMNS, type MessageRow } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import { entryOf, MEDIA_LIST, type StoringDeps, storeBytes } from './media.ts';

interface FetchRow extends QueueRow {
  channel_id: string;
  message_id: string;
  number: number;
  ref: Record<string, unknown>;
  attempts: number;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

const fetches = declareQueue<FetchRow>({
  name: MEDIA_LIST,
  table: 'media_fetches',
  lane: 'channel_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select f.id, f.tenant_id, f.channel_id, f.message_id, f.number, f.ref, f.attempts,
                 c.kind, c.provider, c.address, c.config_encrypted
            from media_fetches f join channels c on c.id = f.channel_id and c.tenant_id = f.tenant_id
           where f.shard = $1 and f.channel_id = $2 and f.due_at <= $3 order by f.due_at, f.id limit $4`,
  batch: 1,
  perLane: 4,
  atOnce: 16,
});

const lockMessage = statement<[id: string, tenantId: string], MessageRow & { is_sensitive: boolean }>(
  'media_fetches.lock_message',
  `select ${MESSAGE_COLUMNS}, c.is_sensitive
     from messages m join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    where m.id = $1 and m.tenant_id = $2 for update of m`,
);
const finish = statement<[id: string, tenantId: string, attempts: number]>(
  'media_fetches.finish',
  'delete from media_fetches where id = $1 and tenant_id = $2 and attempts = $3',
);
const setMedia = statement<[id: string, tenantId: string, media: string, now: Date]>(
  'messages.set_media',
  'update messages set media = $3, updated_at = $4 where id = $1 and tenant_id = $2',
);
const fail = statement<[id: string, tenantId: string, attempts: number, error: string, dueAt: Date | null]>(
  'media_fetches.fail',
  'update media_fetches set attempts = attempts + 1, error = $4, due_at = $5 where id = $1 and tenant_id = $2 and attempts = $3',
);

/** How long to wait before each further try. WhatsApp keeps a file for a month, but its address for five minutes only. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000];

interface FetchDeps extends StoringDeps {
  keys: Keys;
  publisher: Publisher;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
  log: Logger;
}

/**
 * Fetches the files of messages from the vendors. The message is there before its files are, and shows each when it is
 * there; one that cannot be had stays as the vendor described it.
 */
export function fetchMedia(deps: FetchDeps): Work {
  const { db, clock, keys, adapters, context, log } = deps;

  async function fetchFile(row: FetchRow): Promise<NewFile> {
    const adapter = adapters.get(row.provider);
    if (!adapter?.fetchMedia)
      throw new VendorFailure('unsupported', `"${row.provider}" has no files to fetch.`);
    const { channel_id: id, tenant_id: tenantId, kind, address } = row;
    const config = decryptConfig(row.config_encrypted, keys);
    const fetched = await adapter.fetchMedia(row.ref, { id, tenantId, kind, address, config }, context);
    if (fetched.bytes.length === 0) throw new VendorFailure('empty', 'The vendor gave an empty file.');
    return storeBytes(deps, row.tenant_id, fetched);
  }

  /** Whoever deletes the chat, or takes the message back, meanwhile waits for this or leaves nothing to do. */
  async function keep(row: FetchRow, file: NewFile): Promise<void> {
    await db.transaction(async (tx) => {
      const message = await tx.find(lockMessage, [row.message_id, row.tenant_id]);
      if (!message || (await tx.run(finish, [row.id, row.tenant_id, row.attempts])) === 0) return;
      if (message.media[row.number] === undefined) return;
      const now = clock.now(row.tenant_id);
      message.media[row.number] = entryOf(file, deps.baseUrl());
      message.updated_at = now;
      await tx.run(setMedia, [message.id, row.tenant_id, JSON.stringify(message.media), now]);
      await attachFiles(tx, row.tenant_id, [{ file, messageId: message.id }], now);
      const event = messageEvent('message.updated', message, message.is_sensitive);
      await deps.publisher.publish(tx, row.tenant_id, [event]);
    });
  }

  async function giveUpOn(row: FetchRow, error: unknown): Promise<void> {
    const pauseMs = error instanceof VendorFailure && !error.isPassing ? undefined : PAUSES_MS[row.attempts];
    const dueAt = pauseMs === undefined ? null : new Date(clock.now(row.tenant_id).getTime() + pauseMs);
    const message = error instanceof Error ? error.message : String(error);
    await db.run(fail, [row.id, row.tenant_id, row.attempts, storable(message), dueAt]);
    const { tenant_id: tenantId, channel_id: channelId, message_id: messageId, number } = row;
    // By its code alone: what vendors say may quote addresses and credentials.
    const issue =
      error instanceof VendorFailure ? error.code : error instanceof OutboundError ? error.phase : 'other';
    const line = { tenantId, channelId, messageId, number, attempts: row.attempts + 1, issue };
    if (dueAt) log.info(line, 'a file of a message could not be fetched and will be tried again');
    else log.warn(line, 'a file of a message could not be fetched and is given up');
  }

  return work(fetches, async (rows) => {
    const [row] = rows as [FetchRow];
    let file: NewFile | undefined;
    try {
      file = await fetchFile(row);
      await keep(row, file);
      return 'ok';
    } catch (error) {
      if (error instanceof ApiError && error.key === 'service_unavailable') throw error;
      await giveUpOn(row, error);
      return error instanceof VendorFailure && !error.isPassing ? 'ok' : 'failing';
    } finally {
      await file?.release();
    }
  });
}
