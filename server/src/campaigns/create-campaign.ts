import { findAutomation, type SaveDeps } from '../automations/automation.ts';
import type { Automation } from '../automations/schema.ts';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { findHeldChannel } from '../channels/channel.ts';
import type { Channel } from '../channels/schema.ts';
import type { Purpose } from '../contacts/consent/schema.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { shardOf } from '../engine/queue.ts';
import type { TemplateFile } from '../messages/content-schema.ts';
import { announceCampaign } from './announce-progress.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign.ts';
import { type CampaignState, publishStatus, stateAfterStart } from './change-status.ts';
import { holdUsed } from './hold-used.ts';
import { publishMessage } from './message.ts';
import { campaignsQueue } from './queues.ts';
import { storeRecipients, validateRecipients } from './recipients.ts';
import type { CampaignMessage, CampaignStatus, NewCampaign } from './schema.ts';
import { requireActive, validateCampaign } from './validate-campaign.ts';

const insertCampaign = statement<
  [
    id: string,
    channelId: string,
    automationId: string | null,
    templateId: string | null,
    name: string,
    status: CampaignStatus,
    scheduledAt: Date | null,
    rules: string | null,
    isReoccurring: boolean,
    variables: string | null,
    audience: string | null,
    startedAt: Date | null,
    nextAt: Date | null,
    shard: number,
    dueAt: Date | null,
    now: Date,
    purpose: Purpose,
    templateHeader: TemplateFile | null,
    timezone: string,
    segmentId: string | null,
    isTest: boolean,
    message: CampaignMessage | null,
    closeChats: boolean,
  ],
  CampaignRow
>(
  'campaigns.insert',
  `insert into campaigns as c (id, tenant_id, channel_id, automation_id, message_template_id, name, status, scheduled_at,
                               recurrence_rules, is_reoccurring, variables, audience, started_at, next_at, shard,
                               due_at, created_at, updated_at, purpose,
                               template_header, timezone, segment_id, is_test, message, close_chats)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16, $17, $18, $19, $20, $21, $22, $23)
   returning ${CAMPAIGN_COLUMNS}`,
);

interface CreateOptions extends SaveDeps {
  isTest?: boolean;
  /** Whether the message must be complete, although the campaign is a draft. */
  isComplete?: boolean;
  /** Adds issues of its own, beside those of the campaign. */
  validateMore?: (channel: Channel, automation: Automation | undefined, issues: Issues) => Promise<void>;
}

/**
 * Creates a campaign with its recipients. Without recipients and audience it is a draft, otherwise it starts at its
 * scheduled time, or now.
 */
export async function createCampaign(
  tx: TenantTx,
  input: NewCampaign,
  { canRead, policy, isTest = false, isComplete = false, validateMore }: CreateOptions,
): Promise<CampaignRow> {
  const { now } = tx;
  const { contacts = [], variables, recurrenceRules } = input;
  const channel = await findHeldChannel(tx, input.channelId);
  await holdUsed(tx, input);
  const automation = await findAutomation(tx, input.automationId ?? '');
  const issues = collectIssues();
  const audience = await validateCampaign(tx, input, { channel, automation, canRead }, issues);
  if (channel) await validateMore?.(channel, automation, issues);
  if (!channel || !issues.isEmpty) {
    await validateRecipients(tx, contacts, channel?.kind ?? 'whatsapp', issues);
    throw new ApiError('invalid_body_params', { invalidParams: issues.params });
  }
  if (input.message === undefined) requireActive(automation);

  const id = newId();
  const scheduledAt = input.scheduledAt === undefined ? null : new Date(input.scheduledAt);
  const isDraft = contacts.length === 0 && audience === null;
  const state: CampaignState = isDraft
    ? { status: 'draft', dueAt: null, startedAt: null, nextAt: scheduledAt }
    : stateAfterStart({ nextAt: scheduledAt, startedAt: null, isOccurrenceRunning: false }, now);
  const { message } = input;
  const isPublished = message !== undefined && (isComplete || !isDraft);
  const automationId = isPublished
    ? await publishMessage(
        tx,
        { name: input.name, channelId: channel.id, purpose: input.purpose ?? 'marketing', message },
        null,
        { canRead, policy },
      )
    : (automation?.id ?? null);
  const row = (await tx.find(insertCampaign, [
    id,
    channel.id,
    automationId,
    input.messageTemplateId ?? null,
    input.name,
    state.status,
    scheduledAt,
    recurrenceRules === undefined ? null : JSON.stringify(recurrenceRules),
    (recurrenceRules ?? []).length > 0,
    variables === undefined ? null : JSON.stringify(variables.map(({ name, value }) => ({ name, value }))),
    audience,
    state.startedAt,
    state.nextAt,
    shardOf(tx.tenantId, tx.tenantId),
    state.dueAt,
    now,
    input.purpose ?? 'marketing',
    input.templateHeader ?? null,
    input.timezone ?? 'UTC',
    input.segmentId ?? null,
    isTest,
    message ?? null,
    input.closeChats ?? false,
  ])) as CampaignRow;
  await storeRecipients(tx, id, contacts, channel.kind);
  announceCampaign(tx, row);
  if (state.startedAt !== null) {
    publishStatus(tx, 'campaign.started', row);
    tx.wake(campaignsQueue, tx.tenantId);
  }
  return row;
}
