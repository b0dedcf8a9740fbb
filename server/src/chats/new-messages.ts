import { rowSet } from '../db/rows.ts';

// What new messages change in their chats. Both are written by one statement, which saves a round trip per message, so
// these are parts of the statements that write messages.

/** The states of chats after messages were received. */
export const chatStates = rowSet({
  chat_id: 'uuid',
  unread: 'int',
  latest_id: 'uuid',
  latest_at: 'timestamptz',
  open_until: 'timestamptz?',
  reopens: 'boolean',
  replied_at: 'timestamptz?',
});

/** SQL that stores `chatStates`. The numbers are those of the parameters. */
export const updateStates = (states: number, now: number): string =>
  `update visible_chats c set status = case when n.reopens then 'open' else c.status end,
          snoozed_until = case when not n.reopens then c.snoozed_until end,
          due_at = case when not n.reopens then c.due_at end, unread_count = c.unread_count + n.unread,
          marked_unread = c.marked_unread and n.replied_at is null, read_at = coalesce(n.replied_at, c.read_at),
          latest_message_id = n.latest_id, latest_message_at = n.latest_at, open_until = n.open_until,
          updated_at = $${now}
     from ${chatStates.from(states, 'n')}
    where c.id = n.chat_id and c.tenant_id = $tenant`;

/**
 * SQL for chats `c` in which a reply was written: it marks the chat as read and becomes its latest message. `replies` is
 * a relation `n` with the columns id and chat_id.
 */
export const updateReplied = (replies: string, where: string, now: number): string =>
  `update visible_chats c set unread_count = 0, marked_unread = false, read_at = $${now}, updated_at = $${now},
          latest_message_id = case when c.latest_message_at > $${now} then c.latest_message_id else n.id end,
          latest_message_at = greatest(c.latest_message_at, $${now})
     from ${replies} where ${where} and c.tenant_id = $tenant and c.id = n.chat_id`;
