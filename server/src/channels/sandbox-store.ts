import { readFile } from 'node:fs/promises';
import { batch } from '../base/batch.ts';
import { type Clock, timesOf } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import type { FileStore } from '../files/store.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';
import type { SandboxStore } from '../providers/adapter-context.ts';
import { inboundQueue } from './queues.ts';

type Accepted = Parameters<SandboxStore['accept']>[1];
type Later = Parameters<SandboxStore['accept']>[2];

const BATCH = { maxBatch: 300, maxConcurrent: 1 };

const acceptAll = systemStatement<
  [
    nows: string[],
    heldIds: string[],
    messageIds: string[],
    channelIds: string[],
    vendorIds: string[],
    recipients: string[],
    types: string[],
    texts: (string | null)[],
    contents: string[],
    ofMessages: string[],
    ids: string[],
    inChannels: string[],
    urls: string[],
    headers: string[],
    bodies: Buffer[],
    shards: number[],
    dueAt: Date[],
  ]
>(
  'sandbox.accept',
  // A deleted channel accepts nothing; an existing one is locked against deletion until this is committed. A message
  // that was accepted before has no further requests.
  `with held as (select id, tenant_id from visible_channels where id = any ($2::uuid[]) order by id for key share),
   accepted as (
     insert into sandbox_outbox (message_id, tenant_id, channel_id, vendor_id, recipient, type, text, content, at)
     select a.message_id, h.tenant_id, h.id, a.vendor_id, a.recipient, a.type, a.text, a.content::jsonb, a.now
       from unnest($1::timestamptz[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
         as a (now, message_id, channel_id, vendor_id, recipient, type, text, content)
       join held h on h.id = a.channel_id
      order by a.message_id
     on conflict (message_id, tenant_id) do nothing returning message_id, at)
   insert into inbound (id, tenant_id, channel_id, url, headers, body, shard, due_at, created_at)
   select l.id, h.tenant_id, h.id, l.url, l.headers::jsonb, l.body, l.shard, l.due_at, accepted.at
     from unnest($10::uuid[], $11::uuid[], $12::uuid[], $13::text[], $14::text[], $15::bytea[], $16::smallint[],
                 $17::timestamptz[]) as l (message_id, id, channel_id, url, headers, body, shard, due_at)
     join accepted using (message_id) join held h on h.id = l.channel_id`,
);
const acceptedById = systemStatement<[messageId: string], { vendor_id: string }>(
  'sandbox.accepted',
  'select vendor_id from sandbox_outbox where message_id = $1',
);
const fileOfChannel = systemStatement<
  [fileId: string, channelId: string],
  { id: string; mime_type: string; filename: string }
>(
  'sandbox.file',
  `select f.id, f.mime_type, f.filename from visible_files f join visible_channels c on c.tenant_id = f.tenant_id
    where f.id = $1 and c.id = $2`,
);

/** Stores what the sandbox has accepted, and the requests that it will send as the vendor. */
export function createSandboxStore(db: Database, clock: Clock, files: FileStore): SandboxStore {
  const accept = batch(
    async (all: { channel: AdapterChannel; accepted: Accepted; later: Later }[]): Promise<undefined[]> => {
      const requests = all.flatMap(({ channel, accepted, later }) =>
        later.map((one) => ({ ...one, channel, messageId: accepted.messageId })),
      );
      await db.run(acceptAll, [
        timesOf(
          clock,
          all.map(({ channel }) => channel.tenantId),
        ),
        [...new Set(all.map(({ channel }) => channel.id))],
        all.map(({ accepted }) => accepted.messageId),
        all.map(({ channel }) => channel.id),
        all.map(({ accepted }) => accepted.vendorId),
        all.map(({ accepted }) => accepted.to),
        all.map(({ accepted }) => accepted.type),
        all.map(({ accepted }) => accepted.text),
        all.map(({ accepted }) => JSON.stringify(accepted.content)),
        requests.map(({ messageId }) => messageId),
        requests.map(() => newId()),
        requests.map(({ channel }) => channel.id),
        requests.map(({ request }) => request.url),
        requests.map(({ request }) => JSON.stringify(request.headers)),
        requests.map(({ request }) => request.body),
        requests.map(({ channel }) => inboundQueue.shardOf(channel.id, channel.tenantId)),
        requests.map(({ at }) => at),
      ]);
      return [];
    },
    BATCH,
  );
  return {
    accept: (channel, accepted, later) => accept({ channel, accepted, later }),
    async find(messageId) {
      const row = await db.find(acceptedById, [messageId]);
      return row && { vendorId: row.vendor_id };
    },
    async readFile({ id }, fileId) {
      const row = await db.find(fileOfChannel, [fileId, id]);
      const bytes = row && (await readFile(files.pathOf(row.id)).catch(() => undefined));
      return bytes && { bytes, mimeType: row.mime_type, filename: row.filename };
    },
  };
}
