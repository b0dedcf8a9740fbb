import { findChatsWithRuns, takeOverChats } from '../../automations/runs/take-over.ts';
import type { Keys } from '../../base/crypto.ts';
import { ApiError } from '../../base/errors.ts';
import { isUuid, newId } from '../../base/ids.ts';
import { queueReadReceipts } from '../../chats/tasks.ts';
import { type ConsentFacts, consentFacts, findRefusal } from '../../contacts/consent/may-send.ts';
import { type PersonColumns, personColumns, personOf } from '../../contacts/contact.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { FILE_COLUMNS, type FileRow } from '../../files/file.ts';
import type { OutboundPolicy } from '../../outbound/addresses.ts';
import type { Adapters } from '../../providers/adapters.ts';
import { hasReplyWindow } from '../../providers/capabilities.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { presentTemplate, TEMPLATE_COLUMNS, type TemplateRow } from '../../templates/template.ts';
import type { Author } from '../../users/author.ts';
import type { CountFailed } from '../count-failures.ts';
import { type MessageRow, presentMessage } from '../message.ts';
import { messagesQueue } from '../queues.ts';
import type { Message, NewChatMessage } from '../schema.ts';
import type { ReferredMessage } from './draft-facts.ts';
import { insertQueued, type MessageOrigin } from './insert-queued.ts';
import { type ValidatedDraft, validateDraft } from './validate.ts';

interface SendingChat extends ConsentFacts, PersonColumns {
  id: string;
  channel_id: string;
  contact_id: string;
  open_until: Date | null;
  kind: ChannelKind;
  provider: string;
}
const lockChats = statement<[ids: string[]], SendingChat>(
  'messages.lock_chats',
  // Locked in the order of ids, so no deadlocks. The tenant is compared with `is true`, which no index can serve: on
  // small tables the planner would otherwise read all rows of the tenant.
  `select k.id, k.channel_id, k.contact_id, k.open_until, c.kind, c.provider,
          ${consentFacts('p.subscriptions', 'c.kind', 'h')}, ${personColumns('p', 'h')}
     from visible_chats k join channels c on c.id = k.channel_id and (c.tenant_id = k.tenant_id) is true
     join handles h on h.id = k.handle_id and (h.tenant_id = k.tenant_id) is true
     join contacts p on p.id = k.contact_id and (p.tenant_id = k.tenant_id) is true
    where k.id = any ($1::uuid[]) and k.tenant_id = $tenant order by k.id for no key update of k`,
);
const filesById = statement<[ids: string[]], FileRow>(
  'messages.files',
  `select ${FILE_COLUMNS} from visible_files f where f.id = any ($1::uuid[]) and f.tenant_id = $tenant`,
);
const templatesById = statement<[ids: string[]], TemplateRow>(
  'messages.templates',
  `select ${TEMPLATE_COLUMNS} from message_templates t where t.id = any ($1::uuid[]) and t.tenant_id = $tenant`,
);
const messagesById = statement<[ids: string[]], ReferredMessage & { id: string }>(
  'messages.referred_to',
  // Only a comment can be answered once. What is in its chat is read by the chat, whose messages have an index.
  `select m.id, m.chat_id, m.vendor_id, m.type, m.timestamp,
          m.type = 'comment' and exists (
            select 1 from visible_messages a where a.tenant_id = m.tenant_id and a.chat_id = m.chat_id
               and a.reply_to_message_id = m.id and a.sender = 'outbound' and a.status <> 'failed') as is_answered
     from visible_messages m where m.id = any ($1::uuid[]) and m.tenant_id = $tenant`,
);

/** A message to be sent. */
export interface MessageDraft extends Omit<NewChatMessage, 'userId'> {
  chatId: string;
  author: Author;
  origin?: MessageOrigin;
}

export interface QueueDeps {
  /** For those who send more than messages with it. */
  keys: Keys;
  policy: OutboundPolicy;
  adapters: Adapters;
  /** What public URLs begin with. */
  baseUrl: () => string;
  /** Counts messages whose failure a vendor reports later; left out where nothing is counted. */
  countFailed?: CountFailed;
}

