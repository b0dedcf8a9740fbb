import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Hints } from '../engine/hints.ts';
import { AT_ONCE, slotOf } from '../engine/work-list.ts';
import type { Adapter, ProviderRequest } from '../providers/adapter.ts';
import type { ChannelGate } from './channel.ts';

export const INBOUND_LIST = 'inbound';

const insertInbound = statement<
  [
    ids: string[],
    tenantIds: string[],
    channelIds: string[],
    slots: number[],
    url: string,
    headers: string,
    body: Buffer,
    now: Date,
  ],
  { channel_id: string }
>(
  'inbound.insert',
  // A channel may have been remembered from before it was deleted; the others get theirs.
  `insert into inbound (id, tenant_id, channel_id, url, headers, body, slot, due_at, created_at)
   select n.id, n.tenant_id, n.channel_id, $5, $6, $7, n.slot, ${AT_ONCE}, $8
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[]) as n (id, tenant_id, channel_id, slot)
     join channels c on c.id = n.channel_id and c.tenant_id = n.tenant_id
   returning channel_id`,
);

const FOREIGN_KEY_VIOLATION = '23503';

export interface ReceiveNeeds {
  clock: Clock;
  hints: Hints;
}

/** What whoever cannot sign is told, whether the channel exists or not. */
export const signatureRefusal = (): ApiError =>
  new ApiError('unauthorized', { detail: 'the signature does not fit this channel' });

/** Verifies a vendor's request and stores it as it came, in one statement: once this returns, it cannot be lost. */
export const receiveRequest = (
  tx: Tx,
  channel: ChannelGate,
  adapter: Adapter,
  request: ProviderRequest,
  needs: ReceiveNeeds,
): Promise<void> => receiveForAll(tx, [channel], adapter, request, needs);

/** The same for each of the channels whose secret the request is signed with; at least one must be. */
export async function receiveForAll(
  tx: Tx,
  channels: readonly ChannelGate[],
  adapter: Adapter,
  request: ProviderRequest,
  needs: ReceiveNeeds,
): Promise<void> {
  const signed = channels.filter((channel) => adapter.verifySignature(request, channel));
  if (signed.length === 0) throw signatureRefusal();
  await store(tx, signed, request, needs);
}

type Owned = Pick<ChannelGate, 'id' | 'tenantId'>;

/** Stores a request of which we know where it comes from. */
export const storeRequest = (
  tx: Tx,
  channel: Owned,
  request: ProviderRequest,
  needs: ReceiveNeeds,
): Promise<void> => store(tx, [channel], request, needs);

async function store(
  tx: Tx,
  channels: readonly Owned[],
  request: ProviderRequest,
  { clock, hints }: ReceiveNeeds,
): Promise<void> {
  const stored = await tx
    .all(insertInbound, [
      channels.map(() => newId()),
      channels.map(({ tenantId }) => tenantId),
      channels.map(({ id }) => id),
      channels.map(({ id }) => slotOf(id)),
      request.url,
      JSON.stringify(request.headers),
      request.body,
      clock.now(),
    ])
    .catch((error) => {
      if (error.code === FOREIGN_KEY_VIOLATION) return [];
      throw error;
    });
  if (stored.length === 0) throw new ApiError('channel_not_found');
  tx.afterCommit(() => {
    for (const { channel_id: id } of stored) hints.give(INBOUND_LIST, slotOf(id), id);
  });
}
