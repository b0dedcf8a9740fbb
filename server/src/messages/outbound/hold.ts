import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Publisher } from '../../engine/outbox.ts';
import { MESSAGE_COLUMNS, type MessageRow, presentMessage, withoutContent } from '../message.ts';

/** Those that are on their way to the vendor at this moment are not called back. Always locked in the order of ids. */
const waiting = (condition: string): string => `waiting as (
  select id from messages where campaign_id = $1 and tenant_id = $2 and status = 'queued' and sending_at is null
     and ${condition} order by id for update)`;

const hold = statement<[campaignId: string, tenantId: string]>(
  'messages.hold_of_campaign',
  `with ${waiting('due_at is not null')}
   update messages m set held_due_at = due_at, due_at = null from waiting w where m.id = w.id`,
);
const release = statement<[campaignId: string, tenantId: string]>(
  'messages.release_of_campaign',
  `with ${waiting('held_due_at is not null')}
   update messages m set due_at = held_due_at, held_due_at = null from waiting w where m.id = w.id`,
);
const cancel = statement<
  [campaignId: string, tenantId: string, error: string, now: Date],
  MessageRow & { is_sensitive: boolean }
>(
  'messages.cancel_of_campaign',
  `with ${waiting('(due_at is not null or held_due_at is not null)')}
   update messages m set status = 'failed', error = $3, due_at = null, held_due_at = null, updated_at = $4
     from waiting w, chats k
    where m.id = w.id and k.id = m.chat_id and k.tenant_id = m.tenant_id
   returning ${MESSAGE_COLUMNS}, k.is_sensitive`,
);

/** Keeps a campaign's messages that wait to be sent from being sent. */
export async function holdMessages(tx: Tx, tenantId: string, campaignId: string): Promise<void> {
  await tx.run(hold, [campaignId, tenantId]);
}

/** Lets a campaign's messages that were held go out as they would have. */
export async function releaseMessages(tx: Tx, tenantId: string, campaignId: string): Promise<void> {
  await tx.run(release, [campaignId, tenantId]);
}

/** Makes sure that a campaign's messages that have not gone out never do. */
export async function cancelMessages(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  now: Date,
  { publish }: Publisher,
): Promise<void> {
  const error = { code: 'cancelled', message: 'The campaign was cancelled before the message went out' };
  const rows = await tx.all(cancel, [campaignId, tenantId, JSON.stringify(error), now]);
  const events = rows.map(({ is_sensitive, ...row }) => {
    const message = presentMessage(row);
    return {
      type: 'message.failed' as const,
      channelId: row.channel_id,
      contactId: row.contact_id,
      chatId: row.chat_id,
      data: is_sensitive ? withoutContent(message) : message,
    };
  });
  await publish(tx, tenantId, events);
}
