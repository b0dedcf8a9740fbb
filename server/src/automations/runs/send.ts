import { ApiError } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ChangeDeps } from '../../chats/change-chat.ts';
import { startChats } from '../../chats/start-chat.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { type MessageDraft, type QueueDeps, queueMessages } from '../../messages/outbound/queue.ts';
import type { Message } from '../../messages/schema.ts';
import type { RunDraft, SendForRuns } from './effects.ts';
import type { Issue } from './interpreter.ts';

const resolveChats = statement<
  [tenantId: string, channelIds: string[], contactIds: string[]],
  { id: string; channel_id: string; contact_id: string }
>(
  'automation_runs.chats_with',
  // By the contacts, and the tenant said so that no index serves: one of it would lead to all chats that it has.
  `select distinct on (k.channel_id, k.contact_id) k.id, k.channel_id, k.contact_id
     from unnest($2::uuid[], $3::uuid[]) as n (channel_id, contact_id)
     join chats k on k.channel_id = n.channel_id and k.contact_id = n.contact_id
    where k.contact_id = any ($3::uuid[]) and (k.tenant_id = $1) is true
    order by k.channel_id, k.contact_id, k.updated_at desc, k.id`,
);

/** Why a message cannot be sent, as a run tells it. */
function issueOf(error: unknown): Issue {
  if (!(error instanceof ApiError) || error.key === 'service_unavailable') throw error;
  const [[path, first] = []] = Object.entries(error.invalidParams ?? {});
  if (path === 'contactId' && first) return { code: 'no_handle', message: first.message };
  if (path === 'channelId' && first) return { code: 'channel_gone', message: first.message };
  return { code: error.reason ?? error.key, message: first?.message ?? error.message };
}

/** The chat of each draft; where a person has none on the channel yet, one is made. */
async function chatsOf(
  tx: Tx,
  tenantId: string,
  drafts: readonly RunDraft[],
  deps: ChangeDeps,
): Promise<(string | Issue)[]> {
  const without = drafts.filter(({ chatId }) => chatId === null);
  const known = new Map(
    (without.length === 0
      ? []
      : await tx.all(resolveChats, [
          tenantId,
          without.map(({ channelId }) => channelId as string),
          without.map(({ contactId }) => contactId),
        ])
    ).map((row) => [`${row.channel_id} ${row.contact_id}`, row.id]),
  );
  const missing = groupBy(
    without.filter(({ channelId, contactId }) => !known.has(`${channelId} ${contactId}`)),
    ({ channelId }) => channelId as string,
  );
  const started = new Map<string, string | Issue>();
  for (const [channelId, theirs] of missing) {
    const contactIds = theirs.map(({ contactId }) => contactId);
    for (const [contactId, chat] of await startChats(tx, tenantId, channelId, contactIds, deps))
      started.set(`${channelId} ${contactId}`, typeof chat === 'string' ? chat : issueOf(chat));
  }
  return drafts.map(({ chatId, channelId, contactId }) => {
    const place = `${channelId} ${contactId}`;
    return chatId ?? known.get(place) ?? (started.get(place) as string | Issue);
  });
}

/** Sends what runs want sent, as the API would send it. */
export function sendForRuns(deps: QueueDeps & ChangeDeps): SendForRuns {
  return async (tx, tenantId, drafts) => {
    const chats = await chatsOf(tx, tenantId, drafts, deps);
    const ready = drafts.flatMap((draft, index): { draft: MessageDraft; index: number }[] => {
      const chatId = chats[index] as string | Issue;
      if (typeof chatId !== 'string') return [];
      const { text, media, template, author, origin } = draft;
      const said = {
        ...(text === null ? {} : { text }),
        ...(media === null ? {} : { media }),
        ...(template === null ? {} : { template }),
      };
      return [{ draft: { ...said, chatId, author, origin } as MessageDraft, index }];
    });
    const answers = await queueMessages(
      tx,
      tenantId,
      ready.map(({ draft }) => draft),
      deps,
    );
    const answered = new Map(ready.map(({ index }, at) => [index, answers[at] as Message | ApiError]));
    return drafts.map((_, index) => {
      const answer = answered.get(index);
      if (answer === undefined) return { issue: chats[index] as Issue };
      return answer instanceof ApiError ? { issue: issueOf(answer) } : { message: answer };
    });
  };
}
