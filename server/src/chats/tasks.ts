import { newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import type { ChatSignal } from '../providers/adapter.ts';
import { capabilities } from '../providers/capabilities.ts';
import { channelKinds } from '../providers/kinds.ts';
import { chatTasksQueue } from './queues.ts';

const kindsWith = (signal: ChatSignal): string =>
  channelKinds
    .filter((kind) => capabilities[kind].signals.includes(signal))
    .map((kind) => `'${kind}'`)
    .join(', ');

/** A chat has one task of each kind: what was asked twice before it was done is done once. */
const INSERT = `insert into chat_tasks (id, tenant_id, channel_id, chat_id, kind, shard, due_at, created_at)`;
const insertSignal = statement<
  [id: string, chatId: string, channelId: string, kind: ChatSignal, shard: number, now: Date]
>(
  'chat_tasks.insert',
  // The lock keeps a deletion of the chat waiting.
  `${INSERT}
   select $1, $tenant, $3, k.id, $4, $5, ${DUE_NOW}, $6 from (
     select id from visible_chats where id = $2 and tenant_id = $tenant for key share) k
   on conflict (chat_id, kind) do nothing`,
);
const insertReceipts = statement<[ids: string[], chatIds: string[], shards: number[], now: Date]>(
  'chat_tasks.insert_receipts',
  `${INSERT}
   select n.id, $tenant, k.channel_id, k.id, 'read', n.shard, ${DUE_NOW}, $4
     from unnest($1::uuid[], $2::uuid[], $3::smallint[]) as n (id, chat_id, shard)
     join visible_chats k on k.id = n.chat_id and (k.tenant_id = $tenant) is true
     join channels c on c.id = k.channel_id and (c.tenant_id = k.tenant_id) is true
    where k.unread_count > 0 and c.kind in (${kindsWith('read')})
   on conflict (chat_id, kind) do nothing`,
);

/** Shows the contact of a chat that somebody types, or no longer does. */
export function queueSignal(tx: TenantTx, chat: { id: string; channel_id: string }, kind: ChatSignal): void {
  const shard = chatTasksQueue.shardOf(chat.channel_id, tx.tenantId);
  tx.enqueue(insertSignal, [newId(), chat.id, chat.channel_id, kind, shard, tx.now]);
  tx.wake(chatTasksQueue, chat.channel_id);
}

/** Tells the vendors that a person has read these chats, as far as they have unread messages by now. */
export function queueReadReceipts(tx: TenantTx, chats: readonly { id: string; channel_id: string }[]): void {
  if (chats.length === 0) return;
  tx.enqueue(insertReceipts, [
    chats.map(() => newId()),
    chats.map(({ id }) => id),
    chats.map(({ channel_id }) => chatTasksQueue.shardOf(channel_id, tx.tenantId)),
    tx.now,
  ]);
  for (const channelId of new Set(chats.map(({ channel_id }) => channel_id)))
    tx.wake(chatTasksQueue, channelId);
}

/** Instagram's URLs of pictures end after some days. */
const PROFILE_DAYS = 2;
const insertProfiles = statement<
  [ids: string[], chatIds: string[], channelId: string, shard: number, now: Date]
>(
  'chat_tasks.insert_profiles',
  `${INSERT}
   select n.id, $tenant, $3, k.id, 'profile', $4, ${DUE_NOW}, $5
     from unnest($1::uuid[], $2::uuid[]) as n (id, chat_id)
     join visible_chats k on k.id = n.chat_id and (k.tenant_id = $tenant) is true
     join handles h on h.id = k.handle_id and (h.tenant_id = k.tenant_id) is true
    where coalesce((h.extra->>'fetchedAt')::timestamptz, '-infinity') < $5::timestamptz - interval '${PROFILE_DAYS} days'
   on conflict (chat_id, kind) do nothing`,
);

/** Asks the vendor who the contacts of these chats are, unless that is known. */
export function queueProfiles(tx: TenantTx, channelId: string, chatIds: readonly string[]): void {
  if (chatIds.length === 0) return;
  const shard = chatTasksQueue.shardOf(channelId, tx.tenantId);
  tx.enqueue(insertProfiles, [chatIds.map(() => newId()), [...chatIds], channelId, shard, tx.now]);
  tx.wake(chatTasksQueue, channelId);
}
