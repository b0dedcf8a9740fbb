import { LOCK_CHATS, type LockedChat } from '../../chats/find-or-create.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/kinds.ts';
import type { MessageRow } from '../message.ts';

/** Which message has a vendor's id, and what the vendor has said of it already. */
export interface VendorClaim {
  message_id: string;
  status_rank: number;
  pending: MessageRow['error'];
}

/** A message of a vendor, with the id that it gets if nobody has stored it before. */
interface Claiming {
  vendorId: string;
  messageId: string;
}

/** SQL: the first one to insert a vendor's id sets its message. All later ones get that message back and store nothing. */
const claimFrom = (rows: string, now: string): string =>
  `insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
   select $1, $tenant, n.vendor_id, n.message_id, 0, ${now}::timestamptz from ${rows} order by n.vendor_id
   on conflict (channel_id, vendor_id) do update set message_id = coalesce(v.message_id, excluded.message_id)
   returning message_id, status_rank, pending`;

const claim = statement<
  [channelId: string, vendorIds: string[], messageIds: string[], now: Date],
  VendorClaim
>(
  'messages.claim_vendor_ids',
  claimFrom('unnest($2::text[], $3::uuid[]) as n (vendor_id, message_id)', '$4'),
);
const lockAndClaim = statement<
  [
    channelId: string,
    types: string[],
    values: string[],
    writtenTypes: string[],
    writtenValues: string[],
    vendorIds: string[],
    messageIds: string[],
    now: Date,
  ],
  LockedChat & { claims: VendorClaim[] | null }
>(
  'chats.lock_and_claim',
  // All claims are with one of the chats, because they are not needed twice.
  `with locked as materialized (${LOCK_CHATS}),
   claimed as (${claimFrom(
     `unnest($4::text[], $5::text[], $6::text[], $7::uuid[]) as n (type, value, vendor_id, message_id)
      join locked l on l.handle_type = n.type and l.handle_value = n.value`,
     '$8',
   )})
   select l.*, k.claims from locked l left join (
     select json_agg(c) as claims, (select id from locked limit 1) as chat_id from claimed c) k on k.chat_id = l.id`,
);

export const claimVendorIds = (
  tx: TenantTx,
  channelId: string,
  messages: readonly Claiming[],
): Promise<VendorClaim[]> =>
  tx.all(claim, [
    channelId,
    messages.map(({ vendorId }) => vendorId),
    messages.map(({ messageId }) => messageId),
    tx.now,
  ]);

/**
 * Locks the chats of a channel over these handles, and claims the vendor's ids of the messages in them. The others are claimed
 * when their chats exist: a claimed id always has a chat.
 */
export async function lockChatsAndClaim(
  tx: TenantTx,
  channelId: string,
  handles: readonly Handle[],
  messages: readonly (Claiming & { contact: Handle })[],
): Promise<{ chats: LockedChat[]; claims: VendorClaim[] }> {
  const rows = await tx.all(lockAndClaim, [
    channelId,
    handles.map(({ type }) => type),
    handles.map(({ value }) => value),
    messages.map(({ contact }) => contact.type),
    messages.map(({ contact }) => contact.value),
    messages.map(({ vendorId }) => vendorId),
    messages.map(({ messageId }) => messageId),
    tx.now,
  ]);
  return {
    chats: rows,
    claims: rows.flatMap(({ claims }) => claims ?? []),
  };
}
