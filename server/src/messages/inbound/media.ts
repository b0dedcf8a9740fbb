import { Readable } from 'node:stream';
import { newId } from '../../base/ids.ts';
import type { FoundWord } from '../../contacts/consent/words.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { DUE_NOW } from '../../engine/queue.ts';
import { attachFiles, type NewFile, newFile } from '../../files/file.ts';
import { nameByType, shownName } from '../../files/filename.ts';
import { type ReceiveDeps, receiveFile } from '../../files/receive.ts';
import type { InboundMedia, InboundMessage } from '../../providers/inbound-event.ts';
import { mediaFetchesQueue } from '../queues.ts';
import type { Message } from '../schema.ts';

const insertFetches = statement<
  [
    channelId: string,
    shard: number,
    now: Date,
    ids: string[],
    messageIds: string[],
    numbers: number[],
    refs: string[],
  ]
>(
  'media_fetches.insert',
  `insert into media_fetches (id, tenant_id, channel_id, shard, due_at, created_at, message_id, number, ref)
   select f.id, $tenant, $1, $2, ${DUE_NOW}, $3, f.message_id, f.number, f.ref::jsonb
     from unnest($4::uuid[], $5::uuid[], $6::smallint[], $7::text[]) as f (id, message_id, number, ref)`,
);

/** A file of a message. `file` is set if its bytes came with the message: they are stored by now. */
export interface ReceivedMedia extends InboundMedia {
  file?: NewFile;
}

/** A message whose bytes are stored. */
export interface ReceivedMessage extends InboundMessage {
  media: ReceivedMedia[];
  /** The word that it consists of, if that opts out or in. */
  consentWord?: FoundWord;
}

type MediaEntry = Message['media'][number];

/** Writing and hashing a file of 29 MB in one piece blocked the event loop for 30 ms. */
const SLICE_BYTES = 1024 * 1024;

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES)
    yield bytes.subarray(start, start + SLICE_BYTES);
}

/** Stores the bytes of a file, outside of any transaction; its record is created later. */
export async function storeBytes(
  deps: ReceiveDeps,
  tenantId: string,
  { bytes, mimeType, filename }: { bytes: Buffer; mimeType: string | null; filename: string | null },
): Promise<NewFile> {
  const stored = await receiveFile(deps, tenantId, {
    filename: filename ?? nameByType(mimeType),
    mimeType: mimeType ?? '',
    bytes: Readable.from(slicesOf(bytes)),
  });
  return newFile(stored);
}

/** A stored file as its message keeps it. Its URL is made when it is shown. */
export const entryOf = (file: NewFile): MediaEntry => ({
  fileId: file.id,
  url: null,
  mimeType: file.mimeType,
  filename: file.filename,
  size: file.size,
});

/** A received file as its message keeps it: stored, or as the vendor describes it until it is fetched. */
export const entryOfReceived = ({
  file,
  mimeType,
  filename,
  size,
  contentId,
}: ReceivedMedia): MediaEntry => ({
  ...(file
    ? entryOf(file)
    : { fileId: null, url: null, mimeType, filename: filename === null ? null : shownName(filename), size }),
  ...(contentId === undefined ? {} : { contentId }),
});

/** Creates the records of stored files, and queues the fetches of the others. */
export async function storeMedia(
  tx: TenantTx,
  channelId: string,
  messages: readonly { id: string; media: readonly ReceivedMedia[] }[],
): Promise<void> {
  const all = messages.flatMap(({ id, media }) =>
    media.map((one, number) => ({ ...one, messageId: id, number })),
  );
  await attachFiles(
    tx,
    all.flatMap(({ file, messageId }) => (file ? [{ file, messageId }] : [])),
  );
  const fetches = all.filter(({ file, ref }) => !file && ref);
  if (fetches.length === 0) return;
  tx.enqueue(insertFetches, [
    channelId,
    mediaFetchesQueue.shardOf(channelId, tx.tenantId),
    tx.now,
    fetches.map(() => newId()),
    fetches.map(({ messageId }) => messageId),
    fetches.map(({ number }) => number),
    fetches.map(({ ref }) => JSON.stringify(ref)),
  ]);
  tx.wake(mediaFetchesQueue, channelId);
}
