import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/publish.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow, presentCampaign, requireCampaign } from './campaign.ts';
import type { askedStatuses, CampaignStatus, CampaignWithCounts } from './schema.ts';

const lockCampaign = statement<[id: string, tenantId: string], CampaignRow & { has_recipients: boolean }>(
  'campaigns.lock',
  `select ${CAMPAIGN_COLUMNS}, exists (select 1 from recipients r where r.campaign_id = c.id) as has_recipients
     from campaigns c where c.id = $1 and c.tenant_id = $2 for update of c`,
);
const updateStatus = statement<
  [
    id: string,
    tenantId: string,
    status: CampaignStatus,
    dueAt: Date | null,
    startedAt: Date | null,
    now: Date,
  ],
  CampaignRow
>(
  'campaigns.update_status',
  `update campaigns c set status = $3, due_at = $4, started_at = $5, updated_at = $6
    where c.id = $1 and c.tenant_id = $2 returning ${CAMPAIGN_COLUMNS}`,
);

type Asked = (typeof askedStatuses)[number];

/** What each request does to a campaign of each status; what is not listed, its state forbids. */
const answers: Record<Asked, Partial<Record<CampaignStatus, 'stay' | 'go' | 'pause' | 'cancel'>>> = {
  running: { draft: 'go', paused: 'go', scheduled: 'stay', running: 'stay' },
  paused: { scheduled: 'pause', running: 'pause', paused: 'stay' },
  cancelled: { draft: 'cancel', scheduled: 'cancel', running: 'cancel', paused: 'cancel', cancelled: 'stay' },
};

export interface Course {
  status: CampaignStatus;
  dueAt: Date | null;
  startedAt: Date | null;
}

/** How a campaign goes on that nothing holds back: at its time, or now. */
export const goAhead = (
  { scheduledAt, startedAt }: { scheduledAt: Date | null; startedAt: Date | null },
  now: Date,
): Course =>
  scheduledAt !== null && scheduledAt > now
    ? { status: 'scheduled', dueAt: scheduledAt, startedAt }
    : { status: 'running', dueAt: now, startedAt: startedAt ?? now };

export interface StatusNeeds {
  clock: Clock;
  publisher: Publisher;
}

/** Tells that a campaign has begun. */
export const tellOfStart = (
  tx: Tx,
  tenantId: string,
  row: CampaignRow,
  { publisher }: StatusNeeds,
): Promise<void> =>
  publisher.publish(tx, tenantId, [
    {
      type: 'campaign.started',
      channelId: row.channel_id,
      contactId: null,
      chatId: null,
      data: presentCampaign(row),
    },
  ]);

/** Lets a campaign begin or go on as planned, holds it back, or ends it. What it is already is no error and no event. */
export async function changeCampaignStatus(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  asked: Asked,
  needs: StatusNeeds,
): Promise<CampaignWithCounts> {
  const row = isUuid(campaignId) ? await tx.find(lockCampaign, [campaignId, tenantId]) : undefined;
  if (!row) throw new ApiError('campaign_not_found');
  const answer = answers[asked][row.status];
  if (answer === undefined)
    throw new ApiError('conflict', { detail: `a campaign that is ${row.status} cannot become ${asked}` });
  if (answer !== 'stay') {
    if (answer === 'go' && !row.has_recipients && row.audience === null)
      throw new ApiError('conflict', {
        detail: 'the campaign has no recipients; add some with POST /v3/campaigns/{campaignId}/recipients',
      });
    const now = needs.clock.now();
    const { status, dueAt, startedAt }: Course =
      answer === 'go'
        ? goAhead({ scheduledAt: row.scheduled_at, startedAt: row.started_at }, now)
        : { status: asked, dueAt: null, startedAt: row.started_at };
    const changed = await tx.find(updateStatus, [row.id, tenantId, status, dueAt, startedAt, now]);
    if (startedAt !== null && row.started_at === null)
      await tellOfStart(tx, tenantId, changed as CampaignRow, needs);
  }
  return requireCampaign(tx, tenantId, row.id);
}
