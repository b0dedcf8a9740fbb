import type { Keys } from '../../base/crypto.ts';
import { invalidParam } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { decryptConfig } from '../../channels/encrypted-config.ts';
import type { ChannelConsent } from '../../channels/schema.ts';
import { reachedBy, startChats } from '../../chats/start-chat.ts';
import type { Contact } from '../../contacts/schema.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { applyInbound } from '../../messages/inbound/apply.ts';
import type { QueueDeps } from '../../messages/outbound/queue.ts';
import type { ChannelConfig } from '../../providers/adapter-channel.ts';
import { type ChannelKind, channelKinds, type HandleType } from '../../providers/kinds.ts';
import type { WrittenMessage } from './schema.ts';

interface ReceivingChat {
  id: string;
  channel_id: string;
  kind: ChannelKind;
  config_encrypted: Buffer;
  consent: Partial<ChannelConsent>;
  handle_type: HandleType;
  handle_value: string;
}

const receivingChat = statement<[chatId: string], ReceivingChat>(
  'dry_run.receiving_chat',
  `select k.id, k.channel_id, c.kind, c.config_encrypted, c.consent, h.type as handle_type, h.value as handle_value
     from visible_chats k
     join visible_channels c on c.id = k.channel_id and (c.tenant_id = k.tenant_id) is true
     join handles h on h.id = k.handle_id and (h.tenant_id = k.tenant_id) is true
    where k.id = $1 and k.tenant_id = $tenant`,
);
const latestChat = statement<
  [contactId: string, channelId: string | null, visibleIds: string[] | null],
  { id: string }
>(
  'dry_run.latest_chat',
  `select id from visible_chats
    where contact_id = $1 and (tenant_id = $tenant) is true and ($2::uuid is null or channel_id = $2)
      and ($3::uuid[] is null or channel_id = any ($3::uuid[]))
    order by updated_at desc, id limit 1`,
);
const firstChannel = statement<[kinds: readonly ChannelKind[], visibleIds: string[] | null], { id: string }>(
  'dry_run.first_channel',
  `select id from visible_channels
    where tenant_id = $tenant and kind = any ($1::text[]) and ($2::uuid[] is null or id = any ($2::uuid[]))
    order by created_at, id limit 1`,
);

/** The chat in which a contact writes: on a channel, or the latest one, or on the first channel that reaches the contact. */
export async function chatToWriteIn(
  tx: TenantTx,
  { id: contactId, handles }: Pick<Contact, 'id' | 'handles'>,
  givenChannelId: string | null,
  visibleIds: ReadonlySet<string> | undefined,
): Promise<string> {
  const seenIds = visibleIds ? [...visibleIds] : null;
  const latest = await tx.find(latestChat, [contactId, givenChannelId, seenIds]);
  if (latest) return latest.id;
  const kinds = channelKinds.filter((kind) => handles.some(({ type }) => reachedBy[kind].includes(type)));
  const channelId = givenChannelId ?? (await tx.find(firstChannel, [kinds, seenIds]))?.id;
  if (channelId === undefined)
    throw invalidParam(
      'message.channelId',
      'invalid_type',
      'Required, because no channel reaches the contact',
    );
  const chat = (await startChats(tx, channelId, [contactId])).get(contactId);
  if (typeof chat === 'string') return chat;
  const [issue] = Object.values(chat?.invalidParams ?? {});
  throw invalidParam('message.channelId', 'custom', issue?.message ?? `There is no channel ${channelId}`);
}

/** Receives a message in a chat, as if its vendor had sent it. */
type ReceiveMessage = (
  tx: TenantTx,
  chatId: string,
  message: WrittenMessage,
  deps: QueueDeps & { keys: Keys },
) => Promise<void>;

/** Reads each chat once. */
export function createReceiver(): ReceiveMessage {
  const channels = new Map<string, ReceivingChat & { config: ChannelConfig }>();
  const findChannel = async (tx: TenantTx, chatId: string, keys: Keys) => {
    const known = channels.get(chatId);
    const chat = known ?? (await tx.find(receivingChat, [chatId]));
    if (known || !chat) return known;
    const read = { ...chat, config: decryptConfig(chat.config_encrypted, keys) };
    channels.set(chatId, read);
    return read;
  };
  return async (tx, chatId, { type, text, content = {} }, deps) => {
    const chat = await findChannel(tx, chatId, deps.keys);
    if (!chat) return;
    const { channel_id: id, kind, config, consent, handle_type, handle_value } = chat;
    const event = {
      kind: 'message' as const,
      vendorId: `dry-run-${newId()}`,
      contact: { type: handle_type, value: handle_value, name: null },
      type: type ?? (kind === 'email' ? 'email' : 'text'),
      text: text ?? null,
      media: [],
      content,
      occurredAt: tx.now,
    };
    await applyInbound(tx, { id, kind, config, consent }, [{ event, receivedAt: tx.now }], deps, true);
  };
}
