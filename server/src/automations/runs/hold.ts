import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { runsQueue } from '../queues.ts';
import { CANCEL, IS_UNFINISHED, RUN_COLUMNS, type RunRow, runEvent } from './run.ts';

/** Locks the runs in the order of ids, as the worker does. */
const chosen = (condition: string): string => `chosen as (
  select id from visible_automation_runs where campaign_id = $1 and tenant_id = $tenant and ${IS_UNFINISHED} and ${condition}
   order by id for no key update)`;

const hold = statement<[campaignId: string]>(
  'automation_runs.hold_of_campaign',
  `with ${chosen('due_at is not null')}
   update visible_automation_runs r set held_due_at = due_at, due_at = null from chosen c where r.id = c.id`,
);
const release = statement<[campaignId: string], { automation_id: string }>(
  'automation_runs.release_of_campaign',
  `with ${chosen('held_due_at is not null')},
   released as (
     update visible_automation_runs r set due_at = held_due_at, held_due_at = null from chosen c
      where r.id = c.id returning r.automation_id)
   select distinct automation_id from released`,
);
const cancel = statement<[campaignId: string, error: string, now: Date], RunRow>(
  'automation_runs.cancel_of_campaign',
  `with ${chosen('true')}
   update visible_automation_runs r set ${CANCEL}, error = $2, ended_at = $3, updated_at = $3
     from chosen c where r.id = c.id returning ${RUN_COLUMNS}`,
);

/** Stops a campaign's runs from starting or continuing. */
export async function holdRuns(tx: TenantTx, campaignId: string): Promise<void> {
  await tx.run(hold, [campaignId]);
}

/** Continues a campaign's held runs. */
export async function releaseRuns(tx: TenantTx, campaignId: string): Promise<void> {
  for (const { automation_id } of await tx.all(release, [campaignId])) tx.wake(runsQueue, automation_id);
}

/** Ends a campaign's runs that have not ended. */
export async function cancelRunsOfCampaign(tx: TenantTx, campaignId: string): Promise<void> {
  const error = { code: 'cancelled', message: 'The campaign was cancelled' };
  const rows = await tx.all(cancel, [campaignId, JSON.stringify(error), tx.now]);
  tx.publish(...rows.map((row) => runEvent('automation.run_cancelled', row)));
}
