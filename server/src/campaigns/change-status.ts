import type { SaveDeps } from '../automations/automation.ts';
import { cancelRunsOfCampaign, holdRuns, releaseRuns } from '../automations/runs/hold.ts';
import { ApiError } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { cancelMessages, holdMessages, releaseMessages } from '../messages/outbound/hold.ts';
import { announceCampaign } from './announce-progress.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow, presentCampaign, requireCampaign } from './campaign.ts';
import { holdUsed } from './hold-used.ts';
import { publishMessage } from './message.ts';
import { campaignsQueue } from './queues.ts';
import type {
  CampaignMessage,
  CampaignStatus,
  CampaignStatusChange,
  CampaignWithCounts,
  requestableStatuses,
} from './schema.ts';

export const lockCampaign = statement<
  [id: string],
  CampaignRow & { occurrence_at: Date | null; has_recipients: boolean }
>(
  'campaigns.lock',
  `select ${CAMPAIGN_COLUMNS}, c.occurrence_at,
          exists (select 1 from visible_recipients r where r.campaign_id = c.id) as has_recipients
     from visible_campaigns c where c.id = $1 and c.tenant_id = $tenant for no key update of c`,
);
const updateStatus = statement<
  [
    id: string,
    status: CampaignStatus,
    dueAt: Date | null,
    startedAt: Date | null,
    nextAt: Date | null,
    now: Date,
    automationId: string | null,
  ],
  CampaignRow
>(
  'campaigns.update_status',
  `update visible_campaigns c set status = $2, due_at = $3, started_at = $4, next_at = $5, updated_at = $6, attempts = 0,
          automation_id = $7
    where c.id = $1 and c.tenant_id = $tenant returning ${CAMPAIGN_COLUMNS}`,
);

type RequestedStatus = (typeof requestableStatuses)[number];

/** What a request for a status does, by the present status. Other combinations are a conflict. */
const actions: Record<
  RequestedStatus,
  Partial<Record<CampaignStatus, 'stay' | 'go' | 'pause' | 'cancel'>>
> = {
  running: { draft: 'go', paused: 'go', scheduled: 'stay', running: 'stay' },
  paused: { scheduled: 'pause', running: 'pause', paused: 'stay' },
  cancelled: { draft: 'cancel', scheduled: 'cancel', running: 'cancel', paused: 'cancel', cancelled: 'stay' },
};

export interface CampaignState {
  status: CampaignStatus;
  dueAt: Date | null;
  startedAt: Date | null;
  /** The time of the next occurrence; null while one is running. */
  nextAt: Date | null;
}

/** The state of a campaign that starts or resumes: scheduled if its time is in the future, otherwise running. */
export function stateAfterStart(
  {
    nextAt,
    startedAt,
    isOccurrenceRunning,
  }: { nextAt: Date | null; startedAt: Date | null; isOccurrenceRunning: boolean },
  now: Date,
): CampaignState {
  if (nextAt !== null && nextAt > now) return { status: 'scheduled', dueAt: nextAt, startedAt, nextAt };
  const next = isOccurrenceRunning ? null : (nextAt ?? now);
  return { status: 'running', dueAt: now, startedAt: startedAt ?? now, nextAt: next };
}

/** Publishes a campaign's change of status. */
export const publishStatus = (
  tx: TenantTx,
  type: Extract<EventType, `campaign.${string}`>,
  row: CampaignRow,
): void =>
  tx.publish({
    type,
    channelId: row.channel_id,
    contactId: null,
    chatId: null,
    data: presentCampaign(row),
    facts: { campaignId: row.id },
  });

/** Makes the automation of a draft's message, which must be complete now. */
const publishMessageOf = (tx: TenantTx, row: CampaignRow, deps: SaveDeps): Promise<string> =>
  publishMessage(
    tx,
    {
      name: row.name,
      channelId: row.channel_id,
      purpose: row.purpose,
      message: row.message as CampaignMessage,
    },
    row.automation_id,
    deps,
  );

/**
 * What an action does to the runs and messages of a campaign that are not finished. Runs first: a worker that executes one has
 * queued its message before the run can be locked.
 */
const changesOfUnfinished = {
  go: [releaseRuns, releaseMessages],
  pause: [holdRuns, holdMessages],
  cancel: [cancelRunsOfCampaign, cancelMessages],
} as const;

/**
 * Starts, resumes, pauses or cancels a campaign, with its runs and its queued messages. Setting the status that it
 * already has is not an error and publishes nothing.
 */
export async function changeCampaignStatus(
  tx: TenantTx,
  campaignId: string,
  { status: requested, baseUpdatedAt }: CampaignStatusChange,
  deps: SaveDeps,
): Promise<CampaignWithCounts> {
  const row = isUuid(campaignId) ? await tx.find(lockCampaign, [campaignId]) : undefined;
  if (!row) throw new ApiError('campaign_not_found');
  const action = actions[requested][row.status];
  if (action === undefined)
    throw new ApiError('conflict', { detail: `a campaign that is ${row.status} cannot become ${requested}` });
  if (action !== 'stay') {
    if (baseUpdatedAt !== undefined && Date.parse(baseUpdatedAt) !== row.updated_at.getTime())
      throw new ApiError('conflict', {
        detail: 'the campaign was changed meanwhile; look at it again before you change its status',
      });
    if (action === 'go' && !row.has_recipients && row.audience === null)
      throw new ApiError('conflict', {
        detail: 'the campaign has no recipients; add some with POST /v3/campaigns/{campaignId}/recipients',
      });
    const { now } = tx;
    const isOccurrenceRunning = row.occurrence_at !== null && row.next_at === null;
    const { status, dueAt, startedAt, nextAt }: CampaignState =
      action === 'go'
        ? stateAfterStart({ nextAt: row.next_at, startedAt: row.started_at, isOccurrenceRunning }, now)
        : { status: requested, dueAt: null, startedAt: row.started_at, nextAt: row.next_at };
    if (action === 'go')
      await holdUsed(tx, {
        automationId: row.automation_id,
        messageTemplateId: row.message_template_id,
        templateHeader: row.template_header,
        audience: row.audience,
      });
    const isPublished = action === 'go' && row.status === 'draft' && row.message !== null;
    const automationId = isPublished ? await publishMessageOf(tx, row, deps) : row.automation_id;
    const changed = (await tx.find(updateStatus, [
      row.id,
      status,
      dueAt,
      startedAt,
      nextAt,
      now,
      automationId,
    ])) as CampaignRow;
    for (const change of changesOfUnfinished[action]) await change(tx, row.id);
    if (action === 'go') tx.wake(campaignsQueue, tx.tenantId);
    announceCampaign(tx, row);
    if (startedAt !== null && row.started_at === null) publishStatus(tx, 'campaign.started', changed);
  }
  return requireCampaign(tx, row.id);
}
