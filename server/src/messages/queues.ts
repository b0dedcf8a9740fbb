import type { Channel } from '../channels/schema.ts';
import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { fixedDelays } from '../engine/retry.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import { isWaiting, OUTGOING_COLUMNS, OUTGOING_JOINS, type OutgoingRow } from './outbound/outgoing.ts';
import { sendRetry, UNKNOWN_MS } from './outbound/retry-policy.ts';

export interface MediaFetchRow extends QueueRow {
  channel_id: string;
  message_id: string;
  number: number;
  ref: Record<string, unknown>;
  attempts: number;
  crashes: number;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

export const mediaFetchesQueue = declareQueue<MediaFetchRow>({
  name: 'media_fetches',
  purpose: 'fetch the files of received messages from vendors',
  table: 'media_fetches',
  view: 'visible_media_fetches',
  orderingKey: 'channel_id',
  columns: `q.channel_id, q.message_id, q.number, q.ref, q.attempts, q.crashes, c.kind, c.provider, c.address, c.config_encrypted`,
  countsCrashes: true,
  joins: 'join visible_channels c on c.id = q.channel_id and c.tenant_id = q.tenant_id',
  rowsPerCall: 1,
  callsPerKey: 4,
  callsPerProcess: 32,
  waitsOutside: true,
  // WhatsApp keeps a file for a month, but its URL only for five minutes.
  retry: fixedDelays([5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000]),
});

export interface MessageToSend extends QueueRow, OutgoingRow {
  channel_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  health: Channel['health'];
  config_encrypted: Buffer;
  attempts: number;
  sending_at: Date | null;
  /** Since when it is to be sent. */
  since: Date;
  campaign_id: string | null;
  /** Whether its campaign is paused or cancelled; null without one. */
  is_stopped: boolean | null;
}

/** Since when a message is to be sent: one of a campaign that was paused, since the campaign went on. */
const since = (row: string): string =>
  `greatest(coalesce(${row}.scheduled_at, ${row}.created_at), ${row}.released_at)`;

/**
 * Whether no message of its chat has to be sent before it: messages of a chat are sent one after another, in the order
 * of their times, and one that waits for a retry holds those behind it. A message whose outcome is unknown is not sent
 * again, so it holds nothing once only time can resolve it. The condition names the chat only and has `offset 0`, so
 * that it is one look at what waits in the chat: with the tenant it would read everything ever written there, and as a
 * join everything that waits anywhere.
 */
const isFirstOfChat = (row: string): string => `not exists (
  select 1 from visible_messages e
   where e.chat_id = ${row}.chat_id and ${isWaiting('e')}
     and (e.sending_at is null or e.due_at < e.sending_at + interval '${UNKNOWN_MS} ms')
     and (${since('e')}, e.id) < (${since(row)}, ${row}.id)
  offset 0)`;

export const messagesQueue = declareQueue<MessageToSend>({
  name: 'messages',
  purpose: 'send messages to vendors, one at a time per chat',
  table: 'messages',
  view: 'visible_messages',
  orderingKey: 'channel_id',
  listed: (row) => `${row}.due_at is not null and ${isFirstOfChat(row)}`,
  columns: `${OUTGOING_COLUMNS}, q.channel_id, q.attempts, q.sending_at, ${since('q')} as since, q.campaign_id,
    (select s.status in ('paused', 'cancelled') from campaigns s where s.id = q.campaign_id) as is_stopped,
    channel.kind, channel.provider, channel.address, channel.health, channel.config_encrypted`,
  joins: OUTGOING_JOINS,
  claimsManyKeys: true,
  rowsPerCall: 1,
  callsPerKey: 32,
  callsPerProcess: 1024,
  waitsOutside: true,
  retry: sendRetry,
});
