import type { Variable } from '../automations/schema.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { findTemplate } from '../templates/template.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign.ts';
import { publishStatus, type StatusDeps } from './change-status.ts';
import { occurrenceNext, occurrenceNow, type Planned } from './recurrence.ts';
import type { Campaign } from './schema.ts';
import { readVariables } from './variables.ts';

/** A campaign as its execution knows it. */
export interface DueCampaign extends CampaignRow, Planned {
  recurrence_rules: string[] | null;
  began_at: Date | null;
  version_id: string | null;
  /** The place that the gathering of the audience has reached. */
  gathered_at: string | null;
  gathered_id: string | null;
}

export const DUE_COLUMNS = `${CAMPAIGN_COLUMNS}, c.occurrence_at, c.began_at, c.version_id,
  c.gathered_at::text as gathered_at, c.gathered_id`;

const activeVersion = statement<
  [automationId: string, tenantId: string],
  { status: string; version_id: string; variables: Variable[] }
>(
  'campaigns.active_version',
  `select a.status, v.id as version_id, v.definition -> 'variables' as variables
     from automations a left join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.id = $1 and a.tenant_id = $2`,
);
const beginOne = statement<
  [id: string, tenantId: string, occurrenceAt: Date, versionId: string, now: Date],
  DueCampaign
>(
  'campaigns.begin',
  `update campaigns c
      set status = 'running', started_at = coalesce(c.started_at, $5), occurrence_at = $3, began_at = $5, version_id = $4,
          gathered_at = null, gathered_id = null, next_at = null, due_at = $5, attempts = 0, updated_at = $5
    where c.id = $1 and c.tenant_id = $2 returning ${DUE_COLUMNS}`,
);
const planNext = statement<[id: string, tenantId: string, nextAt: Date, now: Date]>(
  'campaigns.plan_next',
  `update campaigns set status = 'scheduled', next_at = $3, due_at = $3, attempts = 0, updated_at = $4
    where id = $1 and tenant_id = $2`,
);
const endOne = statement<
  [id: string, tenantId: string, status: 'completed' | 'failed', error: string | null, now: Date],
  CampaignRow
>(
  'campaigns.end',
  `update campaigns c set status = $3, error = $4, next_at = null, due_at = null, updated_at = $5
    where c.id = $1 and c.tenant_id = $2 returning ${CAMPAIGN_COLUMNS}`,
);

type Failure = NonNullable<Campaign['error']>;

/** Ends a campaign that cannot go on, and says why. */
export async function failCampaign(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  error: Failure,
  deps: Pick<StatusDeps, 'clock' | 'publisher'>,
): Promise<void> {
  const now = deps.clock.now(tenantId);
  const row = await tx.find(endOne, [campaignId, tenantId, 'failed', JSON.stringify(error), now]);
  if (row) await publishStatus(tx, tenantId, 'campaign.failed', row, deps);
}

/** Plans the next occurrence of a campaign whose present one is over, or completes it. */
export async function endOccurrence(
  tx: Tx,
  tenantId: string,
  campaign: DueCampaign,
  deps: Pick<StatusDeps, 'clock' | 'publisher'>,
): Promise<void> {
  const now = deps.clock.now(tenantId);
  const next = occurrenceNext(campaign, now);
  if (next !== null) {
    await tx.run(planNext, [campaign.id, tenantId, next, now]);
    return;
  }
  const row = await tx.find(endOne, [campaign.id, tenantId, 'completed', null, now]);
  if (row) await publishStatus(tx, tenantId, 'campaign.completed', row, deps);
}

/** Why what a campaign names cannot be used now, if so. */
async function failureOf(
  tx: Tx,
  tenantId: string,
  campaign: DueCampaign,
): Promise<Failure | { versionId: string }> {
  const automation = await tx.find(activeVersion, [campaign.automation_id, tenantId]);
  if (!automation) return { code: 'automation_deleted', message: 'The automation was deleted' };
  if (automation.status !== 'active')
    return { code: 'automation_not_active', message: `The automation is ${automation.status}` };
  const { issues } = readVariables(automation.variables, campaign.variables ?? []);
  const [issue] = Object.values(issues);
  if (issue) return { code: 'invalid_variables', message: issue.message };
  if (campaign.message_template_id === null) return { versionId: automation.version_id };
  const template = await findTemplate(tx, tenantId, campaign.message_template_id);
  if (!template) return { code: 'template_deleted', message: 'The template was deleted' };
  if (template.status !== 'approved')
    return { code: 'template_not_approved', message: `The template is ${template.status}` };
  return { versionId: automation.version_id };
}

/** Begins the occurrence that is due; undefined where there is none, or it cannot begin. */
export async function beginOccurrence(
  tx: Tx,
  tenantId: string,
  campaign: DueCampaign,
  deps: Pick<StatusDeps, 'clock' | 'publisher'>,
): Promise<DueCampaign | undefined> {
  const now = deps.clock.now(tenantId);
  const occurrence = occurrenceNow(campaign, now);
  if (occurrence === null) {
    await endOccurrence(tx, tenantId, campaign, deps);
    return undefined;
  }
  const found = await failureOf(tx, tenantId, campaign);
  if ('code' in found) {
    await failCampaign(tx, tenantId, campaign.id, found, deps);
    return undefined;
  }
  const begun = await tx.find(beginOne, [campaign.id, tenantId, occurrence, found.versionId, now]);
  if (begun && campaign.started_at === null)
    await publishStatus(tx, tenantId, 'campaign.started', begun, deps);
  return begun;
}
