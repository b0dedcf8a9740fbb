import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const chatsWithWaitingRuns = statement<[chatIds: string[]], { chat_id: string }>(
  'automation_runs.chats_waiting_for_reply',
  `select distinct chat_id from visible_automation_runs
    where chat_id = any ($1::uuid[]) and (tenant_id = $tenant) is true and waiting_reply and status = 'waiting'`,
);

/** The chats in which a run waits for a reply. */
export async function findChatsWithWaitingRuns(tx: TenantTx, chatIds: string[]): Promise<Set<string>> {
  return new Set((await tx.all(chatsWithWaitingRuns, [[...new Set(chatIds)]])).map((row) => row.chat_id));
}
