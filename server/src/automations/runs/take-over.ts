import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { CANCEL, IS_UNFINISHED, RUN_COLUMNS, type RunRow, runEvent } from './run.ts';
import type { RunError } from './state.ts';

const TAKEN_OVER: RunError = { code: 'taken_over', message: 'A person has taken over the chat' };

const cancelTakenOver = statement<[chatIds: string[], error: RunError, now: Date], RunRow>(
  'automation_runs.cancel_taken_over',
  // A run that the contact's own message or the opening of the chat has started is a conversation, and ends at whatever
  // step it is. Any other ends only if it waits for a reply: a reminder for tomorrow is still sent.
  `with chosen as (
     select r.id from visible_automation_runs r join automation_versions v on v.id = r.version_id and v.tenant_id = r.tenant_id
      where r.chat_id = any ($1::uuid[]) and (r.tenant_id = $tenant) is true and r.${IS_UNFINISHED}
        and (r.waiting_reply or v.definition #>> '{trigger,type}' in ('message_received', 'chat_opened'))
      order by r.id for no key update of r)
   update visible_automation_runs r set ${CANCEL}, error = $2, ended_at = $3, updated_at = $3
     from chosen where r.id = chosen.id and (r.tenant_id = $tenant) is true returning ${RUN_COLUMNS}`,
);

const chatsWithRuns = statement<[chatIds: string[]], { chat_id: string }>(
  'automation_runs.unfinished_in_chats',
  `select distinct r.chat_id from visible_automation_runs r
    where r.chat_id = any ($1::uuid[]) and (r.tenant_id = $tenant) is true and r.${IS_UNFINISHED}`,
);

/** Which chats an automation may have to be ended in. It is sent with other statements, so that mostly nothing follows. */
export async function findChatsWithRuns(tx: TenantTx, chatIds: string[]): Promise<ReadonlySet<string>> {
  if (chatIds.length === 0) return new Set();
  return new Set((await tx.all(chatsWithRuns, [chatIds])).map((row) => row.chat_id));
}

/** Ends the conversations of automations in chats that a person has taken over. The caller has locked the chats. */
export async function takeOverChats(tx: TenantTx, chatIds: string[]): Promise<void> {
  if (chatIds.length === 0) return;
  const rows = await tx.all(cancelTakenOver, [chatIds, TAKEN_OVER, tx.now]);
  tx.publish(...rows.map((row) => runEvent('automation.run_cancelled', row)));
}
