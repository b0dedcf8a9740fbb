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
  answered_at: 'timestamptz?',
  replied_at: 'timestamptz?',
  waiting_since: 'timestamptz?',
});

/** SQL that stores `chatStates`, a relation `n`. `now` is the number of a parameter. */
export const updateStates = (states: string, now: number): string =>
  `update visible_chats c set status = case when n.reopens then 'open' else c.status end,
          snoozed_until = case when not n.reopens then c.snoozed_until end,
          due_at = case when not n.reopens then c.due_at end, unread_count = c.unread_count + n.unread,
          marked_unread = c.marked_unread and n.replied_at is null, read_at = coalesce(n.replied_at, c.read_at),
          closed_at = case when not n.reopens then c.closed_at end, waiting_since = n.waiting_since,
          first_responded_at = case when c.status = 'closed' and n.reopens then null
                                    when c.waiting_since <= n.answered_at then coalesce(c.first_responded_at, n.answered_at)
                                    else c.first_responded_at end,
          latest_message_id = n.latest_id, latest_message_at = n.latest_at, open_until = n.open_until,
          updated_at = $${now}
     from ${states} where c.id = n.chat_id and (c.tenant_id = $tenant) is true`;

/** SQL: whether a message counts as the answer of a person. Automations and campaigns leave the chat unread. */
export const isByPerson = (row: string): string => `${row}.author in ('user', 'api')`;

/**
 * SQL for chats `c` in which a reply was written: it becomes the latest message, and that of a person marks the chat as
 * read and answered. `replies` is a relation `n` with the columns id, chat_id and by_person.
 */
export const updateReplied = (replies: string, where: string, now: number): string =>
  `update visible_chats c set unread_count = case when n.by_person then 0 else c.unread_count end,
          marked_unread = c.marked_unread and not n.by_person,
          read_at = case when n.by_person then $${now} else c.read_at end, updated_at = $${now},
          first_responded_at = case when n.by_person and c.waiting_since is not null
                                    then coalesce(c.first_responded_at, $${now}) else c.first_responded_at end,
          waiting_since = case when not n.by_person then c.waiting_since end,
          latest_message_id = case when c.latest_message_at > $${now} then c.latest_message_id else n.id end,
          latest_message_at = greatest(c.latest_message_at, $${now})
     from ${replies} where ${where} and c.tenant_id = $tenant and c.id = n.chat_id`;
