import { findActiveVersion } from '../automations/triggers/api.ts';
import { collectIssues } from '../base/issues.ts';
import type { SegmentFilters } from '../contacts/segment-filters.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { findTemplate } from '../templates/template.ts';
import { announceCampaign } from './announce-progress.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign.ts';
import { publishStatus } from './change-status.ts';
import { RECIPIENT_CODE, RECIPIENT_STATUS, RECIPIENTS } from './recipient-status.ts';
import { findDueOccurrence, findNextOccurrence, type Planned } from './recurrence.ts';
import type { Campaign } from './schema.ts';
import { validateVariables } from './variables.ts';

/** A campaign that is being executed. */
export interface DueCampaign extends CampaignRow, Planned {
  recurrence_rules: string[] | null;
  began_at: Date | null;
  version_id: string | null;
  /** How far the audience has been gathered. */
  gathered_at: string | null;
  gathered_id: string | null;
  segment_filters: SegmentFilters | null;
}

const DUE_COLUMNS = `${CAMPAIGN_COLUMNS}, c.occurrence_at, c.began_at, c.version_id,
  c.gathered_at::text as gathered_at, c.gathered_id, c.segment_filters`;

export const lockDue = statement<[id: string, now: Date], DueCampaign>(
  'campaigns.lock_due',
  // A campaign that was paused, cancelled or advanced by another worker is no longer due.
  `select ${DUE_COLUMNS} from visible_campaigns c
    where c.id = $1 and c.tenant_id = $tenant and c.due_at <= $2 and c.status in ('scheduled', 'running')
      for no key update of c`,
);

const beginOne = statement<[id: string, occurrenceAt: Date, versionId: string, now: Date], DueCampaign>(
  'campaigns.begin',
  `update visible_campaigns c
      set status = 'running', started_at = coalesce(c.started_at, $4), occurrence_at = $2, began_at = $4, version_id = $3,
          gathered_at = null, gathered_id = null, segment_filters = null, next_at = null,
          audience = coalesce((select s.query from segments s where s.id = c.segment_id and s.tenant_id = c.tenant_id), c.audience), due_at = $4, attempts = 0, updated_at = $4
    where c.id = $1 and c.tenant_id = $tenant returning ${DUE_COLUMNS}`,
);
const planNext = statement<[id: string, nextAt: Date, now: Date]>(
  'campaigns.plan_next',
  `update visible_campaigns set status = 'scheduled', next_at = $2, due_at = $2, attempts = 0, updated_at = $3
    where id = $1 and tenant_id = $tenant`,
);
const endOne = statement<
  [id: string, status: 'completed' | 'failed', error: string | null, now: Date],
  CampaignRow
>(
  'campaigns.end',
  `update visible_campaigns c set status = $2, error = $3, next_at = null, due_at = null, updated_at = $4
    where c.id = $1 and c.tenant_id = $tenant returning ${CAMPAIGN_COLUMNS}`,
);

interface Reach {
  recipients: number;
  unreached: number;
  /** Why one of them was not reached. */
  code: string | null;
}

const countReached = statement<[id: string], Reach>(
  'campaigns.count_reached',
  // An automation that sends nothing has not failed, nor has a message that was deleted after it was sent. Whose handle is
  // undeliverable is skipped, and was not reached either.
  `select count(*)::int as recipients, count(*) filter (where s.is_unreached)::int as unreached,
          min(s.code) filter (where s.is_unreached) as code
     from (select (${RECIPIENT_STATUS} = 'failed' and 'failed' in (m.status, a.status))
                    or ${RECIPIENT_CODE} = 'undeliverable' as is_unreached, ${RECIPIENT_CODE} as code
             from ${RECIPIENTS} where r.campaign_id = $1 and r.tenant_id = $tenant) s`,
);

type Failure = NonNullable<Campaign['error']>;

/** Ends a campaign as failed, with the reason. */
export async function failCampaign(tx: TenantTx, campaignId: string, error: Failure): Promise<void> {
  const row = await tx.find(endOne, [campaignId, 'failed', JSON.stringify(error), tx.now]);
  if (row) publishStatus(tx, 'campaign.failed', row);
}

/** Plans the next occurrence, or completes the campaign if there is none. */
export async function endOccurrence(tx: TenantTx, campaign: DueCampaign): Promise<void> {
  const { now } = tx;
  const next = findNextOccurrence(campaign, now);
  if (next !== null) {
    await tx.run(planNext, [campaign.id, next, now]);
    announceCampaign(tx, campaign);
    return;
  }
  const { recipients, unreached, code } = (await tx.find(countReached, [campaign.id])) as Reach;
  if (!campaign.is_reoccurring && unreached > 0 && unreached === recipients) {
    const message = `Nobody was reached: all ${unreached} failed, for example with ${code}`;
    await failCampaign(tx, campaign.id, { code: 'nobody_reached', message });
    return;
  }
  const row = await tx.find(endOne, [campaign.id, 'completed', null, now]);
  if (row) publishStatus(tx, 'campaign.completed', row);
}

/** The version to run, or why no occurrence can start now. */
async function findVersionToRun(
  tx: TenantTx,
  campaign: DueCampaign,
): Promise<Failure | { versionId: string }> {
  const automation = await findActiveVersion(tx, campaign.automation_id as string);
  if (!automation) return { code: 'automation_deleted', message: 'The automation was deleted' };
  if (automation.status !== 'active')
    return { code: 'automation_not_active', message: `The automation is ${automation.status}` };
  const issues = collectIssues();
  validateVariables(automation.variables, campaign.variables ?? [], issues);
  const [issue] = Object.values(issues.params);
  if (issue) return { code: 'invalid_variables', message: issue.message };
  const templateId = campaign.message_template_id ?? campaign.message?.template?.templateId;
  if (templateId === undefined) return { versionId: automation.version_id };
  const template = await findTemplate(tx, templateId);
  if (!template) return { code: 'template_deleted', message: 'The template was deleted' };
  if (template.status !== 'approved')
    return { code: 'template_not_approved', message: `The template is ${template.status}` };
  return { versionId: automation.version_id };
}

/** Starts the due occurrence. Returns undefined if there is none or it cannot start. */
export async function beginOccurrence(tx: TenantTx, campaign: DueCampaign): Promise<DueCampaign | undefined> {
  const { now } = tx;
  const occurrence = findDueOccurrence(campaign, now);
  if (occurrence === null) {
    await endOccurrence(tx, campaign);
    return undefined;
  }
  const found = await findVersionToRun(tx, campaign);
  if ('code' in found) {
    await failCampaign(tx, campaign.id, found);
    return undefined;
  }
  const begun = await tx.find(beginOne, [campaign.id, occurrence, found.versionId, now]);
  if (begun && campaign.started_at === null) publishStatus(tx, 'campaign.started', begun);
  return begun;
}
