import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { fixedDelays, untilItSucceeds } from '../engine/retry.ts';
import type { ChatSignal } from '../providers/adapter.ts';
import type { ChannelKind, HandleType } from '../providers/kinds.ts';

export const snoozesQueue = declareQueue({
  name: 'chats',
  purpose: 'open chats whose snooze has ended',
  table: 'chats',
  view: 'visible_chats',
  orderingKey: 'channel_id',
  rowsPerCall: 50,
  callsPerKey: 1,
  callsPerProcess: 4,
  retry: untilItSucceeds,
});

export interface ChatTaskRow extends QueueRow {
  channel_id: string;
  chat_id: string;
  task: ChatSignal | 'profile';
  attempts: number;
  handle_id: string;
  handle_type: HandleType;
  handle_value: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

export const chatTasksQueue = declareQueue<ChatTaskRow>({
  name: 'chat_tasks',
  purpose: 'send read receipts and typing indicators to vendors, fetch profiles of contacts',
  table: 'chat_tasks',
  orderingKey: 'channel_id',
  listed: () => 'true',
  columns: `q.channel_id, q.chat_id, q.kind as task, q.attempts, k.handle_id, h.type as handle_type, h.value as handle_value,
    c.kind, c.provider, c.address, c.config_encrypted`,
  joins: `join visible_channels c on c.id = q.channel_id and c.tenant_id = q.tenant_id
    join visible_chats k on k.id = q.chat_id and k.tenant_id = q.tenant_id
    join handles h on h.id = k.handle_id and h.tenant_id = k.tenant_id`,
  rowsPerCall: 1,
  callsPerKey: 4,
  callsPerProcess: 16,
  waitsOutside: true,
  // Of profiles. A receipt or an indicator that comes late is of no use.
  retry: fixedDelays([30_000, 600_000, 7_200_000]),
});
