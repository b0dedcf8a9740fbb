import { removalStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { IS_UNFINISHED } from './run.ts';

const deleteDoubled = removalStatement<[mergedId: string]>(
  'automation_runs.delete_doubled',
  // Both contacts were recipients of the same campaign or audience. The person gets it once.
  `delete from automation_runs r using contacts k, automation_runs s
    where k.id = $1 and k.tenant_id = $tenant and r.contact_id = $1 and r.tenant_id = $tenant
      and r.occurrence_at is not null and s.contact_id = k.merged_into and s.tenant_id = $tenant
      and s.automation_id = r.automation_id and s.campaign_id is not distinct from r.campaign_id
      and s.occurrence_at = r.occurrence_at`,
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

/** Moves the runs that have not ended of a contact that is being merged, so that they go on. */
export async function moveUnfinishedRuns(tx: TenantTx, mergedId: string): Promise<void> {
  await tx.run(deleteDoubled, [mergedId]);
  await tx.run(moveUnfinished, [mergedId, null]);
}

/** Moves at most `limit` runs of a contact that is being merged, and returns how many. */
export async function moveSomeRuns(tx: TenantTx, mergedId: string, limit: number): Promise<number> {
  await tx.run(deleteDoubled, [mergedId]);
  return tx.run(moveSome, [mergedId, limit]);
}

/** Moves all runs in a chat to another one. */
export async function moveRunsToChat(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToChat, [fromId, toId]);
}
