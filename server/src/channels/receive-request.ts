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
    id: string,
    tenantId: string,
    channelId: string,
    url: string,
    headers: string,
    body: Buffer,
    slot: number,
    now: Date,
  ]
>(
  'inbound.insert',
  `insert into inbound (id, tenant_id, channel_id, url, headers, body, slot, due_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, ${AT_ONCE}, $8)`,
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
export async function receiveRequest(
  tx: Tx,
  channel: ChannelGate,
  adapter: Adapter,
  request: ProviderRequest,
  needs: ReceiveNeeds,
): Promise<void> {
  if (!adapter.verifySignature(request, channel)) throw signatureRefusal();
  await storeRequest(tx, channel, request, needs);
}

/** Stores a request of which we know where it comes from. */
export async function storeRequest(
  tx: Tx,
  channel: Pick<ChannelGate, 'id' | 'tenantId'>,
  request: ProviderRequest,
  { clock, hints }: ReceiveNeeds,
): Promise<void> {
  const slot = slotOf(channel.id);
  try {
    await tx.run(insertInbound, [
      newId(),
      channel.tenantId,
      channel.id,
      request.url,
      JSON.stringify(request.headers),
      request.body,
      slot,
      clock.now(),
    ]);
  } catch (error) {
    // The channel was remembered from before it was deleted.
    throw (error as { code?: string }).code === FOREIGN_KEY_VIOLATION
      ? new ApiError('channel_not_found')
      : error;
  }
  tx.afterCommit(() => hints.give(INBOUND_LIST, slot, channel.id));
}
