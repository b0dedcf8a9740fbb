import { removalStatement, statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { type MessageRow, messageColumns } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import { messagesQueue } from '../queues.ts';

/** Messages that are being sent at this moment are not included. Locked in the order of ids, so no deadlocks. */
const waiting = (
  condition: string,
  messages = 'visible_messages',
  of = 'campaign_id = $1',
): string => `waiting as (
  select id from ${messages} where ${of} and tenant_id = $tenant and status = 'queued' and sending_at is null
     and ${condition} order by id for no key update)`;

const hold = statement<[campaignId: string]>(
  'messages.hold_of_campaign',
  `with ${waiting('due_at is not null')}
   update visible_messages m set held_due_at = due_at, due_at = null from waiting w where m.id = w.id`,
);
const holdOne = statement<[messageId: string]>(
  'messages.hold_one',
  `with ${waiting('due_at is not null', 'visible_messages', 'id = $1')}
   update visible_messages m set held_due_at = due_at, due_at = null from waiting w where m.id = w.id`,
);
const release = statement<[campaignId: string, now: Date], { channel_id: string }>(
  'messages.release_of_campaign',
  `with ${waiting('held_due_at is not null')},
   released as (
     update visible_messages m set due_at = held_due_at, held_due_at = null, released_at = $2 from waiting w
      where m.id = w.id returning m.channel_id)
   select distinct channel_id from released`,
);
const lockStopped = statement<[campaignId: string], { status: 'paused' | 'cancelled' }>(
  'messages.lock_stopped_campaign',
  // The lock waits for a campaign that is going on at this moment, whose messages have been released.
  `select status from visible_campaigns
    where id = $1 and tenant_id = $tenant and status in ('paused', 'cancelled') for share`,
);
const CANCELLABLE = '(due_at is not null or held_due_at is not null)';
/** A contact that is being merged is gone for everybody: the message then belongs to the one who has the chat. */
const CANCEL = `set status = 'failed', error = $2, due_at = null, held_due_at = null, contact_id = k.contact_id, updated_at = $3
     from waiting w, chats k
    where m.id = w.id and k.id = m.chat_id and k.tenant_id = m.tenant_id
   returning ${messageColumns('k')}, k.is_sensitive`;
type CancelledRow = MessageRow & { is_sensitive: boolean };
const cancel = statement<[campaignId: string, error: string, now: Date], CancelledRow>(
  'messages.cancel_of_campaign',
  `with ${waiting(CANCELLABLE)} update visible_messages m ${CANCEL}`,
);
const cancelOne = statement<[messageId: string, error: string, now: Date], CancelledRow>(
  'messages.cancel_one',
  `with ${waiting(CANCELLABLE, 'visible_messages', 'id = $1')} update visible_messages m ${CANCEL}`,
);
const cancelOfRuns = removalStatement<[runIds: string[], error: string, now: Date], CancelledRow>(
  'messages.cancel_of_runs',
  `with ${waiting(CANCELLABLE, 'messages', 'run_id = any ($1::uuid[])')} update messages m ${CANCEL}`,
);

const publishCancelled = (tx: TenantTx, rows: CancelledRow[]): void =>
  tx.publish(...rows.map((row) => messageEvent('message.failed', row, row.is_sensitive, tx)));

/** Holds a campaign's queued messages until they are released or cancelled. */
export async function holdMessages(tx: TenantTx, campaignId: string): Promise<void> {
  await tx.run(hold, [campaignId]);
}

/** Releases a campaign's held messages. */
export async function releaseMessages(tx: TenantTx, campaignId: string): Promise<void> {
  for (const { channel_id } of await tx.all(release, [campaignId, tx.now]))
    tx.wake(messagesQueue, channel_id);
}

const CAMPAIGN_CANCELLED = JSON.stringify({
  code: 'cancelled',
  message: 'The campaign was cancelled before the message was sent',
});

/** Fails a campaign's messages that have not been sent. */
export async function cancelMessages(tx: TenantTx, campaignId: string): Promise<void> {
  publishCancelled(tx, await tx.all(cancel, [campaignId, CAMPAIGN_CANCELLED, tx.now]));
}

/** Fails what has not been sent of runs whose contact was merged with another that gets the same. */
export async function cancelMessagesOfRuns(tx: TenantTx, runIds: string[]): Promise<void> {
  const error = {
    code: 'cancelled',
    message: 'The contact was merged with another who gets the same message',
  };
  publishCancelled(tx, await tx.all(cancelOfRuns, [runIds, JSON.stringify(error), tx.now]));
}

/**
 * Holds or cancels a message whose campaign is paused or cancelled, and returns whether it is. The message was with the vendor when that
 * happened, and is to be tried again only afterwards.
 */
export async function stopMessage(tx: TenantTx, campaignId: string, messageId: string): Promise<boolean> {
  const stopped = await tx.find(lockStopped, [campaignId]);
  if (stopped?.status === 'paused') await tx.run(holdOne, [messageId]);
  else if (stopped) publishCancelled(tx, await tx.all(cancelOne, [messageId, CAMPAIGN_CANCELLED, tx.now]));
  return stopped !== undefined;
}
