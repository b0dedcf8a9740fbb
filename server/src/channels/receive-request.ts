import { LRUCache } from 'lru-cache';
import { batch } from '../base/batch.ts';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isTestTenant, newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { AT_ONCE, shardOf } from '../engine/queue.ts';
import { readClocks } from '../engine/test-clock/test-tenants.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import type { Adapter, ProviderRequest } from '../providers/adapter.ts';
import type { ChannelCredentials } from './channel.ts';

export const INBOUND_LIST = 'inbound';

const insertInbound = statement<
  [
    ids: string[],
    tenantIds: string[],
    channelIds: string[],
    shards: number[],
    numbers: number[],
    urls: string[],
    headers: string[],
    bodies: Buffer[],
    nows: string[],
  ],
  { id: string }
>(
  'inbound.insert',
  // A channel may have been remembered from before it was deleted; the others get theirs.
  `insert into inbound (id, tenant_id, channel_id, url, headers, body, shard, due_at, created_at)
   select n.id, n.tenant_id, n.channel_id, r.url, r.headers::jsonb, r.body, n.shard, ${AT_ONCE}, n.now
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::int[], $9::timestamptz[])
       as n (id, tenant_id, channel_id, shard, number, now)
     join unnest($6::text[], $7::text[], $8::bytea[]) with ordinality as r (url, headers, body, number) using (number)
     join channels c on c.id = n.channel_id and c.tenant_id = n.tenant_id
   returning id`,
);

const FOREIGN_KEY_VIOLATION = '23503';

export interface ReceiveDeps {
  clock: Clock;
  wakeUps: WakeUps;
}

/** What whoever cannot sign is told, whether the channel exists or not. */
export const signatureRefusal = (): ApiError =>
  new ApiError('unauthorized', { detail: 'the signature does not fit this channel' });

/** Those of the channels whose secret the request is signed with; at least one must be. */
function signedOf(
  channels: readonly ChannelCredentials[],
  adapter: Adapter,
  request: ProviderRequest,
): readonly ChannelCredentials[] {
  const signed = channels.filter((channel) => adapter.verifySignature(request, channel));
  if (signed.length === 0) throw signatureRefusal();
  return signed;
}

/** Verifies a vendor's request and stores it as it came, in one statement: once this returns, it cannot be lost. */
export const receiveRequest = async (
  tx: Tx,
  channel: ChannelCredentials,
  adapter: Adapter,
  request: ProviderRequest,
  deps: ReceiveDeps,
): Promise<void> => storeRequest(tx, signedOf([channel], adapter, request), request, deps);

/** While one statement is being committed the next may be on its way, so that neither waits for the other. */
const TOGETHER = { maxBatch: 100, underWay: 4 };
/** A larger request is stored alone: together they would be held twice in memory. */
const MOST_BYTES = 65_536;
const CHANNELS_KEPT = 10_000;

/**
 * The same for each of the channels whose secret the request is signed with. What comes for one channel at about the
 * same time is stored in one statement, and each is answered when that is committed. Channels do not share statements:
 * one that is being deleted holds up nobody else.
 */
export function requestReceiver(
  tx: Tx,
  deps: ReceiveDeps,
): (channels: readonly ChannelCredentials[], adapter: Adapter, request: ProviderRequest) => Promise<void> {
  type Store = (arrived: Arrived) => Promise<boolean>;
  const isSoleProcess: Store = async (one) => (await store(tx, [one], deps))[0] === true;
  const perChannel = new LRUCache<string, Store>({ max: CHANNELS_KEPT });
  const togetherIn = (channelId: string): Store => {
    let known = perChannel.get(channelId);
    if (!known) {
      known = batch((arrived: Arrived[]) => store(tx, arrived, deps), TOGETHER);
      perChannel.set(channelId, known);
    }
    return known;
  };
  return async (channels, adapter, request) => {
    const signed = signedOf(channels, adapter, request);
    const [first] = signed as [ChannelCredentials];
    const isLone = signed.length > 1 || request.body.length > MOST_BYTES;
    const isStored = await (isLone ? isSoleProcess : togetherIn(first.id))({ channels: signed, request });
    if (!isStored) throw new ApiError('channel_not_found');
  };
}

type Owned = Pick<ChannelCredentials, 'id' | 'tenantId'>;
interface Arrived {
  channels: readonly Owned[];
  request: ProviderRequest;
}

/** Stores a request of which we know where it comes from. */
export async function storeRequest(
  tx: Tx,
  channels: readonly Owned[],
  request: ProviderRequest,
  deps: ReceiveDeps,
): Promise<void> {
  const [isStored] = await store(tx, [{ channels, request }], deps);
  if (!isStored) throw new ApiError('channel_not_found');
}

/** Stores requests in one statement, and tells of each whether a channel of it is still there. */
async function store(
  tx: Tx,
  arrived: readonly Arrived[],
  { clock, wakeUps }: ReceiveDeps,
): Promise<boolean[]> {
  const rows = arrived.flatMap(({ channels }, index) =>
    channels.map(({ id, tenantId }) => ({
      id: newId(),
      channelId: id,
      tenantId,
      shard: shardOf(id, tenantId),
      index,
    })),
  );
  // Vendors call without a token, so nobody has looked at the clocks of test tenants yet.
  const tested = rows.filter(({ tenantId }) => isTestTenant(tenantId)).map(({ tenantId }) => tenantId);
  const times = tested.length > 0 ? await readClocks(tx, tested) : undefined;
  const real = clock.real().toISOString();
  const inserted = await tx
    .all(insertInbound, [
      rows.map(({ id }) => id),
      rows.map(({ tenantId }) => tenantId),
      rows.map(({ channelId }) => channelId),
      rows.map(({ shard }) => shard),
      rows.map(({ index }) => index + 1),
      arrived.map(({ request }) => request.url),
      arrived.map(({ request }) => JSON.stringify(request.headers)),
      arrived.map(({ request }) => request.body),
      rows.map(({ tenantId }) => times?.get(tenantId)?.toISOString() ?? real),
    ])
    .catch((error) => {
      if (error.code === FOREIGN_KEY_VIOLATION) return [];
      throw error;
    });
  const ids = new Set(inserted.map(({ id }) => id));
  const stored = rows.filter(({ id }) => ids.has(id));
  const lanes = new Map(stored.map(({ channelId, shard }) => [channelId, shard]));
  tx.afterCommit(() => {
    for (const [channelId, shard] of lanes) wakeUps.give(INBOUND_LIST, shard, channelId);
  });
  const indexes = new Set(stored.map(({ index }) => index));
  return arrived.map((_, index) => indexes.has(index));
}
