import type { Clock } from '../../base/clock.ts';
import type { Keys } from '../../base/crypto.ts';
import { ApiError } from '../../base/errors.ts';
import { isUuid, newId } from '../../base/ids.ts';
import { decryptConfig } from '../../channels/channel.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { AT_ONCE, shardOf } from '../../engine/queue.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import { FILE_COLUMNS, type FileRow } from '../../files/file.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import type { Adapter, ChannelKind } from '../../providers/adapter.ts';
import { replyWindowMs } from '../../providers/capabilities.ts';
import { presentTemplate, TEMPLATE_COLUMNS, type TemplateRow } from '../../templates/template.ts';
import { type MessageRow, presentMessage } from '../message.ts';
import type { Message, NewChatMessage } from '../schema.ts';
import { type ValidatedDraft, validateDraft } from './validate.ts';
import { MESSAGES_LIST } from './worker.ts';

interface SendingChat {
  id: string;
  channel_id: string;
  contact_id: string;
  open_until: Date | null;
  kind: ChannelKind;
  provider: string;
  config_encrypted: Buffer;
  opted_out_at: Date | null;
}
const lockChats = statement<[ids: string[], tenantId: string], SendingChat>(
  'messages.lock_chats',
  // Always in the order of ids, so that two who lock the same chats never wait for each other. What belongs to a chat is
  // the same tenant's, said so that no index serves: while tables are young, the planner would read all that it has.
  `select k.id, k.channel_id, k.contact_id, k.open_until, c.kind, c.provider, c.config_encrypted, h.opted_out_at
     from chats k join channels c on c.id = k.channel_id and (c.tenant_id = k.tenant_id) is true
     join handles h on h.id = k.handle_id and (h.tenant_id = k.tenant_id) is true
    where k.id = any ($1::uuid[]) and k.tenant_id = $2 order by k.id for update of k`,
);
const filesById = statement<[ids: string[], tenantId: string], FileRow>(
  'messages.files',
  `select ${FILE_COLUMNS} from files f where f.id = any ($1::uuid[]) and f.tenant_id = $2`,
);
const templatesById = statement<[ids: string[], tenantId: string], TemplateRow>(
  'messages.templates',
  `select ${TEMPLATE_COLUMNS} from message_templates t where t.id = any ($1::uuid[]) and t.tenant_id = $2`,
);
const messagesById = statement<
  [ids: string[], tenantId: string],
  { id: string; chat_id: string; vendor_id: string | null }
>(
  'messages.referred_to',
  'select id, chat_id, vendor_id from messages where id = any ($1::uuid[]) and tenant_id = $2',
);

const insertQueued = statement<
  [
    tenantId: string,
    now: Date,
    ids: string[],
    chatIds: string[],
    channelIds: string[],
    contactIds: string[],
    authors: string[],
    types: string[],
    texts: (string | null)[],
    media: string[],
    contents: string[],
    repliesTo: (string | null)[],
    scheduledAt: (Date | null)[],
    shards: number[],
    runIds: (string | null)[],
    runSteps: (number | null)[],
    campaignIds: (string | null)[],
  ]
>(
  'messages.insert_queued',
  // A reply is read and latest when it is written, one that is scheduled when it goes out.
  `with queued as (
     select * from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[],
                          $11::text[], $12::uuid[], $13::timestamptz[], $14::smallint[], $15::uuid[], $16::int[],
                          $17::uuid[])
       as q (id, chat_id, channel_id, contact_id, author, type, text, media, content, reply_to, scheduled_at, shard,
             run_id, run_step, campaign_id)),
   replied as (
     update chats k set unread_count = 0, marked_unread = false, read_at = $2, updated_at = $2,
            latest_message_id = case when k.latest_message_at > $2 then k.latest_message_id else n.id end,
            latest_message_at = greatest(k.latest_message_at, $2)
       from (select chat_id, max(id::text)::uuid as id from queued where scheduled_at is null group by chat_id) n
      where k.id = any ($4::uuid[]) and k.tenant_id = $1 and k.id = n.chat_id)
   insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                         reply_to_message_id, timestamp, scheduled_at, shard, due_at, run_id, run_step, campaign_id,
                         created_at, updated_at)
   select q.id, $1, q.chat_id, q.channel_id, q.contact_id, 'outbound', q.author, q.type, q.text, q.media::jsonb,
          q.content::jsonb, 'queued', q.reply_to, coalesce(q.scheduled_at, $2), q.scheduled_at, q.shard,
          coalesce(q.scheduled_at, ${AT_ONCE}), q.run_id, q.run_step, q.campaign_id, $2, $2
     from queued q order by q.id`,
);

/** A message that somebody wants to send. */
export interface MessageDraft extends NewChatMessage {
  chatId: string;
  author: Exclude<Message['author'], 'contact'>;
  /** The run of an automation that sends it, and as which of its steps: a step sends once. */
  origin?: { runId: string; runStep: number; campaignId: string | null };
}

export interface QueueDeps {
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps;
  policy: OutboundPolicy;
  adapters: ReadonlyMap<string, Adapter>;
  baseUrl: () => string;
}

const found = async <Row extends { id: string }>(
  ids: string[],
  read: (ids: string[]) => Promise<Row[]>,
): Promise<Map<string, Row>> =>
  new Map((ids.length === 0 ? [] : await read([...new Set(ids)])).map((row) => [row.id, row]));

