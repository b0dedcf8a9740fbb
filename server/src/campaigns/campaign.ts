import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantReader } from '../db/tenant.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { RECIPIENT_STATUS, RECIPIENTS } from './recipient-status.ts';
import { type Campaign, type CampaignWithCounts, campaignStatuses, recipientStatuses } from './schema.ts';

export interface CampaignRow {
  id: string;
  channel_id: string;
  /** Null for a draft with a message: its automation is created when it starts. */
  automation_id: string | null;
  message: Campaign['message'];
  message_template_id: string | null;
  template_header: Campaign['templateHeader'];
  purpose: Campaign['purpose'];
  close_chats: boolean;
  name: string;
  status: Campaign['status'];
  scheduled_at: Date | null;
  is_reoccurring: boolean;
  recurrence_rules: string[] | null;
  timezone: string;
  variables: Campaign['variables'] | null;
  audience: string | null;
  segment_id: string | null;
  is_test: boolean;
  started_at: Date | null;
  next_at: Date | null;
  error: Campaign['error'];
  created_at: Date;
  updated_at: Date;
}

export const CAMPAIGN_COLUMNS = `c.id, c.channel_id, c.automation_id, c.message, c.message_template_id, c.template_header, c.purpose, c.close_chats, c.name, c.status, c.scheduled_at,
  c.is_reoccurring, c.recurrence_rules, c.timezone, c.variables, c.audience, c.segment_id, c.is_test, c.started_at, c.next_at, c.error, c.created_at,
  c.updated_at`;

/** SQL: which runs and messages of campaign c wait for the end of quiet hours, and when the first of them goes on. */
const WAITING = `(select json_build_object('recipients', count(*), 'until', min(w.at)) from (
    select coalesce(a.due_at, a.held_due_at) as at from visible_automation_runs a
     where a.tenant_id = c.tenant_id and a.campaign_id = c.id and a.waits_for = 'quiet' and a.status = 'waiting'
    union all
    select m.scheduled_at from visible_messages m
     where m.campaign_id = c.id and m.status = 'queued' and m.scheduled_at is not null) w
   where w.at > '-infinity' having count(*) > 0)`;

interface WithCounts extends CampaignRow {
  counts: CampaignWithCounts['recipientCounts'];
  waiting: { recipients: number; until: string } | null;
}

const withCounts = statement<[id: string], WithCounts>(
  'campaigns.with_counts',
  `select ${CAMPAIGN_COLUMNS}, n.counts, ${WAITING} as waiting from visible_campaigns c cross join lateral (
     select json_build_object(${recipientStatuses
       .map((status) => `'${status}', count(*) filter (where r.status = '${status}')`)
       .join(', ')}) as counts
       from (select ${RECIPIENT_STATUS} as status from ${RECIPIENTS} where r.campaign_id = c.id) r) n
    where c.id = $1 and c.tenant_id = $tenant`,
);
const campaignExists = statement<[id: string], { id: string }>(
  'campaigns.exists',
  'select id from visible_campaigns where id = $1 and tenant_id = $tenant',
);
const listOfChannel = statement<[channelId: string], CampaignRow>(
  'campaigns.of_channel',
  `select ${CAMPAIGN_COLUMNS} from visible_campaigns c
    where c.channel_id = $1 and c.tenant_id = $tenant and c.automation_id is not null order by c.created_at, c.id`,
);

export const presentCampaign = (row: CampaignRow): Campaign => ({
  id: row.id,
  channelId: row.channel_id,
  name: row.name,
  status: row.status,
  automationId: row.automation_id,
  message: row.message,
  messageTemplateId: row.message_template_id,
  templateHeader: row.template_header,
  purpose: row.purpose,
  closeChats: row.close_chats,
  isScheduled: row.scheduled_at !== null,
  scheduledAt: timestampOrNull(row.scheduled_at),
  isReoccurring: row.is_reoccurring,
  recurrenceRules: row.recurrence_rules ?? [],
  timezone: row.timezone,
  variables: row.variables ?? [],
  audience: row.audience,
  segmentId: row.segment_id,
  isTest: row.is_test,
  startedAt: timestampOrNull(row.started_at),
  nextOccurrenceAt: ['scheduled', 'paused'].includes(row.status) ? timestampOrNull(row.next_at) : null,
  error: row.error,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** The campaign with the number of recipients in each status; undefined if there is none. */
export async function withCampaignCounts(
  db: TenantReader,
  campaignId: string,
): Promise<CampaignWithCounts | undefined> {
  const row = isUuid(campaignId) ? await db.find(withCounts, [campaignId]) : undefined;
  if (!row) return undefined;
  const { counts, waiting } = row;
  return {
    ...presentCampaign(row),
    recipientCounts: counts,
    waiting: waiting && {
      reason: 'quiet_hours',
      recipients: waiting.recipients,
      until: timestamp(waiting.until),
    },
  };
}

export async function requireCampaign(db: TenantReader, campaignId: string): Promise<CampaignWithCounts> {
  const campaign = await withCampaignCounts(db, campaignId);
  if (!campaign) throw new ApiError('campaign_not_found');
  return campaign;
}

/** The id of an existing campaign as stored. */
export async function requireCampaignId(db: TenantReader, campaignId: string): Promise<string> {
  const row = isUuid(campaignId) ? await db.find(campaignExists, [campaignId]) : undefined;
  if (!row) throw new ApiError('campaign_not_found');
  return row.id;
}

/** The campaigns of a channel that have an automation, the oldest first. */
export const campaignsOfChannel = (db: TenantQueryable, channelId: string): Promise<CampaignRow[]> =>
  db.all(listOfChannel, [channelId]);

export const campaignFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'c.id' },
    name: { type: 'string', sql: 'c.name' },
    status: { type: 'enum', sql: 'c.status', values: campaignStatuses },
    channelId: { type: 'uuid', sql: 'c.channel_id' },
    automationId: { type: 'uuid', sql: 'c.automation_id', nullable: true },
    segmentId: { type: 'uuid', sql: 'c.segment_id', nullable: true },
    isTest: { type: 'boolean', sql: 'c.is_test' },
    scheduledAt: { type: 'time', sql: 'c.scheduled_at', nullable: true },
    createdAt: { type: 'time', sql: 'c.created_at' },
    updatedAt: { type: 'time', sql: 'c.updated_at' },
  },
  names: ['c.name'],
  id: 'c.id',
};

export const campaignSource: SearchSource = {
  select: CAMPAIGN_COLUMNS,
  from: 'visible_campaigns c',
  inChannels: (ids) => `c.channel_id = any (${ids})`,
  tenantColumn: 'c.tenant_id',
};