/** Whether a person answers now, and takes the chat over from automations. A scheduled message does so when it goes out. */
const isReplyOfUser = ({ author, scheduledAt }: MessageDraft): boolean =>
  author.type === 'user' && scheduledAt === undefined;

const readById = async <Row extends { id: string }>(
  ids: string[],
  read: (ids: string[]) => Promise<Row[]>,
): Promise<Map<string, Row>> =>
  new Map((ids.length === 0 ? [] : await read([...new Set(ids)])).map((row) => [row.id, row]));

/** Everything that drafts refer to, each kind in one statement. */
async function readReferences(tx: TenantTx, drafts: readonly MessageDraft[]) {
  const chatIds = drafts.map(({ chatId }) => chatId.toLowerCase()).filter(isUuid);
  const fileIds = drafts.flatMap(({ media = [], template }) =>
    [
      ...[media].flat(),
      template?.header ?? {},
      ...(template?.cards ?? []).map(({ header = {} }) => header),
    ].flatMap((one: { fileId?: string }) => one.fileId ?? []),
  );
  const templateIds = drafts.flatMap(({ template }) => template?.templateId ?? []);
  const messageIds = drafts.flatMap(({ replyToMessageId, reaction }) =>
    [replyToMessageId, reaction?.messageId].filter((id) => id !== undefined),
  );
  const byUsers = drafts.filter(isReplyOfUser).map(({ chatId }) => chatId.toLowerCase());
  const [chats, chatsWithRuns, files, templates, messages] = await Promise.all([
    readById(chatIds, (ids) => tx.all(lockChats, [ids])),
    findChatsWithRuns(tx, byUsers.filter(isUuid)),
    readById(fileIds, (ids) => tx.all(filesById, [ids])),
    readById(templateIds, async (ids) => (await tx.all(templatesById, [ids])).map(presentTemplate)),
    readById(messageIds, (ids) => tx.all(messagesById, [ids])),
  ]);
  return { chats, chatsWithRuns, files, templates, messages };
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
  author: draft.author.type,
  author_id: draft.author.id,
  author_name: draft.author.name,
  purpose: draft.purpose ?? 'service',
  is_automatic: false,
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
  person: personOf(chat),
});

/**
 * Queues messages, each in its chat, in the given order. Returns for each draft its message, or the error why it cannot
 * be sent, which does not affect the others.
 */
export async function queueMessages(
  tx: TenantTx,
  drafts: readonly MessageDraft[],
  { policy, adapters, baseUrl }: QueueDeps,
): Promise<(Message | ApiError)[]> {
  if (drafts.length === 0) return [];
  const { chats, chatsWithRuns, ...references } = await readReferences(tx, drafts);
  const queued: Queued[] = [];
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
        openUntil: hasReplyWindow(chat.kind) ? chat.open_until : undefined,
        refusal: findRefusal(chat.kind, draft.purpose ?? 'service', chat),
        now: tx.now,
      });
      const one = { draft, chat, validated, id: newId() };
      queued.push(one);
      return presentMessage(rowOf(one, tx.now), tx);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };
  const results = drafts.map(validate);
  const byUsers = queued.filter(({ draft }) => isReplyOfUser(draft));
  // Before the reply marks them as read.
  queueReadReceipts(
    tx,
    byUsers.map(({ chat }) => chat),
  );
  insertQueued(
    tx,
    queued.map((one) => ({ row: rowOf(one, tx.now), origin: one.draft.origin })),
  );
  await takeOverChats(
    tx,
    byUsers.map(({ chat }) => chat.id).filter((id) => chatsWithRuns.has(id)),
  );
  tx.announce(
    ...queued.map(({ id, chat }) => ({ type: 'message.queued' as const, channelId: chat.channel_id, id })),
  );
  for (const channelId of new Set(queued.map(({ chat }) => chat.channel_id)))
    tx.wake(messagesQueue, channelId);
  return results;
}

/** Queues one message, or throws the error why it cannot be sent. */
export async function sendMessage(tx: TenantTx, draft: MessageDraft, deps: QueueDeps): Promise<Message> {
  const [result] = await queueMessages(tx, [draft], deps);
  if (result instanceof ApiError) throw result;
  return result as Message;
}
