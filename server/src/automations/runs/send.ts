import { ApiError, isUnavailable } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import { startChats } from '../../chats/start-chat.ts';
import { type ConsentFacts, findRefusal } from '../../contacts/consent/may-send.ts';
import type { Purpose } from '../../contacts/consent/schema.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { type MessageDraft, type QueueDeps, queueMessages } from '../../messages/outbound/queue.ts';
import type { Message } from '../../messages/schema.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import type { Author } from '../../users/author.ts';
import type { RunContent, RunError } from './state.ts';

const findChatsOfContacts = statement<
  [channelIds: string[], contactIds: string[]],
  { id: string; channel_id: string; contact_id: string }
>(
  'automation_runs.find_chats',
  // Found by contact. The condition on the tenant is written so that no index matches it: an index by tenant would read
  // all of the tenant's chats.
  `select distinct on (k.channel_id, k.contact_id) k.id, k.channel_id, k.contact_id
     from unnest($1::uuid[], $2::uuid[]) as n (channel_id, contact_id)
     join visible_chats k on k.channel_id = n.channel_id and k.contact_id = n.contact_id
    where k.contact_id = any ($2::uuid[]) and (k.tenant_id = $tenant) is true
    order by k.channel_id, k.contact_id, k.updated_at desc, k.id`,
);

/** A message that a run sends. */
export interface RunDraft {
  /** The chat; without one, the channel on which to reach the contact. */
  chatId: string | null;
  channelId: string | null;
  contactId: string;
  content: RunContent;
  author: Author;
  purpose: Purpose;
  origin: { runId: string; runStep: number; campaignId: string | null };
  /** Whether a chat that is created for it is closed until the contact replies. */
  closesChat: boolean;
}

export interface SendDeps extends QueueDeps {
  /** For samples: counts a message of a run and returns whether it may be sent. If not, the run stops before that step. */
  countMessage?(runId: string): boolean;
}
type SentForRun = { message: Message; failure?: undefined } | { message?: undefined; failure: RunError };

/** The error of a message that was refused. Throws errors that are not about the message. */
function failureOf(error: unknown): RunError {
  if (!(error instanceof ApiError) || isUnavailable(error)) throw error;
  const [[path, first] = []] = Object.entries(error.invalidParams ?? {});
  if (path === 'contactId' && first) return { code: 'no_handle', message: first.message };
  if (path === 'channelId' && first) return { code: 'channel_gone', message: first.message };
  // The name of what is wrong: a step has many texts.
  const message = first === undefined ? error.message : `${path}: ${first.message}`;
  return { code: error.reason ?? error.key, message };
}

const findUnsubscribed = statement<
  [channelIds: string[], contactIds: string[]],
  { channel_id: string; contact_id: string; kind: ChannelKind } & Pick<ConsentFacts, 'consent'>
>(
  'automation_runs.find_unsubscribed',
  `select n.channel_id, n.contact_id, c.kind, p.subscriptions -> c.kind as consent
     from unnest($1::uuid[], $2::uuid[]) as n (channel_id, contact_id)
     join visible_channels c on c.id = n.channel_id and (c.tenant_id = $tenant) is true
     join contacts p on p.id = n.contact_id and (p.tenant_id = $tenant) is true and not p.is_subscribed`,
);

/** Why contacts without a chat are not sent to, so that no chat is created in which nothing is said. */
async function findUnwanted(tx: TenantTx, drafts: readonly RunDraft[]): Promise<[string, RunError][]> {
  if (drafts.length === 0) return [];
  const purposes = new Map(
    drafts.map(({ channelId, contactId, purpose }) => [`${channelId} ${contactId}`, purpose]),
  );
  const rows = await tx.all(findUnsubscribed, [
    drafts.map(({ channelId }) => channelId as string),
    drafts.map(({ contactId }) => contactId),
  ]);
  return rows.flatMap(({ channel_id, contact_id, kind, consent }) => {
    const key = `${channel_id} ${contact_id}`;
    const refusal = findRefusal(kind, purposes.get(key) as Purpose, { consent, undeliverable: null });
    return refusal ? [[key, refusal]] : [];
  });
}

/** Finds the chat of each draft, and creates one if the contact has none on the channel. */
async function findOrCreateChats(tx: TenantTx, drafts: readonly RunDraft[]): Promise<(string | RunError)[]> {
  const without = drafts.filter(({ chatId }) => chatId === null);
  const known = new Map(
    (without.length === 0
      ? []
      : await tx.all(findChatsOfContacts, [
          without.map(({ channelId }) => channelId as string),
          without.map(({ contactId }) => contactId),
        ])
    ).map((row) => [`${row.channel_id} ${row.contact_id}`, row.id]),
  );
  const missing = groupBy(
    without.filter(({ channelId, contactId }) => !known.has(`${channelId} ${contactId}`)),
    ({ channelId, closesChat }) => `${channelId} ${closesChat ? 'closed' : 'open'}`,
  );
  const started = new Map<string, string | RunError>(await findUnwanted(tx, [...missing.values()].flat()));
  for (const [key, theirs] of missing) {
    const [channelId, status] = key.split(' ') as [string, 'open' | 'closed'];
    const contactIds = theirs
      .map(({ contactId }) => contactId)
      .filter((contactId) => !started.has(`${channelId} ${contactId}`));
    if (contactIds.length === 0) continue;
    for (const [contactId, chat] of await startChats(tx, channelId, contactIds, { status }))
      started.set(`${channelId} ${contactId}`, typeof chat === 'string' ? chat : failureOf(chat));
  }
  return drafts.map(({ chatId, channelId, contactId }) => {
    const key = `${channelId} ${contactId}`;
    return chatId ?? known.get(key) ?? (started.get(key) as string | RunError);
  });
}

/** Queues the messages of several runs as one batch. A refused message does not affect the others. */
export async function sendForRuns(tx: TenantTx, drafts: RunDraft[], deps: SendDeps): Promise<SentForRun[]> {
  const chats = await findOrCreateChats(tx, drafts);
  const ready = drafts.flatMap((draft, index): { draft: MessageDraft; index: number }[] => {
    const chatId = chats[index] as string | RunError;
    if (typeof chatId !== 'string') return [];
    const { content, author, purpose, origin } = draft;
    return [{ draft: { ...content, chatId, author, purpose, origin }, index }];
  });
  const queued = await queueMessages(
    tx,
    ready.map(({ draft }) => draft),
    deps,
  );
  const results = new Map(
    ready.map(({ index }, position) => [index, queued[position] as Message | ApiError]),
  );
  return drafts.map((_, index) => {
    const result = results.get(index);
    if (result === undefined) return { failure: chats[index] as RunError };
    return result instanceof ApiError ? { failure: failureOf(result) } : { message: result };
  });
}
