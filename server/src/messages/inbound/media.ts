import { Readable } from 'node:stream';
import { newId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { AT_ONCE, shardOf } from '../../engine/queue.ts';
import { attachFiles, type NewFile, newFile, publicUrlOf } from '../../files/file.ts';
import { nameByType, shownName } from '../../files/filename.ts';
import { type ReceiveDeps, receiveFile } from '../../files/receive.ts';
import type { InboundMedia, InboundMessage } from '../../providers/adapter.ts';
import type { Message } from '../schema.ts';

export const MEDIA_LIST = 'media_fetches';

const insertFetches = statement<
  [
    tenantId: string,
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
   select f.id, $1, $2, $3, ${AT_ONCE}, $4, f.message_id, f.number, f.ref::jsonb
     from unnest($5::uuid[], $6::uuid[], $7::smallint[], $8::text[]) as f (id, message_id, number, ref)`,
);

/** A file of a message, whose bytes are stored by now where they came with it. */
export interface ReceivedMedia extends InboundMedia {
  file?: NewFile;
}

/** A message whose files are taken care of. */
export interface ReceivedMessage extends InboundMessage {
  media: ReceivedMedia[];
}

type MediaEntry = Message['media'][number];

export interface StoringDeps extends ReceiveDeps {
  /** What public URLs begin with. */
  baseUrl: () => string;
}

/** Stores the bytes of a file that came with a message, outside of any transaction; its record is made later. */
export async function storeBytes(
  deps: ReceiveDeps,
  tenantId: string,
  { bytes, mimeType, filename }: { bytes: Buffer; mimeType: string | null; filename: string | null },
): Promise<NewFile> {
  const stored = await receiveFile(deps, tenantId, {
    filename: filename ?? nameByType(mimeType),
    mimeType: mimeType ?? '',
    bytes: Readable.from([bytes]),
  });
  return newFile(stored);
}

/** What the message shows of a file that is stored. */
export const entryOf = (file: NewFile, baseUrl: string): MediaEntry => ({
  fileId: file.id,
  url: publicUrlOf({ public_token: file.publicToken, filename: file.filename }, baseUrl),
  mimeType: file.mimeType,
  filename: file.filename,
  size: file.size,
});

/** What the message shows of a file: all of it, or what the vendor says of one that is yet to be fetched. */
export const entryOfReceived = (
  { file, mimeType, filename, size }: ReceivedMedia,
  baseUrl: string,
): MediaEntry =>
  file
    ? entryOf(file, baseUrl)
    : { fileId: null, url: null, mimeType, filename: filename === null ? null : shownName(filename), size };

/** Makes the records of files that are stored, and lists those that are to be fetched. */
export async function keepMedia(
  tx: Tx,
  { id: channelId, tenantId }: { id: string; tenantId: string },
  messages: readonly { id: string; media: readonly ReceivedMedia[] }[],
  now: Date,
): Promise<void> {
  const all = messages.flatMap(({ id, media }) =>
    media.map((one, number) => ({ ...one, messageId: id, number })),
  );
  await attachFiles(
    tx,
    tenantId,
    all.flatMap(({ file, messageId }) => (file ? [{ file, messageId }] : [])),
    now,
  );
  const fetched = all.filter(({ file, ref }) => !file && ref);
  if (fetched.length === 0) return;
  await tx.write(insertFetches, [
    tenantId,
    channelId,
    shardOf(channelId, tenantId),
    now,
    fetched.map(() => newId()),
    fetched.map(({ messageId }) => messageId),
    fetched.map(({ number }) => number),
    fetched.map(({ ref }) => JSON.stringify(ref)),
  ]);
}
