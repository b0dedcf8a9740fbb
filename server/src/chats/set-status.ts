import { invalidParam } from '../base/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { type ChatState, changeChats, requireChanged } from './change-chat.ts';
import { snoozesQueue } from './queues.ts';
import type { Chat } from './schema.ts';

const updateStatus = statement<
  [ids: string[], status: string, until: Date | null, shards: (number | null)[], now: Date]
>(
  'chats.update_status',
  `update visible_chats c set status = $2, snoozed_until = $3, due_at = $3, shard = n.shard, updated_at = $5,
          closed_at = case when $2 = 'closed' then $5::timestamptz end,
          waiting_since = case when $2 <> 'closed' then c.waiting_since end,
          automation_pause = case when $2 <> 'closed' then c.automation_pause end,
          first_responded_at = case when c.status <> 'closed' then c.first_responded_at end
     from unnest($1::uuid[], $4::smallint[]) as n (id, shard)
    where c.id = n.id and (c.tenant_id = $tenant) is true`,
);

export interface StatusChange {
  status?: Chat['status'];
  snoozedUntil?: string;
  /** Whether automations with the trigger `chat_opened` or `chat_closed` start. */
  triggerAutomations?: boolean;
  /** Whether the time of a snooze has come. Its user is notified; a chat whose snooze has not ended stays as it is. */
  isSnoozeEnd?: boolean;
}

/** The automation trigger of each status; a snooze has none. */
const chatTriggers: Partial<Record<Chat['status'], string>> = {
  open: 'chat_opened',
  closed: 'chat_closed',
};

/** When a snooze ends; null for other statuses, which must not have an end. */
export function validateSnooze({ status = 'closed', snoozedUntil }: StatusChange, now: Date): Date | null {
  if (status !== 'snoozed') {
    if (snoozedUntil !== undefined)
      throw invalidParam('snoozedUntil', 'custom', 'Only allowed with the status "snoozed"');
    return null;
  }
  if (snoozedUntil === undefined) throw invalidParam('snoozedUntil', 'invalid_type', 'Required');
  const until = new Date(snoozedUntil);
  if (until <= now) throw invalidParam('snoozedUntil', 'custom', 'Must be in the future');
  // An offset can move the last day of the year 9999 into the year 10000, which JavaScript cannot read back.
  if (until.getUTCFullYear() > 9999)
    throw invalidParam('snoozedUntil', 'custom', 'Must be before the year 10000');
  return until;
}

/** How a change of the status counts in reports; a snooze does not. */
const countedChange = (before: Chat['status'], after: Chat['status']): 'closed' | 'reopened' | undefined => {
  if (before === after || (before !== 'closed' && after !== 'closed')) return undefined;
  return after === 'closed' ? 'closed' : 'reopened';
};

/** Sets the status; without one, closes the chats. Setting the status that a chat has changes nothing and has no event. */
export async function setChatStatuses(
  tx: TenantTx,
  chatIds: readonly string[],
  change: StatusChange,
): Promise<string[]> {
  const until = validateSnooze(change, tx.now);
  const { status = 'closed', isSnoozeEnd } = change;
  const trigger = change.triggerAutomations ? chatTriggers[status] : undefined;
  const isDue = ({ snoozed_until }: ChatState) => snoozed_until !== null && snoozed_until <= tx.now;
  return changeChats(tx, chatIds, {
    event: 'chat.status_changed',
    isChange: (chat) =>
      isSnoozeEnd
        ? isDue(chat)
        : chat.status !== status || chat.snoozed_until?.getTime() !== until?.getTime(),
    write: (chats, ids) => {
      const shards = chats.map(({ channel_id }) =>
        until === null ? null : snoozesQueue.shardOf(channel_id, tx.tenantId),
      );
      tx.enqueue(updateStatus, [ids, status, until, shards, tx.now]);
    },
    factsOf: (chat) => ({ trigger, isSnoozeEnd, change: countedChange(chat.status, status) }),
  });
}

export const setChatStatus = async (tx: TenantTx, chatId: string, change: StatusChange): Promise<Chat> =>
  requireChanged(tx, await setChatStatuses(tx, [chatId], change));
