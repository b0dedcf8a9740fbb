import { startMany } from '../automations/runs/start-many.ts';
import type { Variable } from '../automations/schema.ts';
import { FIRST_PLACE, gatherAudience } from '../contacts/gather-audience.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import type { DueCampaign } from './begin-occurrence.ts';
import { RECIPIENT_STATUS, RECIPIENTS } from './recipient-status.ts';
import { readVariables } from './variables.ts';

/** How many runs one transaction starts. */
const RUNS = 500;

const insertGathered = statement<
  [campaignId: string, tenantId: string, contactIds: string[], occurrenceAt: Date, now: Date]
>(
  'recipients.gather',
  // Whoever is part of the occurrence already may have a run in it, and keeps that.
  `insert into recipients as r (campaign_id, contact_id, tenant_id, is_given, occurrence_at, created_at, updated_at)
   select $1, n.contact_id, $2, false, $4, $5, $5 from unnest($3::uuid[]) as n (contact_id)
     join contacts c on c.id = n.contact_id order by n.contact_id
   on conflict (campaign_id, contact_id) do update set occurrence_at = $4, run_id = null, updated_at = $5
    where r.occurrence_at < $4`,
);
const noteGathered = statement<[id: string, tenantId: string, at: string, contactId: string | null]>(
  'campaigns.note_gathered',
  'update campaigns set gathered_at = $3::timestamptz, gathered_id = $4 where id = $1 and tenant_id = $2',
);
const pickUnserved = statement<
  [campaignId: string, tenantId: string, occurrenceAt: Date],
  { contact_id: string }
>(
  'recipients.pick_unserved',
  `select contact_id from (
     (select contact_id from recipients
       where campaign_id = $1 and tenant_id = $2 and is_given and occurrence_at < $3
       order by occurrence_at, contact_id limit ${RUNS})
     union all
     (select contact_id from recipients
       where campaign_id = $1 and tenant_id = $2 and occurrence_at = $3 and run_id is null
       order by contact_id limit ${RUNS})) unserved limit ${RUNS}`,
);
const noteRuns = statement<
  [
    campaignId: string,
    tenantId: string,
    occurrenceAt: Date,
    contactIds: string[],
    runIds: string[],
    now: Date,
  ]
>(
  'recipients.note_runs',
  `update recipients r set occurrence_at = $3, run_id = n.run_id, updated_at = $6
     from unnest($4::uuid[], $5::uuid[]) as n (contact_id, run_id)
    where r.campaign_id = $1 and r.contact_id = n.contact_id and r.tenant_id = $2`,
);
const versionVariables = statement<[versionId: string, tenantId: string], { variables: Variable[] }>(
  'campaigns.version_variables',
  `select definition -> 'variables' as variables from automation_versions where id = $1 and tenant_id = $2`,
);
const findOpen = statement<[campaignId: string, tenantId: string], { contact_id: string }>(
  'recipients.find_open',
  // Runs were started in the order of contacts, so what is open is found soon from the other end.
  `select r.contact_id from ${RECIPIENTS}
    where r.campaign_id = $1 and r.tenant_id = $2 and ${RECIPIENT_STATUS} = 'queued' order by r.contact_id desc limit 1`,
);

const END = 'infinity';

/** Makes recipients of whom the audience matches among the next contacts. False when there were none left to look at. */
export async function gatherRecipients(
  tx: Tx,
  tenantId: string,
  campaign: DueCampaign,
  now: Date,
): Promise<boolean> {
  const { id, audience, gathered_at, gathered_id, began_at, occurrence_at } = campaign;
  if (audience === null || gathered_at === END) return false;
  const after =
    gathered_at === null || gathered_id === null ? FIRST_PLACE : { at: gathered_at, id: gathered_id };
  const { contactIds, next } = await gatherAudience(tx, tenantId, audience, after, began_at ?? now);
  await tx.run(insertGathered, [id, tenantId, contactIds, occurrence_at as Date, now]);
  await tx.run(noteGathered, [id, tenantId, next?.at ?? END, next?.id ?? null]);
  return true;
}

/**
 * Starts the runs of the next recipients of the occurrence that have none, and says how many those were; undefined when
 * the version that they would run on is gone.
 */
export async function serveRecipients(
  tx: Tx,
  tenantId: string,
  campaign: DueCampaign,
  { wakeUps, now }: { wakeUps: WakeUps; now: Date },
): Promise<number | undefined> {
  const occurrenceAt = campaign.occurrence_at as Date;
  const versionId = campaign.version_id as string;
  const picked = await tx.all(pickUnserved, [campaign.id, tenantId, occurrenceAt]);
  if (picked.length === 0) return 0;
  const version = await tx.find(versionVariables, [versionId, tenantId]);
  if (!version) return undefined;
  const { variables } = readVariables(version.variables, campaign.variables ?? []);
  const runs = await startMany(
    tx,
    tenantId,
    {
      automationId: campaign.automation_id,
      versionId,
      campaignId: campaign.id,
      occurrenceAt,
      variables,
      templateId: campaign.message_template_id,
      issue: null,
    },
    picked.map(({ contact_id }) => contact_id),
    { wakeUps, now },
  );
  await tx.run(noteRuns, [
    campaign.id,
    tenantId,
    occurrenceAt,
    runs.map(({ contact_id }) => contact_id),
    runs.map(({ id }) => id),
    now,
  ]);
  return picked.length;
}

/** Whether anybody of the occurrence is neither sent to, nor failed, nor skipped. */
export const hasOpenRecipients = async (tx: Tx, tenantId: string, campaignId: string): Promise<boolean> =>
  (await tx.find(findOpen, [campaignId, tenantId])) !== undefined;
