import { removalStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { cancelMessagesOfRuns } from '../../messages/outbound/hold.ts';
import { IS_UNFINISHED } from './run.ts';

/** How far a run r has come. */
const progress = (r: string): string => `case
  when exists (select 1 from messages m where m.run_id = ${r}.id and (m.status not in ('queued', 'failed') or m.sending_at is not null))
    then 3
  when ${r}.${IS_UNFINISHED} or exists (select 1 from messages m where m.run_id = ${r}.id and m.status = 'queued') then 2
  when ${r}.status = 'completed' then 1 else 0 end`;
const deleteDoubled = removalStatement<[mergedId: string], { id: string }>(
  'automation_runs.delete_doubled',
  // Both contacts were recipients of the same campaign or audience. The person gets it once: by the run that has come further.
  `delete from automation_runs where tenant_id = $tenant and id = any (array(
     select case when ${progress('r')} > ${progress('s')} then s.id else r.id end
       from contacts k
       join automation_runs r on r.contact_id = k.id and r.tenant_id = $tenant and r.occurrence_at is not null
       join automation_runs s on s.contact_id = k.merged_into and s.tenant_id = $tenant and s.automation_id = r.automation_id
        and s.campaign_id is not distinct from r.campaign_id and s.occurrence_at = r.occurrence_at
      where k.id = $1 and k.tenant_id = $tenant and k.merged_into <> k.id)) returning id`,
);
const moveToContact = (condition: string): string =>
  `with chosen as materialized (
     select r.id from automation_runs r
      where r.tenant_id = $tenant and r.id = any (array(
        select x.id from automation_runs x where x.tenant_id = $tenant and x.contact_id = $1 and ${condition} limit $2))
      order by r.id for no key update)
   update automation_runs r set contact_id = k.merged_into
     from chosen, contacts k
    where r.id = chosen.id and r.tenant_id = $tenant and k.id = $1 and k.tenant_id = $tenant and k.merged_into <> k.id`;
const moveUnfinished = removalStatement<[mergedId: string, limit: number | null]>(
  'automation_runs.move_unfinished',
  moveToContact(`x.${IS_UNFINISHED}`),
);
const moveSome = removalStatement<[mergedId: string, limit: number]>(
  'automation_runs.move_to_contact',
  moveToContact('true'),
);
const moveToChat = removalStatement<[fromId: string, toId: string]>(
  'automation_runs.move_to_chat',
  `with chosen as materialized (
     select id from automation_runs where chat_id = $1 and (tenant_id = $tenant) is true order by id for no key update)
   update automation_runs r set chat_id = $2 from chosen where r.id = chosen.id and r.tenant_id = $tenant`,
);

/** Leaves one run for each occurrence that both contacts were part of. What the other run has not sent yet is cancelled. */
async function removeDoubled(tx: TenantTx, mergedId: string): Promise<void> {
  const ids = (await tx.all(deleteDoubled, [mergedId])).map(({ id }) => id);
  if (ids.length > 0) await cancelMessagesOfRuns(tx, ids);
}

/** Moves the runs that have not ended of a contact that is being merged, so that they go on. */
export async function moveUnfinishedRuns(tx: TenantTx, mergedId: string): Promise<void> {
  await removeDoubled(tx, mergedId);
  await tx.run(moveUnfinished, [mergedId, null]);
}

/** Moves at most `limit` runs of a contact that is being merged, and returns how many. */
export async function moveSomeRuns(tx: TenantTx, mergedId: string, limit: number): Promise<number> {
  await removeDoubled(tx, mergedId);
  return tx.run(moveSome, [mergedId, limit]);
}

/** Moves all runs in a chat to another one. */
export async function moveRunsToChat(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToChat, [fromId, toId]);
}
