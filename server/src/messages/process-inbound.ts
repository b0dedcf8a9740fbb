import type { Logger } from 'pino';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { openConfig } from '../channels/channel.ts';
import { INBOUND_LIST } from '../channels/receive-request.ts';
import { statement } from '../db/statement.ts';
import { storable } from '../db/storable.ts';
import { slotOf, type WorkRow, workList } from '../engine/work-list.ts';
import { type Work, work } from '../engine/worker.ts';
import type { ReceiveNeeds } from '../files/receive.ts';
import type { Adapter, AdapterChannel, ChannelKind, InboundEvent } from '../providers/adapter.ts';
import { type ApplyNeeds, applyInbound, type ReceivedEvent } from './apply-inbound.ts';
import { findReceivedBefore } from './chats-with.ts';
import { MEDIA_LIST, type ReceivedMessage, storeBytes } from './received-media.ts';

interface InboundRow extends WorkRow {
  channel_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  receivedAt: Date;
  attempts: number;
}

const inbound = workList<InboundRow>({
  name: INBOUND_LIST,
  table: 'inbound',
  lane: 'channel_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select i.id, i.tenant_id, i.channel_id, i.url, i.headers, i.body, i.created_at as "receivedAt",
                 i.attempts, c.kind, c.provider, c.address, c.config_encrypted
            from inbound i join channels c on c.id = i.channel_id and c.tenant_id = i.tenant_id
           where i.slot = $1 and i.channel_id = $2 and i.due_at <= $3 order by i.due_at, i.id limit $4`,
  batch: 200,
  perLane: 1,
  atOnce: 8,
});

const remove = statement<[ids: string[], tenantId: string]>(
  'inbound.delete',
  'delete from inbound where id = any ($1::uuid[]) and tenant_id = $2',
);
const postpone = statement<[ids: string[], tenantId: string, dueAt: Date]>(
  'inbound.postpone',
  'update inbound set due_at = $3 where id = any ($1::uuid[]) and tenant_id = $2',
);
const fail = statement<[id: string, tenantId: string, attempts: number, error: string, dueAt: Date | null]>(
  'inbound.fail',
  'update inbound set attempts = attempts + 1, error = $4, due_at = $5 where id = $1 and tenant_id = $2 and attempts = $3',
);

/** A request that fails again and again stays listed with its error, and waits for someone to look. */
const TRIES = 5;
const FIRST_PAUSE_MS = 1_000;
/** What waits for something else to happen is looked at again after this. */
const WAIT_MS = 1_000;

/** When the database is out of reach, rows stay as they are and the lane rests a moment. */
function requireRowsFault(error: unknown): void {
  if (error instanceof ApiError && error.key === 'service_unavailable') throw error;
}

interface InboundNeeds extends ReceiveNeeds, ApplyNeeds {
  keys: Keys;
  adapters: ReadonlyMap<string, Adapter>;
  log: Logger;
}

type ReceivingRow = AdapterChannel & { tenantId: string };

/** Turns stored vendor requests into messages, up to 200 of a channel in one transaction; a bad one fails alone. */
export function processInbound(needs: InboundNeeds): Work {
  const { db, clock, keys, adapters, log } = needs;

  async function storeAll(rows: InboundRow[]): Promise<void> {
    const [first] = rows as [InboundRow];
    const adapter = adapters.get(first.provider);
    if (!adapter) throw new Error(`There is no provider "${first.provider}".`);
    // All are of one channel, as the channel is the lane.
    const channel: ReceivingRow = {
      id: first.channel_id,
      tenantId: first.tenant_id,
      kind: first.kind,
      address: first.address,
      config: openConfig(first.config_encrypted, keys),
    };
    const parsed = await Promise.all(rows.map(async (row) => adapter.parseInbound(row, channel)));
    const files = await storeFiles(needs, channel, parsed.flat());
    const told = rows.map((row, at) => ({
      row,
      events: (parsed[at] as InboundEvent[]).map((event) => files.withFiles(event)),
    }));
    try {
      await db.transaction(async (tx) => {
        const now = clock.now();
        const all = told.flatMap(({ row, events }) =>
          events.map((event) => ({ event, receivedAt: row.receivedAt })),
        );
        const waiting = await applyInbound(tx, channel, all, now, needs);
        const isWaiting = ({ events }: { events: ReceivedEvent[] }) => events.some((one) => waiting.has(one));
        const idsOf = (some: typeof told): string[] => some.map(({ row }) => row.id);
        await tx.run(remove, [idsOf(told.filter((one) => !isWaiting(one))), channel.tenantId]);
        if (waiting.size > 0)
          await tx.run(postpone, [
            idsOf(told.filter(isWaiting)),
            channel.tenantId,
            new Date(now.getTime() + WAIT_MS),
          ]);
      });
      if (parsed.flat().some((event) => 'media' in event && event.media.some(({ ref }) => ref)))
        needs.hints.give(MEDIA_LIST, slotOf(channel.id), channel.id);
    } finally {
      await files.release();
    }
  }

  async function giveUpOn(row: InboundRow, error: unknown): Promise<void> {
    const again = row.attempts + 1 < TRIES;
    const dueAt = again ? new Date(clock.now().getTime() + FIRST_PAUSE_MS * 2 ** row.attempts) : null;
    await db.run(fail, [row.id, row.tenant_id, row.attempts, storable(String(error)), dueAt]);
    // Not what went wrong: errors quote what they choke on, and what people write stays out of logs.
    const { id: requestId, tenant_id: tenantId, channel_id: channelId } = row;
    const line = { requestId, tenantId, channelId, attempts: row.attempts + 1 };
    if (again) log.info(line, "a vendor's request failed and will be tried again");
    else log.warn(line, "a vendor's request failed for good; it is listed with the channel");
  }

  return work(inbound, async (rows) => {
    try {
      await storeAll(rows);
      return 'ok';
    } catch (error) {
      requireRowsFault(error);
    }
    let failed = false;
    for (const row of rows)
      await storeAll([row]).catch((error) => {
        requireRowsFault(error);
        failed = true;
        return giveUpOn(row, error);
      });
    return failed ? 'failing' : 'ok';
  });
}

interface StoredFiles {
  /** The event, with its files as they are stored. */
  withFiles(event: InboundEvent): ReceivedEvent;
  /** Lets go of the bytes that no message has kept. */
  release(): Promise<void>;
}

/** Stores the bytes that came with messages which are new, before there is a transaction. */
async function storeFiles(
  needs: ReceiveNeeds,
  channel: ReceivingRow,
  events: readonly InboundEvent[],
): Promise<StoredFiles> {
  const replaced = new Map<InboundEvent, ReceivedMessage>();
  const stored: { release(): Promise<void> }[] = [];
  const release = async (): Promise<void> => {
    for (const file of stored) await file.release();
  };
  const seen = new Set<string>();
  const withBytes = events.flatMap((event) =>
    'media' in event &&
    event.media.some(({ bytes }) => bytes?.length) &&
    !seen.has(event.vendorId) &&
    seen.add(event.vendorId)
      ? [event]
      : [],
  );
  const before = await findReceivedBefore(
    needs.db,
    channel.id,
    withBytes.map(({ vendorId }) => vendorId),
  );
  try {
    for (const message of withBytes.filter(({ vendorId }) => !before.has(vendorId))) {
      const media: ReceivedMessage['media'] = [];
      for (const one of message.media) {
        const { bytes, mimeType, filename } = one;
        const file = bytes?.length
          ? await storeBytes(needs, channel.tenantId, { bytes, mimeType, filename })
          : undefined;
        if (file) stored.push(file);
        media.push(file ? { ...one, file } : one);
      }
      replaced.set(message, { ...message, media });
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { withFiles: (event) => replaced.get(event) ?? event, release };
}
