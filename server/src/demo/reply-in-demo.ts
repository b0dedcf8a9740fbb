import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { type MessageDraft, type QueueDeps, queueMessages } from '../messages/outbound/queue.ts';
import { sandbox } from '../providers/sandbox/sandbox.ts';
import { demoConversations } from './content.ts';

const lockUnanswered = statement<[], { demo_tenant_id: string }>(
  'demo.lock_unanswered',
  `select demo_tenant_id from installation
    where demo_tenant_id is not null and demo_filled_at is not null and demo_replied_at is null for update`,
);
const markReplied = statement<[now: Date]>(
  'demo.mark_replied',
  'update installation set demo_replied_at = $1',
);
const resolveChats = statement<
  [tenantId: string, people: string[]],
  { id: string; kind: string; value: string }
>(
  'demo.chats_with',
  `select k.id, c.kind, h.value from chats k join channels c on c.id = k.channel_id and c.tenant_id = k.tenant_id
     join handles h on h.id = k.handle_id and h.tenant_id = k.tenant_id
    where k.tenant_id = $1 and h.value = any ($2::text[]) and c.provider = '${sandbox.provider}' order by k.id desc`,
);

export interface ReplyDeps extends QueueDeps {
  db: Database;
}

const LOOK_EVERY_MS = 250;
const LOOKS = 120;

/**
 * Writes our side of the demo's conversations, once. What people wrote becomes chats in a worker, which may be another
 * process, so it is looked for; whatever is not there after half a minute has been deleted, and stays unanswered.
 */
export async function replyInDemo(deps: ReplyDeps, isStopping: () => boolean): Promise<void> {
  for (let look = 1; look <= LOOKS && !isStopping(); look += 1) {
    if (await replyToWhatIsThere(deps, look === LOOKS)) return;
    await delay(LOOK_EVERY_MS);
  }
}

/** All replies in one transaction, as soon as every chat is there; `isLast`: to those that are. Says whether it is done. */
export async function replyToWhatIsThere(deps: ReplyDeps, isLast: boolean): Promise<boolean> {
  const answered = demoConversations.flatMap(({ reply, ...who }) =>
    reply === undefined ? [] : { reply, ...who },
  );
  return deps.db.transaction(async (tx) => {
    const row = await tx.find(lockUnanswered, []);
    if (!row) return true;
    const found = await tx.all(resolveChats, [row.demo_tenant_id, answered.map(({ from }) => from)]);
    const chatIds = new Map(found.map(({ id, kind, value }) => [`${kind} ${value}`, id]));
    const drafts = answered.flatMap(({ kind, from, reply }): MessageDraft[] => {
      const chatId = chatIds.get(`${kind} ${from}`);
      return chatId === undefined ? [] : [{ chatId, author: 'user', text: reply }];
    });
    if (drafts.length < answered.length && !isLast) return false;
    const replies = await queueMessages(tx, row.demo_tenant_id, drafts, deps);
    // After a long pause between filling and replying a window may be closed; that is no fault.
    const issue = replies.find((one) => one instanceof ApiError && one.key !== 'conflict');
    if (issue) throw issue;
    await tx.run(markReplied, [deps.clock.real()]);
    return true;
  });
}
