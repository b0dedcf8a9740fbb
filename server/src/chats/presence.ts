import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { ChannelKind, ChatSignal } from '../providers/adapter.ts';
import { capabilities } from '../providers/capabilities.ts';
import type { ChatPresence } from './schema.ts';
import { queueSignal } from './tasks.ts';

const channelOfChat = statement<[id: string], { id: string; channel_id: string; kind: ChannelKind }>(
  'chats.channel_kind',
  `select k.id, k.channel_id, c.kind from visible_chats k
     join channels c on c.id = k.channel_id and c.tenant_id = k.tenant_id
    where k.id = $1 and k.tenant_id = $tenant`,
);

const signals: Record<ChatPresence['state'], ChatSignal> = { typing: 'typing', left: 'stop_typing' };

/** Shows the contact that a person types, where the vendor can. */
export async function setPresence(
  tx: TenantTx,
  chatId: string,
  state: ChatPresence['state'],
  isByPerson: boolean,
): Promise<ChatPresence> {
  const chat = isUuid(chatId) ? await tx.find(channelOfChat, [chatId]) : undefined;
  if (!chat) throw new ApiError('chat_not_found');
  const isShown = isByPerson && capabilities[chat.kind].signals.includes(signals[state]);
  if (isShown) queueSignal(tx, chat, signals[state]);
  return { chatId: chat.id, state, isShown };
}
