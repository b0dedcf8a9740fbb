import { setTimeout as delay } from 'node:timers/promises';
import { createAutomation } from '../automations/automation.ts';
import { publishAutomation } from '../automations/change-automation.ts';
import { ApiError } from '../base/errors.ts';
import { assignChat } from '../chats/assign-chat.ts';
import { setChatStatus } from '../chats/set-status.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { findOrCreateLabels } from '../labels/find-or-create.ts';
import { type MessageDraft, type QueueDeps, queueMessages } from '../messages/outbound/queue.ts';
import { createNote } from '../notes/note.ts';
import { sandbox } from '../providers/sandbox/sandbox.ts';
import { createSavedReply } from '../saved-replies/saved-reply.ts';
import type { Author } from '../users/author.ts';
import { createTeam } from '../users/team.ts';
import { createUser } from '../users/user.ts';
import {
  type DemoColleague,
  type DemoConversation,
  demoColleagues,
  demoConversations,
  demoNewcomer,
  demoSavedReplies,
  demoTeam,
} from './content.ts';
import { type DemoDeps, demoChannelsOf, writeInDemo } from './fill-demo.ts';
import { welcome } from './welcome.ts';

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

type WorkDeps = DemoDeps & QueueDeps;

const INTERVAL_MS = 250;
const MAX_TRIES = 120;

/**
 * Does what the people of the demo's shop have done, once. A worker creates the chats, perhaps in another process, so this
 * waits for them. A chat that does not exist after half a minute has been deleted and is left out.
 */
export async function workInDemo(deps: WorkDeps, isStopping: () => boolean): Promise<void> {
  for (let tries = 1; tries <= MAX_TRIES && !isStopping(); tries += 1) {
    if (await workInExisting(deps, tries === MAX_TRIES)) return;
    await delay(INTERVAL_MS);
  }
}

/**
 * Does everything in one transaction, as soon as every chat exists, or with `isLast` in those that exist. Returns whether
 * it is done.
 */
export async function workInExisting(deps: WorkDeps, isLast: boolean): Promise<boolean> {
  return deps.db.systemTransaction(async (system) => {
    const row = await system.find(lockUnanswered, []);
    if (!row) return true;
    const tx = system.forTenant(row.demo_tenant_id);
    const rows = await tx.all(chatsOver, [demoConversations.map(({ from }) => from)]);
    const chatIds = new Map(rows.map(({ id, kind, value }) => [`${kind} ${value}`, id]));
    const found = demoConversations.flatMap((conversation) => {
      const chatId = chatIds.get(`${conversation.kind} ${conversation.from}`);
      return chatId === undefined ? [] : { ...conversation, chatId };
    });
    if (found.length < demoConversations.length && !isLast) return false;
    const shop = await createShop(tx);
    await reply(tx, found, shop, deps);
    for (const conversation of found) await workInChat(tx, conversation, shop);
    await startWelcome(tx, shop, deps);
    await system.run(markReplied, [deps.clock.real()]);
    return true;
  });
}

interface Shop {
  colleagues: Record<DemoColleague, Author & { id: string; name: string }>;
  teamId: string;
}
type FoundConversation = DemoConversation & { chatId: string };

/** Creates the people of the shop, their team, and what they often write. */
async function createShop(tx: TenantTx): Promise<Shop> {
  const createColleague = async (key: DemoColleague) => {
    const { id, name } = await createUser(tx, demoColleagues[key]);
    return { type: 'user' as const, id, name };
  };
  const colleagues = { noor: await createColleague('noor'), sam: await createColleague('sam') };
  const userIds = Object.values(colleagues).map(({ id }) => id);
  for (const savedReply of demoSavedReplies) await createSavedReply(tx, savedReply);
  return { colleagues, teamId: (await createTeam(tx, { name: demoTeam, userIds })).id };
}

async function reply(
  tx: TenantTx,
  found: readonly FoundConversation[],
  { colleagues }: Shop,
  deps: WorkDeps,
): Promise<void> {
  const drafts = found.flatMap(({ chatId, reply }): MessageDraft[] =>
    reply ? [{ chatId, author: colleagues[reply.by], text: reply.text }] : [],
  );
  const results = await queueMessages(tx, drafts, deps);
  // If much time has passed since the demo was filled, a reply window may be closed; that is not an error.
  const error = results.find((one) => one instanceof ApiError && one.key !== 'conflict');
  if (error) throw error;
}

async function workInChat(
  tx: TenantTx,
  { chatId, notes = [], assignedTo, snoozedForHours, isClosed }: FoundConversation,
  { colleagues, teamId }: Shop,
): Promise<void> {
  for (const { by, text, mentions = [] } of notes) {
    const mentionedUserIds = mentions.map((key) => colleagues[key].id);
    await createNote(tx, chatId, { text, mentionedUserIds, mentionedTeamIds: [] }, colleagues[by]);
  }
  if (assignedTo !== undefined)
    await assignChat(
      tx,
      chatId,
      assignedTo === 'team' ? { teamId } : { userId: colleagues[assignedTo].id },
      'person',
    );
  if (snoozedForHours !== undefined) {
    const snoozedUntil = new Date(tx.now.getTime() + snoozedForHours * 3600_000).toISOString();
    await setChatStatus(tx, chatId, { status: 'snoozed', snoozedUntil });
  }
  if (isClosed) await setChatStatus(tx, chatId, { status: 'closed' });
}

/** Starts an automation, and lets somebody write whom it answers. */
async function startWelcome(tx: TenantTx, { teamId }: Shop, deps: WorkDeps): Promise<void> {
  const channel = (await demoChannelsOf(tx, deps.keys)).get(demoNewcomer.kind);
  if (!channel) return;
  const repairsId = (await findOrCreateLabels(tx, ['Repairs'])).get('Repairs') as string;
  const definition = welcome({ channelId: channel.id, teamId, repairsId });
  const { id } = await createAutomation(tx, definition, { policy: deps.policy, canRead: () => true });
  await publishAutomation(tx, id, {}, deps);
  const { from, name, lines } = demoNewcomer;
  for (const { text } of lines) await writeInDemo(tx, channel, { from, name, text, media: [] }, tx.now, deps);
}
