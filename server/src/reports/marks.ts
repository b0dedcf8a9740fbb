import { newId } from '../base/ids.ts';
import { type ParameterOf, rowSet } from '../db/rows.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import { reportsQueue } from './queues.ts';

export const HOUR_MS = 3600_000;
export const QUARTER_MS = HOUR_MS / 4;

/** SQL for the hour of a time. */
export const hourSql = (time: string): string => `date_bin('1 hour', ${time}, 'epoch')`;

const newMarks = rowSet({ id: 'uuid', from_at: 'timestamptz', due_at: 'timestamptz' });
const insertMarks = statement<[marks: ParameterOf<typeof newMarks>, shard: number, now: Date]>(
  'report_marks.insert',
  `insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
   select m.id, $tenant, m.from_at, m.from_at + interval '1 hour', true, $2, m.due_at, $3 from ${newMarks.from(1, 'm')}`,
);
const insertRange = statement<[from: Date, to: Date, shard: number, now: Date]>(
  'report_marks.insert_range',
  `insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
   values (gen_random_uuid(), $tenant, ${hourSql('$1::timestamptz')}, $2, false, $3, ${DUE_NOW}, $4)`,
);

/** Finds the hours of messages by one index probe for each hour, however many messages there are. */
const hoursOfMessages = (column: 'contact_id' | 'chat_id'): string => {
  const next = (after: string): string =>
    `(select ${hourSql('min(m.created_at)')} as hour from visible_messages m
       where m.tenant_id = $tenant and m.${column} = $1 and m.created_at >= ${after})`;
  return `hours as (
     select hour from ${next(`'-infinity'`)} h
     union all
     select n.hour from hours h cross join lateral ${next(`h.hour + interval '1 hour'`)} n where h.hour is not null)`;
};
/** The hours in which scheduled messages count, of which a chat has few. */
const scheduledOf = (chats: string): string =>
  `select ${hourSql('m.timestamp')} from (${chats}) k
     join visible_messages m on m.tenant_id = $tenant and m.chat_id = k.id and m.scheduled_at is not null`;
const insertHours = (hours: string): string =>
  `insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
   select gen_random_uuid(), $tenant, n.hour, n.hour + interval '1 hour', false, $2, ${DUE_NOW}, $3
     from (${hours}) n where n.hour is not null`;
type HoursOf = [id: string, shard: number, now: Date];
const markOfContact = statement<HoursOf>(
  'report_marks.of_contact',
  `with recursive ${hoursOfMessages('contact_id')}
   ${insertHours(`select hour from hours
     union select ${hourSql('r.created_at')} from visible_automation_runs r where r.contact_id = $1 and (r.tenant_id = $tenant) is true
     union select ${hourSql('c.at')} from visible_chats k
       join chat_changes c on c.tenant_id = $tenant and c.chat_id = k.id
      where k.contact_id = $1 and (k.tenant_id = $tenant) is true
     union ${scheduledOf('select k.id from visible_chats k where k.contact_id = $1 and (k.tenant_id = $tenant) is true')}`)}`,
);
const markOfChat = statement<HoursOf>(
  'report_marks.of_chat',
  `with recursive ${hoursOfMessages('chat_id')}
   ${insertHours(`select hour from hours
     union select ${hourSql('c.at')} from chat_changes c where c.tenant_id = $tenant and c.chat_id = $1
     union select ${hourSql('r.created_at')} from visible_automation_runs r where r.chat_id = $1 and (r.tenant_id = $tenant) is true
     union ${scheduledOf('select $1::uuid as id')}`)}`,
);

const shardOf = ({ tenantId }: TenantTx): number => reportsQueue.shardOf(tenantId, tenantId);

/** An hour in which something has changed, and when it is counted. */
export interface ChangedHour {
  hour: Date;
  dueAt: Date;
}

/** Stores that hours are to be counted. */
export function markHours(tx: TenantTx, hours: readonly ChangedHour[]): void {
  const rows = hours.map(({ hour, dueAt }) => ({ id: newId(), from_at: hour, due_at: dueAt }));
  tx.enqueue(insertMarks, [newMarks.encode(rows), shardOf(tx), tx.now]);
}

/** Before a contact is erased or merged: the hours in which it counts are counted again. */
export async function recountContact(tx: TenantTx, contactId: string): Promise<void> {
  await tx.run(markOfContact, [contactId, shardOf(tx), tx.now]);
  tx.wake(reportsQueue, tx.tenantId);
}

/** Before a chat is deleted: the hours in which it counts are counted again. */
export async function recountChat(tx: TenantTx, chatId: string): Promise<void> {
  await tx.run(markOfChat, [chatId, shardOf(tx), tx.now]);
  tx.wake(reportsQueue, tx.tenantId);
}

/** For what has too much to find its hours, such as a channel: everything since a time is counted again. */
export async function recountSince(tx: TenantTx, since: Date): Promise<void> {
  await tx.run(insertRange, [since, new Date(tx.now.getTime() + HOUR_MS), shardOf(tx), tx.now]);
  tx.wake(reportsQueue, tx.tenantId);
}
