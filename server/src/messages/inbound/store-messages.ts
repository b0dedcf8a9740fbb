import { groupBy } from '../../base/group-by.ts';
import type { ChannelConsent } from '../../channels/schema.ts';
import type { LockedChat } from '../../chats/find-or-create.ts';
import { chatStates, updateStates } from '../../chats/new-messages.ts';
import { type ParameterOf, type RowOf, rowSet } from '../../db/rows.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { ChannelConfig } from '../../providers/adapter-channel.ts';
import { replyWindowMs } from '../../providers/capabilities.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import type { MessageRow } from '../message.ts';
import { type ReceivedMessage, storeMedia } from './media.ts';
import { findAnswerTime, isAnsweredBy, nextChatState, type StoredFacts } from './next-chat-state.ts';

const countAfter = statement<
  [chatIds: string[], since: Date[]],
  { chat_id: string; count: number; since: Date | null }
>(
  'messages.count_after_reply',
  `select n.chat_id, count(*)::int as count, min(m.timestamp) filter (where not m.is_automatic) as since
     from unnest($1::uuid[], $2::timestamptz[]) as n (chat_id, since)
     join visible_messages m on m.tenant_id = $tenant and m.chat_id = n.chat_id and m.sender = 'inbound' and m.timestamp > n.since
    group by n.chat_id`,
);
const repliesElsewhere = statement<[chatIds: string[], since: Date[]], { chat_id: string; replied_at: Date }>(
  'messages.replies_elsewhere',
  // The bound on created_at keeps the scan short; an hour allows for different clocks.
  `select n.chat_id, max(m.timestamp) as replied_at
     from unnest($1::uuid[], $2::timestamptz[]) as n (chat_id, since)
     join visible_messages m on m.tenant_id = $tenant and m.chat_id = n.chat_id and m.sender = 'outbound' and m.author = 'user'
      and m.author_id is null and m.timestamp >= n.since and m.created_at >= n.since - interval '1 hour'
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
/** SQL that stores messages, a relation `m`, and the states `n` of their chats. */
const storeText = (states: string, messages: string): string =>
  `with changed as (${updateStates(states, 2)})
   insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                         status, vendor_id, reply_to_message_id, timestamp, is_automatic, is_opt_out, created_at,
                         updated_at)
   select m.id, $tenant, m.chat_id, $1, m.contact_id, m.sender, case m.sender when 'inbound' then 'contact' else 'user' end,
          m.type, m.text, m.media, m.content, m.status,
          m.vendor_id, m.reply_to_message_id, m.timestamp, m.is_automatic, m.is_opt_out, $2, $2
     from ${messages}`;
const storeMany = statement<
  [
    channelId: string,
    now: Date,
    states: ParameterOf<typeof chatStates>,
    messages: ParameterOf<typeof newMessages>,
    chatIds: string[],
  ]
>(
  'messages.store_inbound',
  // With the ids as a parameter, PostgreSQL expects a few rows and reads these chats; without, it expected 100 and read
  // all of a tenant with 1,000 chats.
  storeText(
    `(select * from ${chatStates.from(3, 's')} where s.chat_id = any ($5::uuid[])) n`,
    newMessages.from(4, 'm'),
  ),
);
/** For one message, as they come at quiet times: with rows as JSON, PostgreSQL takes 1.3 times as long. */
const storeOne = statement<[channelId: string, now: Date, ...stateAndMessage: unknown[]]>(
  'messages.store_one_inbound',
  storeText(chatStates.fromOne(3, 'n'), newMessages.fromOne(3 + chatStates.width, 'm')),
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
  const stored = isImport ? new Map<string, StoredFacts>() : await readStored(tx, touched, rowsOf);
  const windowMs = replyWindowMs(channel.kind, channel.config);
  const states = touched.map((chat) => {
    const state = nextChatState(chat, rowsOf(chat), windowMs, stored.get(chat.id));
    if (!isImport) return state;
    const unchanged = { unread: 0, reopens: false, answeredAt: null, repliedAt: null };
    return { ...state, ...unchanged, waitingSince: chat.waiting_since };
  });
  storeRows(
    tx,
    channel.id,
    states.map((state) => ({
      chat_id: state.chatId,
      unread: state.unread,
      latest_id: state.latestId,
      latest_at: state.latestAt,
      open_until: state.openUntil,
      reopens: state.reopens,
      answered_at: state.answeredAt,
      replied_at: state.repliedAt,
      waiting_since: state.waitingSince,
    })),
    messages.map(({ row }) => ({ ...row, is_opt_out: noReplyIds.has(row.id) })),
  );
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

function storeRows(
  tx: TenantTx,
  channelId: string,
  states: RowOf<typeof chatStates>[],
  messages: RowOf<typeof newMessages>[],
): void {
  const [state] = states;
  const [message, ...others] = messages;
  if (state && message && others.length === 0)
    tx.enqueue(storeOne, [
      channelId,
      tx.now,
      ...chatStates.encodeOne(state),
      ...newMessages.encodeOne(message),
    ]);
  else
    tx.enqueue(storeMany, [
      channelId,
      tx.now,
      chatStates.encode(states),
      newMessages.encode(messages),
      states.map((one) => one.chat_id),
    ]);
}

/** What is stored already and matters to messages that come late. Mostly nothing does, so mostly nothing is read. */
async function readStored(
  tx: TenantTx,
  chats: LockedChat[],
  rowsOf: (chat: LockedChat) => NewMessage['row'][],
): Promise<Map<string, StoredFacts>> {
  const answered = chats.flatMap((chat) => {
    const answeredAt = findAnswerTime(rowsOf(chat));
    const isWaiting = chat.unread_count > 0 || isAnsweredBy(chat, answeredAt);
    return answeredAt !== null && isWaiting && (chat.latest_message_at ?? 0) > answeredAt
      ? [{ id: chat.id, answeredAt }]
      : [];
  });
  const late = chats.flatMap((chat) => {
    const [first] = rowsOf(chat)
      .filter(({ sender, timestamp }) => sender === 'inbound' && timestamp <= (chat.read_at ?? 0))
      .toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime());
    return first ? [{ id: chat.id, since: first.timestamp }] : [];
  });
  const [after, replies] = await Promise.all([
    answered.length === 0
      ? []
      : tx.all(countAfter, [answered.map(({ id }) => id), answered.map(({ answeredAt }) => answeredAt)]),
    late.length === 0
      ? []
      : tx.all(repliesElsewhere, [late.map(({ id }) => id), late.map(({ since }) => since)]),
  ]);
  const counted = new Map(after.map(({ chat_id, count, since }) => [chat_id, { count, since }]));
  const replied = new Map(replies.map(({ chat_id, replied_at }) => [chat_id, replied_at]));
  return new Map(
    chats.map(({ id }) => [
      id,
      { count: 0, since: null, ...counted.get(id), repliedAt: replied.get(id) ?? null },
    ]),
  );
}
