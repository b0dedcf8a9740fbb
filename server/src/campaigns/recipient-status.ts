import { skipReasons } from './schema.ts';

/**
 * What becomes of recipients, read from their runs and messages and kept nowhere else. Recipients are r, their campaigns
 * k, their runs a and the first messages of those m. Whoever was part of an earlier occurrence only is left out. They
 * are joined by ids alone, which are the tenant's own: as long as tables are small, an index by tenant looks as good to
 * the planner, and later reads all rows of the tenant for each.
 */
const IN_OCCURRENCE = 'r.occurrence_at = k.occurrence_at';
export const RECIPIENTS = `recipients r
  join campaigns k on k.id = r.campaign_id and (r.is_given or ${IN_OCCURRENCE})
  left join automation_runs a on a.id = r.run_id and ${IN_OCCURRENCE}
  left join lateral (
    select f.id, f.status, f.error, f.timestamp, f.updated_at from messages f
     where f.run_id = r.run_id and ${IN_OCCURRENCE} order by f.run_step limit 1) m on true`;

const HAS_RUN = `(r.run_id is not null and ${IN_OCCURRENCE})`;
const isSkip = (error: string): string =>
  `coalesce(${error} ->> 'code', '') in (${skipReasons.map((reason) => `'${reason}'`).join(', ')})`;
const IS_OPEN = `a.status in ('scheduled', 'running', 'waiting')`;

/** SQL for the status of a recipient. */
export const RECIPIENT_STATUS = `(case
  when m.id is not null then case when m.status = 'failed' and ${isSkip('m.error')} then 'skipped' else m.status end
  when not ${HAS_RUN} then case when k.status in ('cancelled', 'failed') then 'failed' else 'queued' end
  when ${IS_OPEN} then 'queued'
  when ${isSkip('a.error')} then 'skipped'
  else 'failed' end)`;

/** SQL for why a recipient failed or was skipped. A run that ended has remembered a message that is gone. */
export const RECIPIENT_CODE = `(case
  when m.id is not null then case when m.status = 'failed' then coalesce(m.error ->> 'code', 'failed') end
  when not ${HAS_RUN} then
    case k.status when 'cancelled' then coalesce(k.error ->> 'code', 'cancelled') when 'failed' then k.error ->> 'code' end
  when a.id is null then 'automation_deleted'
  when ${IS_OPEN} then null
  else coalesce(a.error ->> 'code', case
    when a.status <> 'completed' then a.status
    when a.state ->> 'after' <> a.id::text then 'message_deleted'
    else 'nothing_sent' end) end)`;