/** All that drafts refer to, each kind read at once. */
async function readFacts(tx: Tx, tenantId: string, drafts: readonly MessageDraft[]) {
  const chatIds = drafts.map(({ chatId }) => chatId.toLowerCase()).filter(isUuid);
  const fileIds = drafts.flatMap(({ media = [] }) => [media].flat().flatMap((one) => one.fileId ?? []));
  const templateIds = drafts.flatMap(({ template }) => template?.templateId ?? []);
  const messageIds = drafts.flatMap(({ replyToMessageId, reaction }) =>
    [replyToMessageId, reaction?.messageId].filter((id) => id !== undefined),
  );
  const [chats, files, templates, messages] = await Promise.all([
    found(chatIds, (ids) => tx.all(lockChats, [ids, tenantId])),
    found(fileIds, (ids) => tx.all(filesById, [ids, tenantId])),
    found(templateIds, async (ids) => (await tx.all(templatesById, [ids, tenantId])).map(presentTemplate)),
    found(messageIds, (ids) => tx.all(messagesById, [ids, tenantId])),
  ]);
  return { chats, files, templates, messages };
}

interface Queued {
  draft: MessageDraft;
  chat: SendingChat;
  validated: ValidatedDraft;
  id: string;
}

const rowOf = ({ draft, chat, validated, id }: Queued, now: Date): MessageRow => ({
  id,
  chat_id: chat.id,
  channel_id: chat.channel_id,
  contact_id: chat.contact_id,
  sender: 'outbound',
  author: draft.author,
  type: validated.type,
  text: validated.text,
  media: validated.media,
  content: validated.content,
  status: 'queued',
  error: null,
  vendor_id: null,
  reply_to_message_id: validated.replyToMessageId,
  timestamp: validated.scheduledAt ?? now,
  scheduled_at: validated.scheduledAt,
  edited_at: null,
  deleted_at: null,
  created_at: now,
  updated_at: now,
});

/**
 * Queues messages, each in its chat, in the order in which they are given. For each draft its message, or why it cannot
 * be sent; the others are not touched by that.
 */
export async function queueMessages(
  tx: Tx,
  tenantId: string,
  drafts: readonly MessageDraft[],
  { clock, keys, wakeUps, policy, adapters, baseUrl }: QueueDeps,
): Promise<(Message | ApiError)[]> {
  if (drafts.length === 0) return [];
  const { chats, ...references } = await readFacts(tx, tenantId, drafts);
  const now = clock.now(tenantId);
  const queued: Queued[] = [];
  const windows = new Map<string, number | null>();
  const hasWindow = (chat: SendingChat): boolean => {
    let windowMs = windows.get(chat.channel_id);
    if (windowMs === undefined) {
      windowMs = replyWindowMs(chat.kind, decryptConfig(chat.config_encrypted, keys));
      windows.set(chat.channel_id, windowMs);
    }
    return windowMs !== null;
  };

  const validate = (draft: MessageDraft): Message | ApiError => {
    const chat = chats.get(draft.chatId.toLowerCase());
    if (!chat) return new ApiError('chat_not_found');
    try {
      const validated = validateDraft(draft, {
        ...references,
        policy,
        baseUrl: baseUrl(),
        chatId: chat.id,
        channelId: chat.channel_id,
        kind: chat.kind,
        hasProvider: adapters.has(chat.provider),
        openUntil: hasWindow(chat) ? chat.open_until : undefined,
        optedOutAt: chat.opted_out_at,
        now,
      });
      const one = { draft, chat, validated, id: newId() };
      queued.push(one);
      return presentMessage(rowOf(one, now));
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };
  const answers = drafts.map(validate);
  if (queued.length > 0) await store(tx, tenantId, queued, now);
  for (const channelId of new Set(queued.map(({ chat }) => chat.channel_id)))
    tx.afterCommit(() => wakeUps.give(MESSAGES_LIST, shardOf(channelId, tenantId), channelId));
  return answers;
}

async function store(tx: Tx, tenantId: string, queued: Queued[], now: Date): Promise<void> {
  await tx.write(insertQueued, [
    tenantId,
    now,
    queued.map(({ id }) => id),
    queued.map(({ chat }) => chat.id),
    queued.map(({ chat }) => chat.channel_id),
    queued.map(({ chat }) => chat.contact_id),
    queued.map(({ draft }) => draft.author),
    queued.map(({ validated }) => validated.type),
    queued.map(({ validated }) => validated.text),
    queued.map(({ validated }) => JSON.stringify(validated.media)),
    queued.map(({ validated }) => JSON.stringify(validated.content)),
    queued.map(({ validated }) => validated.replyToMessageId),
    queued.map(({ validated }) => validated.scheduledAt),
    queued.map(({ chat }) => shardOf(chat.channel_id, tenantId)),
    queued.map(({ draft }) => draft.origin?.runId ?? null),
    queued.map(({ draft }) => draft.origin?.runStep ?? null),
    queued.map(({ draft }) => draft.origin?.campaignId ?? null),
  ]);
}

/** Queues one message, or throws why it cannot be sent. */
export async function sendMessage(
  tx: Tx,
  tenantId: string,
  draft: MessageDraft,
  deps: QueueDeps,
): Promise<Message> {
  const [answer] = await queueMessages(tx, tenantId, [draft], deps);
  if (answer instanceof ApiError) throw answer;
  return answer as Message;
}
