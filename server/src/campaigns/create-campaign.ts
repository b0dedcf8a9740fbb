import { findAutomation } from '../automations/automation.ts';
import type { Automation } from '../automations/schema.ts';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { findHeldChannel } from '../channels/channel.ts';
import type { Channel } from '../channels/schema.ts';
import type { Purpose } from '../contacts/consent/schema.ts';
import { searchableContacts } from '../contacts/search.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { shardOf } from '../engine/queue.ts';
import { type CanRead, lacksScope } from '../http/permissions.ts';
import type { TemplateFile } from '../messages/schema.ts';
import { parseRowFilter } from '../search/grammar/filter.ts';
import { ExpressionError } from '../search/grammar/tokens.ts';
import { findTemplate } from '../templates/template.ts';
import { findPartIssues } from '../templates/template-parts.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign.ts';
import { type CampaignState, publishStatus, stateAfterStart } from './change-status.ts';
import { campaignsQueue } from './queues.ts';
import { storeRecipients, validateRecipients } from './recipients.ts';
import { validateTimes } from './schedule.ts';
import type { CampaignStatus, NewCampaign } from './schema.ts';
import { validateVariables } from './variables.ts';

const insertCampaign = statement<
  [
    id: string,
    channelId: string,
    automationId: string,
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
  ],
  CampaignRow
>(
  'campaigns.insert',
  `insert into campaigns as c (id, tenant_id, channel_id, automation_id, message_template_id, name, status, scheduled_at,
                               recurrence_rules, is_reoccurring, variables, audience, started_at, next_at, shard,
                               due_at, created_at, updated_at, purpose,
                               template_header, timezone)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16, $17, $18, $19)
   returning ${CAMPAIGN_COLUMNS}`,
);

async function validateTemplate(
  tx: TenantTx,
  { messageTemplateId, templateHeader: header, channelId }: NewCampaign,
  issues: Issues,
): Promise<void> {
  if (messageTemplateId === undefined) {
    if (header) issues.add('templateHeader', 'custom', 'Needs `messageTemplateId`');
    return;
  }
  const template = await findTemplate(tx, messageTemplateId);
  if (template?.channelId !== channelId.toLowerCase()) {
    issues.add('messageTemplateId', 'custom', `The channel has no template ${messageTemplateId}`);
    return;
  }
  for (const { path, key, message } of findPartIssues(template, { header })) {
    if (path === 'header') issues.add('templateHeader', key, message);
    else
      issues.add(
        'messageTemplateId',
        'custom',
        `The template "${template.name}" needs \`${path}\`, which only a step of an automation can give`,
      );
  }
  if (
    header &&
    [header.fileId, header.url, header.location].filter((part) => part !== undefined).length !== 1
  )
    issues.add('templateHeader', 'custom', 'Exactly one of `fileId`, `url` and `location` is required');
}

async function validateAudience(
  tx: TenantTx,
  audience: string | undefined,
  canRead: CanRead,
  issues: Issues,
): Promise<void> {
  if (audience === undefined) return;
  // The results show who matches.
  if (!canRead('contacts:read')) issues.add('audience', 'custom', lacksScope('contacts:read'));
  try {
    parseRowFilter(audience, await searchableContacts(tx), tx.now);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    issues.add('audience', 'invalid_string', error.message);
  }
}

interface CreateOptions {
  canRead: CanRead;
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
  { canRead, validateMore }: CreateOptions,
): Promise<CampaignRow> {
  const { now } = tx;
  const { contacts = [], variables, recurrenceRules } = input;
  const channel = await findHeldChannel(tx, input.channelId);
  const automation = await findAutomation(tx, input.automationId);
  const issues = collectIssues();
  if (!channel) issues.add('channelId', 'custom', `There is no channel ${input.channelId}`);
  if (automation) validateVariables(automation.activeVersion?.variables ?? [], variables ?? [], issues);
  else issues.add('automationId', 'custom', `There is no automation ${input.automationId}`);
  await validateTemplate(tx, input, issues);
  validateTimes(input, now, issues);
  await validateAudience(tx, input.audience, canRead, issues);
  if (channel) await validateMore?.(channel, automation, issues);
  if (!channel || !issues.isEmpty) {
    await validateRecipients(tx, contacts, channel?.kind ?? 'whatsapp', issues);
    throw new ApiError('invalid_body_params', { invalidParams: issues.params });
  }
  if (automation?.status !== 'active')
    throw new ApiError('conflict', {
      detail: `the automation is ${automation?.status}, and must be active`,
    });

  const id = newId();
  const scheduledAt = input.scheduledAt === undefined ? null : new Date(input.scheduledAt);
  const isDraft = contacts.length === 0 && input.audience === undefined;
  const state: CampaignState = isDraft
    ? { status: 'draft', dueAt: null, startedAt: null, nextAt: scheduledAt }
    : stateAfterStart({ nextAt: scheduledAt, startedAt: null, isOccurrenceRunning: false }, now);
  const row = (await tx.find(insertCampaign, [
    id,
    channel.id,
    input.automationId,
    input.messageTemplateId ?? null,
    input.name,
    state.status,
    scheduledAt,
    recurrenceRules === undefined ? null : JSON.stringify(recurrenceRules),
    (recurrenceRules ?? []).length > 0,
    variables === undefined ? null : JSON.stringify(variables.map(({ name, value }) => ({ name, value }))),
    input.audience ?? null,
    state.startedAt,
    state.nextAt,
    shardOf(tx.tenantId, tx.tenantId),
    state.dueAt,
    now,
    input.purpose ?? 'marketing',
    input.templateHeader ?? null,
    input.timezone ?? 'UTC',
  ])) as CampaignRow;
  await storeRecipients(tx, id, contacts, channel.kind);
  if (state.startedAt !== null) {
    publishStatus(tx, 'campaign.started', row);
    tx.wake(campaignsQueue, tx.tenantId);
  }
  return row;
}
