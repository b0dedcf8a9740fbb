import { setTimeout as delay } from 'node:timers/promises';
import type { RealClock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { statement, systemStatement } from '../db/statement.ts';
import { type MessageDraft, type QueueDeps, queueMessages } from '../messages/outbound/queue.ts';
import { sandbox } from '../providers/sandbox/sandbox.ts';
import { demoConversations } from './content.ts';

const lockUnanswered = systemStatement<[], { demo_tenant_id: string }>(
  'demo.lock_unanswered',
  `select demo_tenant_id from installation
    where demo_tenant_id is not null and demo_filled_at is not null and demo_replied_at is null for update`,
);
const markReplied = systemStatement<[now: Date]>(
  'demo.mark_replied',
  'update installation set demo_replied_at = $1',
);
const chatsOver = statement<[handles: string[]], { id: string; kind: string; value: string }>(
  'demo.chats_over',
  `select k.id, c.kind, h.value from visible_chats k join visible_channels c on c.id = k.channel_id and c.tenant_id = k.tenant_id
     join handles h on h.id = k.handle_id and h.tenant_id = k.tenant_id
    where k.tenant_id = $tenant and h.value = any ($1::text[]) and c.provider = '${sandbox.provider}' order by k.id desc`,
);

export interface ReplyDeps extends QueueDeps {
  db: Database;
  clock: RealClock;
}

const INTERVAL_MS = 250;
const MAX_TRIES = 120;

/**
 * Sends the replies of the demo's conversations, once. A worker creates the chats, perhaps in another process, so this
 * waits for them. A chat that does not exist after half a minute has been deleted and gets no reply.
 */
export async function replyInDemo(deps: ReplyDeps, isStopping: () => boolean): Promise<void> {
  for (let tries = 1; tries <= MAX_TRIES && !isStopping(); tries += 1) {
    if (await replyToExisting(deps, tries === MAX_TRIES)) return;
    await delay(INTERVAL_MS);
  }
}

/**
 * Sends all replies in one transaction, as soon as every chat exists, or with `isLast` to those that exist. Returns
 * whether it is done.
 */
export async function replyToExisting(deps: ReplyDeps, isLast: boolean): Promise<boolean> {
  const replied = demoConversations.flatMap(({ reply, ...conversation }) =>
    reply === undefined ? [] : { reply, ...conversation },
  );
  return deps.db.systemTransaction(async (tx) => {
    const row = await tx.find(lockUnanswered, []);
    if (!row) return true;
    const tenant = tx.forTenant(row.demo_tenant_id);
    const found = await tenant.all(chatsOver, [replied.map(({ from }) => from)]);
    const chatIds = new Map(found.map(({ id, kind, value }) => [`${kind} ${value}`, id]));
    const drafts = replied.flatMap(({ kind, from, reply }): MessageDraft[] => {
      const chatId = chatIds.get(`${kind} ${from}`);
      return chatId === undefined
        ? []
        : [{ chatId, author: { type: 'user', id: null, name: null }, text: reply }];
    });
    if (drafts.length < replied.length && !isLast) return false;
    const results = await queueMessages(tenant, drafts, deps);
    // If much time has passed since the demo was filled, a reply window may be closed; that is not an error.
    const error = results.find((one) => one instanceof ApiError && one.key !== 'conflict');
    if (error) throw error;
    await tx.run(markReplied, [deps.clock.real()]);
    return true;
  });
}
