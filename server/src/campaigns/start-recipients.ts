import { startMany } from '../automations/runs/start-many.ts';
import type { Variable } from '../automations/schema.ts';
import { AUDIENCE_START, fixAudience, gatherAudience, gatherMerged } from '../contacts/gather-audience.ts';
import type { SegmentFilters } from '../contacts/segment-filters.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { DueCampaign } from './begin-occurrence.ts';
import { RECIPIENT_STATUS, RECIPIENTS } from './recipient-status.ts';
import { readVariables } from './variables.ts';

const RUNS_PER_TRANSACTION = 500;

const insertGathered = statement<[campaignId: string, contactIds: string[], occurrenceAt: Date, now: Date]>(
  'recipients.gather',
  // A contact that is already part of the occurrence keeps its run. The locks wait for contacts that are being erased or
  // merged. The tenant is compared so that no index can serve: after an import, all contacts would be read for each of them.
  `insert into recipients as r (campaign_id, contact_id, tenant_id, is_given, occurrence_at, created_at, updated_at)
   select $1, n.contact_id, $tenant, false, $3, $4, $4 from unnest($2::uuid[]) as n (contact_id)
     join visible_contacts c on c.id = n.contact_id and (c.tenant_id = $tenant) is true order by c.id for key share of c
   on conflict (campaign_id, contact_id) do update set occurrence_at = $3, run_id = null, updated_at = $4
    where r.occurrence_at < $3`,
);
const noteGathered = statement<
  [id: string, at: string, contactId: string | null, segmentFilters: SegmentFilters]
>(
  'campaigns.note_gathered',
  `update visible_campaigns set gathered_at = $2::timestamptz, gathered_id = $3, segment_filters = $4
    where id = $1 and tenant_id = $tenant`,
);
const pickWithoutRun = statement<[campaignId: string, occurrenceAt: Date], { contact_id: string }>(
  'recipients.pick_without_run',
  `select contact_id from (
     (select contact_id from visible_recipients
       where campaign_id = $1 and tenant_id = $tenant and is_given and occurrence_at < $2
       order by occurrence_at, contact_id limit ${RUNS_PER_TRANSACTION})
     union all
     (select contact_id from visible_recipients
       where campaign_id = $1 and tenant_id = $tenant and occurrence_at = $2 and run_id is null
       order by contact_id limit ${RUNS_PER_TRANSACTION})) picked limit ${RUNS_PER_TRANSACTION}`,
);
const noteRuns = statement<
  [campaignId: string, occurrenceAt: Date, contactIds: string[], runIds: string[], now: Date]
>(
  'recipients.note_runs',
  // Not joined: of a table that was never analysed, all recipients of the campaign would be compared with each of these.
  `update visible_recipients r
      set occurrence_at = $2, run_id = ($4::uuid[])[array_position($3::uuid[], r.contact_id)], updated_at = $5
    where r.campaign_id = $1 and r.contact_id = any ($3::uuid[]) and r.tenant_id = $tenant`,
);
const versionVariables = statement<[versionId: string], { variables: Variable[] }>(
  'campaigns.version_variables',
  `select definition -> 'variables' as variables from automation_versions where id = $1 and tenant_id = $tenant`,
);
const findOpen = statement<[campaignId: string], { contact_id: string }>(
  'recipients.find_open',
  // Runs are started in the order of contacts: an open one is found faster from the end.
  `select r.contact_id from ${RECIPIENTS}
    where r.campaign_id = $1 and r.tenant_id = $tenant and ${RECIPIENT_STATUS} = 'queued' order by r.contact_id desc limit 1`,
);

const ALL_GATHERED = 'infinity';

/** Adds the next contacts of the audience as recipients. Returns false if there are no more. */
export async function gatherRecipients(tx: TenantTx, campaign: DueCampaign): Promise<boolean> {
  const { id, audience, gathered_at, gathered_id, began_at, occurrence_at } = campaign;
  if (audience === null || gathered_at === ALL_GATHERED) return false;
  const after =
    gathered_at === null || gathered_id === null
      ? AUDIENCE_START
      : { createdAt: gathered_at, id: gathered_id };
  const since = began_at ?? tx.now;
  const fixed = await fixAudience(tx, audience, campaign.segment_filters);
  const { contactIds, next } = await gatherAudience(tx, fixed, after, since);
  await tx.run(insertGathered, [id, contactIds, occurrence_at as Date, tx.now]);
  // Afterwards: the statement before waited for contacts that were being merged.
  if (next === null)
    await tx.run(insertGathered, [id, await gatherMerged(tx, fixed, since), occurrence_at as Date, tx.now]);
  await tx.run(noteGathered, [id, next?.createdAt ?? ALL_GATHERED, next?.id ?? null, fixed.segmentFilters]);
  return true;
}

/**
 * Starts the runs of the next recipients without a run, that of a test in its chat. Returns how many it started, or undefined if
 * the version of the automation was deleted.
 */
export async function startRecipients(
  tx: TenantTx,
  campaign: DueCampaign,
  chatId: string | null = null,
): Promise<number | undefined> {
  const occurrenceAt = campaign.occurrence_at as Date;
  const versionId = campaign.version_id as string;
  const picked = await tx.all(pickWithoutRun, [campaign.id, occurrenceAt]);
  if (picked.length === 0) return 0;
  const version = await tx.find(versionVariables, [versionId]);
  if (!version) return undefined;
  const variables = readVariables(version.variables, campaign.variables ?? []);
  const runs = await startMany(
    tx,
    {
      automationId: campaign.automation_id as string,
      versionId,
      campaignId: campaign.id,
      occurrenceAt,
      variables,
      templateId: campaign.message_template_id,
      templateHeader: campaign.template_header,
      chatId,
      error: null,
    },
    picked.map(({ contact_id }) => contact_id),
  );
  await tx.run(noteRuns, [
    campaign.id,
    occurrenceAt,
    runs.map(({ contact_id }) => contact_id),
    runs.map(({ id }) => id),
    tx.now,
  ]);
  return picked.length;
}

/** Whether a recipient of the occurrence is still queued. */
export const hasOpenRecipients = async (tx: TenantTx, campaignId: string): Promise<boolean> =>
  (await tx.find(findOpen, [campaignId])) !== undefined;
