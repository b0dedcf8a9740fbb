import { findAutomation } from '../automations/automation.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { findHeldChannel, unknownChannelIssue } from '../channels/channel.ts';
import { searchableContacts } from '../contacts/search.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { shardOf } from '../engine/queue.ts';
import { parseFilter } from '../search/grammar.ts';
import { ExpressionError } from '../search/tokens.ts';
import { findTemplate } from '../templates/template.ts';
import { CAMPAIGN_COLUMNS, CAMPAIGNS_LIST, type CampaignRow } from './campaign.ts';
import { type Course, goAhead, publishStatus, type StatusDeps } from './change-status.ts';
import { storeRecipients, validateRecipients } from './recipients.ts';
import { validateTimes } from './schedule.ts';
import type { CampaignStatus, NewCampaign } from './schema.ts';
import { validateVariables } from './variables.ts';

const insertCampaign = statement<
  [
    id: string,
    tenantId: string,
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
  ],
  CampaignRow
>(
  'campaigns.insert',
  `insert into campaigns as c (id, tenant_id, channel_id, automation_id, message_template_id, name, status, scheduled_at,
                               recurrence_rules, is_reoccurring, variables, audience, started_at, next_at, shard,
                               due_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)
   returning ${CAMPAIGN_COLUMNS}`,
);

/** What is wrong with the template that is to take the place of the automation's own. */
async function validateTemplate(
  tx: Tx,
  tenantId: string,
  { messageTemplateId, channelId }: NewCampaign,
): Promise<InvalidParams> {
  if (messageTemplateId === undefined) return {};
  const template = await findTemplate(tx, tenantId, messageTemplateId);
  if (template?.channelId === channelId.toLowerCase()) return {};
  const message = `The channel has no template ${messageTemplateId}`;
  return { messageTemplateId: { key: 'custom', message } };
}

async function validateAudience(
  tx: Tx,
  tenantId: string,
  audience: string | undefined,
): Promise<InvalidParams> {
  if (audience === undefined) return {};
  try {
    parseFilter(audience, await searchableContacts(tx, tenantId));
    return {};
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { audience: { key: 'invalid_string', message: error.message } };
  }
}

/**
 * Makes a campaign with its recipients, all or nothing. Without any, and without an audience, it is a draft; with some
 * it starts at its time, or now.
 */
export async function createCampaign(
  tx: Tx,
  tenantId: string,
  input: NewCampaign,
  deps: StatusDeps,
): Promise<CampaignRow> {
  const now = deps.clock.now(tenantId);
  const { contacts = [], variables, recurrenceRules } = input;
  const channel = await findHeldChannel(tx, tenantId, input.channelId);
  const automation = await findAutomation(tx, tenantId, input.automationId);
  const issues: InvalidParams = {
    ...(channel ? {} : unknownChannelIssue(input.channelId)),
    ...(automation
      ? validateVariables(automation.activeVersion?.variables ?? [], variables ?? [])
      : { automationId: { key: 'custom', message: `There is no automation ${input.automationId}` } }),
    ...(await validateTemplate(tx, tenantId, input)),
    ...validateTimes(input, now),
    ...(await validateAudience(tx, tenantId, input.audience)),
  };
  if (!channel || Object.keys(issues).length > 0) {
    const more = await validateRecipients(tx, tenantId, contacts, channel?.kind ?? 'whatsapp');
    throw new ApiError('invalid_body_params', { invalidParams: { ...issues, ...more } });
  }
  if (automation?.status !== 'active')
    throw new ApiError('conflict', {
      detail: `the automation is ${automation?.status}, and only an active one runs`,
    });

  const id = newId();
  const scheduledAt = input.scheduledAt === undefined ? null : new Date(input.scheduledAt);
  const isDraft = contacts.length === 0 && input.audience === undefined;
  const course: Course = isDraft
    ? { status: 'draft', dueAt: null, startedAt: null, nextAt: scheduledAt }
    : goAhead({ nextAt: scheduledAt, startedAt: null, isUnderWay: false }, now);
  const row = (await tx.find(insertCampaign, [
    id,
    tenantId,
    channel.id,
    input.automationId,
    input.messageTemplateId ?? null,
    input.name,
    course.status,
    scheduledAt,
    recurrenceRules === undefined ? null : JSON.stringify(recurrenceRules),
    (recurrenceRules ?? []).length > 0,
    variables === undefined ? null : JSON.stringify(variables.map(({ name, value }) => ({ name, value }))),
    input.audience ?? null,
    course.startedAt,
    course.nextAt,
    shardOf(tenantId, tenantId),
    course.dueAt,
    now,
  ])) as CampaignRow;
  await storeRecipients(tx, tenantId, id, contacts, channel.kind, deps);
  if (course.startedAt !== null) {
    await publishStatus(tx, tenantId, 'campaign.started', row, deps);
    tx.afterCommit(() => deps.wakeUps.give(CAMPAIGNS_LIST, shardOf(tenantId, tenantId), tenantId));
  }
  return row;
}
