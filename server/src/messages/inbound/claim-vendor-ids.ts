import { type LockedChat, lockChatsIf, WITHOUT_CHAT } from '../../chats/find-or-create.ts';
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
    allOrNone: boolean,
  ],
  LockedChat & { claims: VendorClaim[] | null }
>(
  'chats.lock_and_claim',
  // The first one to insert a vendor's id sets its message. All later ones get that message back and store nothing. All
  // claims are with one of the chats, because they are not needed twice: as values of their own, because of a join PostgreSQL
  // built them once for each chat, which was 24 of 29 ms for 60 chats. A deletion of the channel locks it before its chats.
  `with channel as materialized (
     select id from visible_channels where id = $1 and tenant_id = $tenant for key share),
   locked as materialized (
     ${lockChatsIf(`exists (select from channel) and (not $9 or not exists (${WITHOUT_CHAT}))`)}),
   claimed as (
     insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
     select $1, $tenant, n.vendor_id, n.message_id, 0, $8::timestamptz
       from unnest($4::text[], $5::text[], $6::text[], $7::uuid[]) as n (type, value, vendor_id, message_id)
       join locked l on l.handle_type = n.type and l.handle_value = n.value
      order by n.vendor_id
     on conflict (channel_id, vendor_id) do update set message_id = coalesce(v.message_id, excluded.message_id)
     returning message_id, status_rank, pending)
   select l.*, case when l.id = (select id from locked limit 1) then (select json_agg(c) from claimed c) end as claims
     from locked l`,
);

/**
 * Locks the chats of a channel over these handles, and claims the vendor's ids of the messages in them. With `allOrNone` it does
 * nothing if a handle has no chat.
 */
export async function lockChatsAndClaim(
  tx: TenantTx,
  channelId: string,
  handles: readonly Handle[],
  messages: readonly (Claiming & { contact: Handle })[],
  { allOrNone = false } = {},
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
    allOrNone,
  ]);
  return {
    chats: rows,
    claims: rows.flatMap(({ claims }) => claims ?? []),
  };
}
