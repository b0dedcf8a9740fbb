import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import { CANCEL, RUNS_LIST, UNENDED } from './run.ts';

/** Always locked in the order of ids, as those who execute them do. */
const chosen = (condition: string): string => `chosen as (
  select id from automation_runs where campaign_id = $1 and tenant_id = $2 and ${UNENDED} and ${condition}
   order by id for update)`;

const hold = statement<[campaignId: string, tenantId: string]>(
  'automation_runs.hold_of_campaign',
  `with ${chosen('due_at is not null')}
   update automation_runs r set held_due_at = due_at, due_at = null from chosen c where r.id = c.id`,
);
const release = statement<[campaignId: string, tenantId: string], { automation_id: string; shard: number }>(
  'automation_runs.release_of_campaign',
  `with ${chosen('held_due_at is not null')},
   released as (
     update automation_runs r set due_at = held_due_at, held_due_at = null from chosen c
      where r.id = c.id returning r.automation_id, r.shard)
   select distinct automation_id, shard from released`,
);
const cancel = statement<[campaignId: string, tenantId: string, error: string, now: Date]>(
  'automation_runs.cancel_of_campaign',
  `with ${chosen('true')}
   update automation_runs r set ${CANCEL}, error = $3, ended_at = $4, updated_at = $4
     from chosen c where r.id = c.id`,
);

/** Keeps a campaign's runs from beginning or going on. */
export async function holdRuns(tx: Tx, tenantId: string, campaignId: string): Promise<void> {
  await tx.run(hold, [campaignId, tenantId]);
}

/** Lets a campaign's runs that were held go on as they would have. */
export async function releaseRuns(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  wakeUps: WakeUps,
): Promise<void> {
  for (const { automation_id, shard } of await tx.all(release, [campaignId, tenantId]))
    tx.afterCommit(() => wakeUps.give(RUNS_LIST, shard, automation_id));
}

/** Ends a campaign's runs that have not ended. */
export async function cancelRunsOfCampaign(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  now: Date,
): Promise<void> {
  const error = { code: 'cancelled', message: 'Its campaign was cancelled' };
  await tx.run(cancel, [campaignId, tenantId, JSON.stringify(error), now]);
}
