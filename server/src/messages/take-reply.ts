import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { MESSAGE_COLUMNS, type MessageRow, presentMessage } from './message.ts';
import type { Message } from './schema.ts';

const markReply = statement<[chatId: string, after: string, runId: string], MessageRow>(
  'messages.take_reply',
  // In the order of ids, which grow with real time, also while a test clock stands still. The bound on created_at keeps the
  // scan short; five minutes allow for different clocks of two processes.
  `with reply as (
     select m.id from visible_messages m
      where m.tenant_id = $tenant and m.chat_id = $1 and m.sender = 'inbound' and not m.is_automatic and not m.is_opt_out and m.id > $2
        and m.created_at >= coalesce((select created_at from messages where id = $2 and tenant_id = $tenant),
                                     (select created_at from automation_runs where id = $2 and tenant_id = $tenant),
                                     '-infinity') - interval '5 minutes'
        and (m.reply_run_id is null or m.reply_run_id = $3)
        and not exists (
          select 1 from automation_runs o
           where o.chat_id = $1 and (o.tenant_id = $tenant) is true and o.id <> $3 and o.waiting_reply
             and o.status = 'waiting' and (o.state ->> 'after')::uuid > $2 and (o.state ->> 'after')::uuid < m.id)
      order by m.id limit 1)
   update visible_messages m set reply_run_id = $3 from reply where m.id = reply.id and m.tenant_id = $tenant
   returning ${MESSAGE_COLUMNS}`,
);

/**
 * Takes the contact's first message after an id as the reply for which a run waits. If several runs wait in the chat, the
 * one that asked last gets it, and no other takes the same message. The caller has locked the chat.
 */
export async function takeReply(
  tx: TenantTx,
  chatId: string,
  after: string,
  runId: string,
): Promise<Message | undefined> {
  const row = await tx.find(markReply, [chatId, after, runId]);
  return row && presentMessage(row, tx);
}
