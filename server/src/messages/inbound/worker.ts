import type { Logger } from 'pino';
import type { Keys } from '../../base/crypto.ts';
import { ApiError } from '../../base/errors.ts';
import { decryptConfig } from '../../channels/channel.ts';
import { INBOUND_LIST } from '../../channels/receive-request.ts';
import { statement } from '../../db/statement.ts';
import { storable } from '../../db/storable.ts';
import { declareQueue, type QueueRow, shardOf } from '../../engine/queue.ts';
import { type Work, work } from '../../engine/runner.ts';
import type { ReceiveDeps } from '../../files/receive.ts';
import type { Adapter, AdapterChannel, ChannelKind, InboundEvent } from '../../providers/adapter.ts';
import { type ApplyDeps, applyInbound, type ReceivedEvent } from './apply.ts';
import { MEDIA_LIST } from './media.ts';
import { type FilesChannel, storeFiles } from './store-files.ts';
import type { ReceivingChannel } from './store-messages.ts';

interface ListedRow extends QueueRow {
  channel_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
  attempts: number;
  url: string;
  headers: Record<string, string>;
  receivedAt: Date;
  bytes: number;
  /** Only where it is small. */
  body: Buffer | null;
}

interface InboundRow extends ListedRow {
  body: Buffer;
}

/** A larger body is read when its turn has come. */
const SMALL_BYTES = 16_384;

