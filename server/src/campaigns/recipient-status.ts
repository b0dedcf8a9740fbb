import { skipReasons } from './schema.ts';

/**
 * The status of recipients follows from their runs and messages and is not stored. Aliases: r is the recipient, k the
 * campaign, a the run, m the first message of the run. Recipients that were only part of an earlier occurrence are left
 * out. The joins use ids alone, without the tenant: with small tables the planner would choose an index by tenant, which
 * later reads all rows of the tenant for each recipient.
 */
const IN_OCCURRENCE = 'r.occurrence_at = k.occurrence_at';
export const RECIPIENTS = `visible_recipients r
  join visible_campaigns k on k.id = r.campaign_id and (r.is_given or ${IN_OCCURRENCE})
  left join visible_automation_runs a on a.id = r.run_id and ${IN_OCCURRENCE}
  left join lateral (
    select f.id, f.status, f.error, f.timestamp, f.updated_at from visible_messages f
     where f.run_id = r.run_id and ${IN_OCCURRENCE} order by f.run_step limit 1) m on true`;

const HAS_RUN = `(r.run_id is not null and ${IN_OCCURRENCE})`;
const isSkip = (error: string): string =>
  `coalesce(${error} ->> 'code', '') in (${skipReasons.map((reason) => `'${reason}'`).join(', ')})`;
const IS_RUN_OPEN = `a.status in ('scheduled', 'running', 'waiting')`;

/** SQL for the status of a recipient. */
export const RECIPIENT_STATUS = `(case
  when m.id is not null then case when m.status = 'failed' and ${isSkip('m.error')} then 'skipped' else m.status end
  when not ${HAS_RUN} then case when k.status in ('cancelled', 'failed') then 'failed' else 'queued' end
  when ${IS_RUN_OPEN} then 'queued'
  when ${isSkip('a.error')} then 'skipped'
  else 'failed' end)`;

/** SQL for why a recipient failed or was skipped. `state.after` of the run shows whether a deleted message was sent. */
export const RECIPIENT_CODE = `(case
  when m.id is not null then case when m.status = 'failed' then coalesce(m.error ->> 'code', 'failed') end
  when not ${HAS_RUN} then
    case k.status when 'cancelled' then coalesce(k.error ->> 'code', 'cancelled') when 'failed' then k.error ->> 'code' end
  when a.id is null then 'automation_deleted'
  when ${IS_RUN_OPEN} then null
  else coalesce(a.error ->> 'code', case
    when a.status <> 'completed' then a.status
    when a.state ->> 'after' <> a.id::text then 'message_deleted'
    else 'nothing_sent' end) end)`;
