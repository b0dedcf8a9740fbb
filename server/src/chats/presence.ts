import { createCache } from '../base/cache.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import type { ChatSignal } from '../providers/adapter.ts';
import { capabilities } from '../providers/capabilities.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import type { Author } from '../users/author.ts';
import type { ChatPresence, PresenceEvent } from './schema.ts';
import { queueSignal } from './tasks.ts';

type State = ChatPresence['state'];

const channelOfChat = statement<[id: string], { id: string; channel_id: string; kind: ChannelKind }>(
  'chats.channel_kind',
  `select k.id, k.channel_id, c.kind from visible_chats k
     join channels c on c.id = k.channel_id and c.tenant_id = k.tenant_id
    where k.id = $1 and k.tenant_id = $tenant`,
);

/** What the contact sees of a state; nobody sees from outside who reads. */
const signals: Record<State, ChatSignal | undefined> = {
  viewing: undefined,
  typing: 'typing',
  left: 'stop_typing',
};

/** How long a state counts unless it is repeated. Clients repeat it earlier. */
const LASTS_MS: Record<State, number> = { viewing: 45_000, typing: 10_000, left: 0 };
/** The same state of the same user in the same chat is sent to colleagues once in this time. */
const REPEAT_MS = 2_000;
const MAX_REMEMBERED = 10_000;

/** Shows colleagues and the contact who looks at a chat or types. Nothing is stored. */
export function createPresence() {
  /** What this process has sent of late, so that a client that repeats it without end costs nobody anything. */
  const sent = createCache<string, State>(MAX_REMEMBERED, { ttl: REPEAT_MS });

  /** Sends the state to the streams of colleagues, unless that was just done. */
  function announce(
    db: TenantDatabase,
    chat: { id: string; channel_id: string },
    user: PresenceEvent['user'],
    state: State,
  ) {
    const key = `${user.id} ${chat.id}`;
    if (sent.get(key) === state) return;
    sent.set(key, state);
    const data: PresenceEvent = {
      chatId: chat.id,
      user,
      state,
      until: new Date(nowMs() + LASTS_MS[state]).toISOString(),
    };
    db.autocommit.announce({
      type: 'chat.presence',
      channelId: chat.channel_id,
      exceptUserId: user.id,
      data,
    });
  }

  return async (db: TenantDatabase, chatId: string, state: State, author: Author): Promise<ChatPresence> => {
    const chat = isUuid(chatId) ? await db.byKey.find(channelOfChat, [chatId]) : undefined;
    if (!chat) throw new ApiError('chat_not_found');
    const { type, id, name } = author;
    const isUser = type === 'user' && id !== null;
    const signal = signals[state];
    const isShown = isUser && signal !== undefined && capabilities[chat.kind].signals.includes(signal);
    if (isUser) announce(db, chat, { id, name: name ?? '' }, state);
    if (isShown) await db.transaction(async (tx) => queueSignal(tx, chat, signal));
    return { chatId: chat.id, state, isShown };
  };
}