const inbound = declareQueue<ListedRow>({
  name: INBOUND_LIST,
  table: 'inbound',
  lane: 'channel_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select i.id, i.tenant_id, i.channel_id, i.attempts, i.url, i.headers, i.created_at as "receivedAt",
                 octet_length(i.body) as bytes, case when octet_length(i.body) <= ${SMALL_BYTES} then i.body end as body,
                 c.kind, c.provider, c.address, c.config_encrypted
            from inbound i join channels c on c.id = i.channel_id and c.tenant_id = i.tenant_id
           where i.shard = $1 and i.channel_id = $2 and i.due_at <= $3 order by i.due_at, i.id limit $4`,
  batch: 200,
  perLane: 1,
  atOnce: 8,
});

const readBodies = statement<[ids: string[], tenantId: string], { id: string; body: Buffer }>(
  'inbound.read_bodies',
  'select id, body from inbound where id = any ($1::uuid[]) and tenant_id = $2',
);
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
function rethrowIfUnavailable(error: unknown): void {
  if (error instanceof ApiError && error.key === 'service_unavailable') throw error;
}

interface InboundDeps extends ReceiveDeps, ApplyDeps {
  keys: Keys;
  adapters: ReadonlyMap<string, Adapter>;
  log: Logger;
}

interface ParsedRow {
  row: InboundRow;
  events: InboundEvent[];
}

/**
 * Turns stored vendor requests into what they tell, up to 200 of a channel in one transaction; a bad one fails alone.
 */
export function processInbound(deps: InboundDeps): Work {
  const { db, clock, keys, adapters, log } = deps;

  /** Everything or nothing. */
  async function apply(channel: FilesChannel & ReceivingChannel, parsed: ParsedRow[]): Promise<void> {
    const all = parsed.flatMap(({ events }) => events);
    const files = await storeFiles(deps, channel, all);
    const told = parsed.map(({ row, events }) => ({ row, events: events.map(files.withFiles) }));
    try {
      await db.transaction(async (tx) => {
        const now = clock.now(channel.tenantId);
        const events = told.flatMap(({ row, events }) =>
          events.map((event) => ({ event, receivedAt: row.receivedAt })),
        );
        const waiting = await applyInbound(tx, channel, events, now, deps);
        const isWaiting = ({ events }: { events: ReceivedEvent[] }) => events.some((one) => waiting.has(one));
        const idsOf = (some: typeof told): string[] => some.map(({ row }) => row.id);
        await tx.write(remove, [idsOf(told.filter((one) => !isWaiting(one))), channel.tenantId]);
        if (waiting.size === 0) return;
        const again = new Date(now.getTime() + WAIT_MS);
        await tx.run(postpone, [idsOf(told.filter(isWaiting)), channel.tenantId, again]);
      });
    } finally {
      await files.release();
    }
    if (all.some((event) => 'media' in event && event.media.some(({ ref }) => ref)))
      deps.wakeUps.give(MEDIA_LIST, shardOf(channel.id, channel.tenantId), channel.id);
  }

  async function giveUpOn({ row, error }: Failure): Promise<void> {
    const again = row.attempts + 1 < TRIES;
    const dueAt = again
      ? new Date(clock.now(row.tenant_id).getTime() + FIRST_PAUSE_MS * 2 ** row.attempts)
      : null;
    await db.run(fail, [row.id, row.tenant_id, row.attempts, storable(String(error)), dueAt]);
    // Not what went wrong: errors quote what they choke on, and what people write stays out of logs.
    const { id: requestId, tenant_id: tenantId, channel_id: channelId } = row;
    const line = { requestId, tenantId, channelId, attempts: row.attempts + 1 };
    if (again) log.info(line, "a vendor's request failed and will be tried again");
    else log.warn(line, "a vendor's request failed for good; it is listed with the channel");
  }

  /** The requests with their bodies, in their order; one may be gone by now. */
  async function withBodies(listed: ListedRow[], tenantId: string): Promise<InboundRow[]> {
    const large = listed.filter(({ body }) => body === null).map(({ id }) => id);
    const rows = large.length === 0 ? [] : await db.all(readBodies, [large, tenantId]);
    const bodies = new Map(rows.map(({ id, body }) => [id, body]));
    return listed.flatMap((row) => {
      const body = row.body ?? bodies.get(row.id);
      return body ? [{ ...row, body }] : [];
    });
  }

  /** True where some could not be taken in. */
  async function takeIn(
    rows: InboundRow[],
    channel: AdapterChannel & FilesChannel & ReceivingChannel,
    provider: string,
  ): Promise<boolean> {
    const { parsed, failures } = await parseAll(rows, channel, adapters.get(provider), provider);
    for (const part of cut(parsed, ({ events }) => events.length, MOST_EVENTS)) {
      try {
        await apply(channel, part);
        continue;
      } catch (error) {
        rethrowIfUnavailable(error);
      }
      for (const one of part)
        await apply(channel, [one]).catch((error) => {
          rethrowIfUnavailable(error);
          failures.push({ row: one.row, error });
        });
    }
    for (const failure of failures) await giveUpOn(failure);
    return failures.length > 0;
  }

  return work(inbound, async (rows) => {
    // All are of one channel, as the channel is the lane.
    const [{ channel_id: id, tenant_id: tenantId, kind, address, provider, config_encrypted }] = rows as [
      ListedRow,
    ];
    const channel = { id, tenantId, kind, address, config: decryptConfig(config_encrypted, keys) };
    let isFailing = false;
    for (const part of cut(rows, ({ bytes }) => bytes, MOST_BYTES))
      if (await takeIn(await withBodies(part, tenantId), channel, provider)) isFailing = true;
    return isFailing ? 'failing' : 'ok';
  });
}

interface Failure {
  row: InboundRow;
  error: unknown;
}

async function parseAll(
  rows: InboundRow[],
  channel: AdapterChannel,
  adapter: Adapter | undefined,
  provider: string,
): Promise<{ parsed: ParsedRow[]; failures: Failure[] }> {
  const parsed: ParsedRow[] = [];
  const failures: Failure[] = [];
  for (const row of rows)
    try {
      if (!adapter) throw new Error(`There is no provider "${provider}".`);
      parsed.push({ row, events: await adapter.parseInbound(row, channel) });
    } catch (error) {
      failures.push({ row, error });
    }
  return { parsed, failures };
}

/** A vendor may put any number into one request. A transaction has its time, so few such requests go together. */
const MOST_EVENTS = 2_000;
/** A mail may be large, and those that go together are in memory at once. */
const MOST_BYTES = 32 * 1024 * 1024;

/** In their order, in parts that weigh no more than `most`, but for one that does so alone. */
function cut<T>(all: T[], weightOf: (one: T) => number, most: number): T[][] {
  const parts: T[][] = [];
  let weight = 0;
  for (const one of all) {
    // Also for the first that says nothing to us: it is done with like every other.
    if (parts.length === 0 || weight + weightOf(one) > most) {
      parts.push([]);
      weight = 0;
    }
    (parts.at(-1) as T[]).push(one);
    weight += weightOf(one);
  }
  return parts;
}
