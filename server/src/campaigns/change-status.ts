import { cancelRunsOfCampaign, holdRuns, releaseRuns } from '../automations/runs/hold.ts';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { EventType } from '../engine/event-types.ts';
import type { Publisher } from '../engine/outbox.ts';
import { shardOf } from '../engine/queue.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { cancelMessages, holdMessages, releaseMessages } from '../messages/outbound/hold.ts';
import {
  CAMPAIGN_COLUMNS,
  CAMPAIGNS_LIST,
  type CampaignRow,
  presentCampaign,
  requireCampaign,
} from './campaign.ts';
import type { askedStatuses, CampaignStatus, CampaignWithCounts } from './schema.ts';

const lockCampaign = statement<
  [id: string, tenantId: string],
  CampaignRow & { occurrence_at: Date | null; has_recipients: boolean }
>(
  'campaigns.lock',
  `select ${CAMPAIGN_COLUMNS}, c.occurrence_at, exists (select 1 from recipients r where r.campaign_id = c.id) as has_recipients
     from campaigns c where c.id = $1 and c.tenant_id = $2 for update of c`,
);
const updateStatus = statement<
  [
    id: string,
    tenantId: string,
    status: CampaignStatus,
    dueAt: Date | null,
    startedAt: Date | null,
    nextAt: Date | null,
    now: Date,
  ],
  CampaignRow
>(
  'campaigns.update_status',
  `update campaigns c set status = $3, due_at = $4, started_at = $5, next_at = $6, updated_at = $7, attempts = 0
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
  /** When the next occurrence is to be; null while one is under way. */
  nextAt: Date | null;
}

/** How a campaign goes on that nothing holds back: at its time, or now. */
export function goAhead(
  { nextAt, startedAt, isUnderWay }: { nextAt: Date | null; startedAt: Date | null; isUnderWay: boolean },
  now: Date,
): Course {
  if (nextAt !== null && nextAt > now) return { status: 'scheduled', dueAt: nextAt, startedAt, nextAt };
  const next = isUnderWay ? null : (nextAt ?? now);
  return { status: 'running', dueAt: now, startedAt: startedAt ?? now, nextAt: next };
}

export interface StatusDeps {
  clock: Clock;
  publisher: Publisher;
  wakeUps: WakeUps;
}

/** Tells what has become of a campaign. */
export const publishStatus = (
  tx: Tx,
  tenantId: string,
  type: Extract<EventType, `campaign.${string}`>,
  row: CampaignRow,
  { publisher }: Pick<StatusDeps, 'publisher'>,
): Promise<void> =>
  publisher.publish(tx, tenantId, [
    { type, channelId: row.channel_id, contactId: null, chatId: null, data: presentCampaign(row) },
  ]);

/** What the change means for runs and messages of the campaign that are not through. */
async function applyToRuns(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  answer: 'go' | 'pause' | 'cancel',
  { publisher, wakeUps }: StatusDeps,
  now: Date,
): Promise<void> {
  // Runs first: whoever is in the middle of one has queued its message when the run can be had.
  if (answer === 'pause') {
    await holdRuns(tx, tenantId, campaignId);
    await holdMessages(tx, tenantId, campaignId);
  } else if (answer === 'cancel') {
    await cancelRunsOfCampaign(tx, tenantId, campaignId, now);
    await cancelMessages(tx, tenantId, campaignId, now, publisher);
  } else {
    await releaseRuns(tx, tenantId, campaignId, wakeUps);
    await releaseMessages(tx, tenantId, campaignId);
    tx.afterCommit(() => wakeUps.give(CAMPAIGNS_LIST, shardOf(tenantId, tenantId), tenantId));
  }
}

/** Lets a campaign begin or go on as planned, holds it back, or ends it, with its runs and with its messages that wait to be sent. What it is already is no error and no event. */
export async function changeCampaignStatus(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  asked: Asked,
  deps: StatusDeps,
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
    const now = deps.clock.now(tenantId);
    const isUnderWay = row.occurrence_at !== null && row.next_at === null;
    const { status, dueAt, startedAt, nextAt }: Course =
      answer === 'go'
        ? goAhead({ nextAt: row.next_at, startedAt: row.started_at, isUnderWay }, now)
        : { status: asked, dueAt: null, startedAt: row.started_at, nextAt: row.next_at };
    const changed = (await tx.find(updateStatus, [
      row.id,
      tenantId,
      status,
      dueAt,
      startedAt,
      nextAt,
      now,
    ])) as CampaignRow;
    await applyToRuns(tx, tenantId, row.id, answer, deps, now);
    if (startedAt !== null && row.started_at === null)
      await publishStatus(tx, tenantId, 'campaign.started', changed, deps);
  }
  return requireCampaign(tx, tenantId, row.id);
}
