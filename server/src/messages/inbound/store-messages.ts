import { groupBy } from '../../base/group-by.ts';
import type { ChannelConsent } from '../../channels/schema.ts';
import type { LockedChat } from '../../chats/find-or-create.ts';
import { chatStates, updateStates } from '../../chats/new-messages.ts';
import { type ParameterOf, rowSet } from '../../db/rows.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { ChannelConfig } from '../../providers/adapter-channel.ts';
import { replyWindowMs } from '../../providers/capabilities.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import type { MessageRow } from '../message.ts';
import { type ReceivedMessage, storeMedia } from './media.ts';
import { findNewReplyTime, nextChatState, type StillUnread } from './next-chat-state.ts';

const countUnread = statement<
  [chatIds: string[], since: Date[]],
  { chat_id: string; count: number; since: Date | null }
>(
  'messages.count_unread',
  `select n.chat_id, count(*)::int as count, min(m.timestamp) filter (where not m.is_automatic) as since
     from unnest($1::uuid[], $2::timestamptz[]) as n (chat_id, since)
     join visible_messages m on m.tenant_id = $tenant and m.chat_id = n.chat_id and m.sender = 'inbound' and m.timestamp > n.since
    group by n.chat_id`,
);

const newMessages = rowSet({
  id: 'uuid',
  chat_id: 'uuid',
  contact_id: 'uuid',
  sender: 'text',
  status: 'text',
  type: 'text',
  text: 'text?',
  media: 'jsonb',
  content: 'jsonb',
  vendor_id: 'text?',
  reply_to_message_id: 'uuid?',
  timestamp: 'timestamptz',
  is_automatic: 'boolean',
  is_opt_out: 'boolean',
});
const storeMessages = statement<
  [
    channelId: string,
    now: Date,
    states: ParameterOf<typeof chatStates>,
    messages: ParameterOf<typeof newMessages>,
  ]
>(
  'messages.store_inbound',
  `with changed as (${updateStates(3, 2)})
   insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                         status, vendor_id, reply_to_message_id, timestamp, is_automatic, is_opt_out, created_at,
                         updated_at)
   select m.id, $tenant, m.chat_id, $1, m.contact_id, m.sender, case m.sender when 'inbound' then 'contact' else 'user' end,
          m.type, m.text, m.media, m.content, m.status,
          m.vendor_id, m.reply_to_message_id, m.timestamp, m.is_automatic, m.is_opt_out, $2, $2
     from ${newMessages.from(4, 'm')}`,
);

export interface ReceivingChannel {
  id: string;
  kind: ChannelKind;
  config: ChannelConfig;
  consent: Partial<ChannelConsent>;
}

/** A message that is being stored: as it was received, and its row. */
export interface NewMessage {
  received: ReceivedMessage;
  row: MessageRow & { timestamp: Date };
}

export type TouchedChat = LockedChat & {
  reopens: boolean;
  /** Whether the business replied in the vendor's app. */
  isReplied: boolean;
};

/** Stores new messages with their files, and updates their chats. */
export async function storeNewMessages(
  tx: TenantTx,
  channel: ReceivingChannel,
  messages: NewMessage[],
  chats: Map<string, LockedChat>,
  /** The messages that are no reply to anything: STOP and START, public comments, and what another app answers. */
  noReplyIds: ReadonlySet<string>,
  /** Whether they were written before the channel was connected: then nobody waits for an answer. */
  isImport = false,
): Promise<TouchedChat[]> {
  if (messages.length === 0) return [];
  const rows = messages.map(({ row }) => row);
  const perChat = groupBy(rows, (row) => row.chat_id);
  const byId = new Map([...chats.values()].map((chat) => [chat.id, chat]));
  const touched = [...byId.values()].filter((chat) => perChat.has(chat.id));
  const rowsOf = (chat: LockedChat) => perChat.get(chat.id) as NewMessage['row'][];
  const stillUnread = isImport ? new Map() : await countStillUnread(tx, touched, rowsOf);
  const windowMs = replyWindowMs(channel.kind, channel.config);
  const states = touched.map((chat) => {
    const state = nextChatState(chat, rowsOf(chat), windowMs, stillUnread.get(chat.id));
    return isImport
      ? { ...state, unread: 0, reopens: false, repliedAt: null, waitingSince: chat.waiting_since }
      : state;
  });
  tx.enqueue(storeMessages, [
    channel.id,
    tx.now,
    chatStates.encode(
      states.map((state) => ({
        chat_id: state.chatId,
        unread: state.unread,
        latest_id: state.latestId,
        latest_at: state.latestAt,
        open_until: state.openUntil,
        reopens: state.reopens,
        replied_at: state.repliedAt,
        waiting_since: state.waitingSince,
      })),
    ),
    newMessages.encode(messages.map(({ row }) => ({ ...row, is_opt_out: noReplyIds.has(row.id) }))),
  ]);
  const withMedia = messages.filter(({ received }) => received.media.length > 0);
  await storeMedia(
    tx,
    channel.id,
    withMedia.map(({ received, row }) => ({ id: row.id, media: received.media })),
  );
  return touched.map((chat, index) => ({
    ...chat,
    reopens: states[index]?.reopens ?? false,
    isReplied: states[index]?.repliedAt != null,
  }));
}

/** How many stored messages are newer than a reply that arrives only now. Mostly none, so mostly nothing is read. */
async function countStillUnread(
  tx: TenantTx,
  chats: LockedChat[],
  rowsOf: (chat: LockedChat) => NewMessage['row'][],
): Promise<Map<string, StillUnread>> {
  const replied = chats.flatMap((chat) => {
    const repliedAt = findNewReplyTime(chat, rowsOf(chat));
    const mayBeUnread = chat.unread_count > 0 && (chat.latest_message_at ?? 0) > (repliedAt ?? 0);
    return repliedAt !== null && mayBeUnread ? [{ id: chat.id, repliedAt }] : [];
  });
  if (replied.length === 0) return new Map();
  const rows = await tx.all(countUnread, [
    replied.map(({ id }) => id),
    replied.map(({ repliedAt }) => repliedAt),
  ]);
  return new Map(rows.map(({ chat_id, ...unread }) => [chat_id, unread]));
}
