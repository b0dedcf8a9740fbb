import { findAutomation, removeAutomation, type SaveDeps } from '../automations/automation.ts';
import { ApiError } from '../base/errors.ts';
import { deletionOf } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { findHeldChannel } from '../channels/channel.ts';
import type { Purpose } from '../contacts/consent/schema.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { TemplateFile } from '../messages/content-schema.ts';
import { announceCampaign } from './announce-progress.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow, requireCampaign } from './campaign.ts';
import { type CampaignState, lockCampaign, stateAfterStart } from './change-status.ts';
import { holdUsed } from './hold-used.ts';
import { publishMessage } from './message.ts';
import { campaignsQueue } from './queues.ts';
import { findNextOccurrence } from './recurrence.ts';
import type { CampaignChange, CampaignMessage, CampaignStatus, CampaignWithCounts } from './schema.ts';
import { type CampaignInput, requireActive, validateCampaign } from './validate-campaign.ts';

const updateCampaign = statement<
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
    nextAt: Date | null,
    dueAt: Date | null,
    now: Date,
    purpose: Purpose,
    templateHeader: TemplateFile | null,
    timezone: string,
    segmentId: string | null,
    message: CampaignMessage | null,
    closeChats: boolean,
  ],
  CampaignRow
>(
  'campaigns.update',
  `update visible_campaigns c
      set channel_id = $2, automation_id = $3, message_template_id = $4, name = $5, status = $6, scheduled_at = $7,
          recurrence_rules = $8, is_reoccurring = $9, variables = $10, audience = $11, next_at = $12, due_at = $13,
          updated_at = $14, purpose = $15, template_header = $16, timezone = $17, segment_id = $18,
          message = $19, close_chats = $20
    where c.id = $1 and c.tenant_id = $tenant returning ${CAMPAIGN_COLUMNS}`,
);
const countRecipients = statement<[campaignId: string, limit: number], { count: number }>(
  'recipients.count_up_to',
  `select count(*)::int as count from (
     select 1 from visible_recipients where campaign_id = $1 and tenant_id = $tenant limit $2) counted`,
);
const deleteCampaign = statement<[id: string]>(
  'campaigns.delete',
  'delete from visible_campaigns where id = $1 and tenant_id = $tenant',
);

/** Their recipients are deleted in the same transaction: so many take about a second. */
const MAX_DELETED_RECIPIENTS = 50_000;

const CHANGEABLE: readonly CampaignStatus[] = ['draft', 'scheduled'];

/** A campaign that has not started, or a recurring one between two occurrences. */
async function lockChangeable(tx: TenantTx, campaignId: string) {
  const row = isUuid(campaignId) ? await tx.find(lockCampaign, [campaignId]) : undefined;
  if (row && !CHANGEABLE.includes(row.status))
    throw new ApiError('conflict', {
      detail: `the campaign is ${row.status}; only one that is a draft or scheduled can be changed or deleted`,
    });
  return row;
}
type LockedCampaign = NonNullable<Awaited<ReturnType<typeof lockChangeable>>>;

/** The value that a field has after a change: undefined keeps the stored one, null removes it. */
const merged = <T>(given: T | null | undefined, stored: T | null): T | undefined =>
  (given === undefined ? stored : given) ?? undefined;

/** `isScheduled: false` and `isReoccurring: false` alone remove the time and the rules. */
const timeOf = ({ scheduledAt, isScheduled }: CampaignChange): string | null | undefined =>
  scheduledAt ?? (isScheduled === false ? null : scheduledAt);
const rulesOf = ({ recurrenceRules, isReoccurring }: CampaignChange): string[] | null | undefined =>
  recurrenceRules ?? (isReoccurring === false ? null : undefined);

/** The whole campaign after a change, as it would be created. */
export function mergeChange(row: CampaignRow, change: CampaignChange): CampaignInput {
  const segmentId = merged(change.segmentId ?? (change.audience ? null : change.segmentId), row.segment_id);
  const messageTemplateId = merged(change.messageTemplateId, row.message_template_id);
  const templateHeader = merged(change.templateHeader, row.template_header);
  // A segment has its own filter.
  const audience = segmentId === undefined ? merged(change.audience, row.audience) : undefined;
  const variables = merged(change.variables, row.variables);
  const scheduledAt = merged(timeOf(change), row.scheduled_at?.toISOString() ?? null);
  const recurrenceRules = merged(rulesOf(change), row.recurrence_rules);
  // One of them replaces the other.
  const message =
    change.message ?? (change.automationId === undefined ? (row.message ?? undefined) : undefined);
  const automationId =
    change.automationId ?? (message === undefined ? (row.automation_id ?? undefined) : undefined);
  return {
    channelId: change.channelId ?? row.channel_id,
    name: change.name ?? row.name,
    purpose: change.purpose ?? row.purpose,
    timezone: change.timezone ?? row.timezone,
    closeChats: change.closeChats ?? row.close_chats,
    ...(automationId === undefined ? {} : { automationId }),
    ...(message === undefined ? {} : { message }),
    ...(messageTemplateId === undefined ? {} : { messageTemplateId }),
    ...(templateHeader === undefined ? {} : { templateHeader }),
    ...(segmentId === undefined ? {} : { segmentId }),
    ...(audience === undefined ? {} : { audience }),
    ...(variables === undefined ? {} : { variables }),
    ...(change.isScheduled === undefined ? {} : { isScheduled: change.isScheduled }),
    ...(scheduledAt === undefined ? {} : { scheduledAt }),
    ...(change.isReoccurring === undefined ? {} : { isReoccurring: change.isReoccurring }),
    ...(recurrenceRules === undefined ? {} : { recurrenceRules }),
  };
}

/** When a changed campaign runs next. */
function stateAfterChange(
  row: LockedCampaign,
  scheduledAt: Date | null,
  input: CampaignInput,
  hasRecipients: boolean,
  now: Date,
): CampaignState {
  if (row.started_at !== null) {
    const rules = input.recurrenceRules ?? [];
    const planned = { ...row, recurrence_rules: rules, timezone: input.timezone ?? 'UTC' };
    const nextAt = rules.length === 0 ? null : findNextOccurrence(planned, now);
    if (nextAt === null)
      throw new ApiError('conflict', {
        detail: 'the campaign would have no further occurrence; cancel it instead',
      });
    return { status: 'scheduled', dueAt: nextAt, startedAt: row.started_at, nextAt };
  }
  if (row.status === 'draft' || scheduledAt === null || !hasRecipients)
    return { status: 'draft', dueAt: null, startedAt: null, nextAt: scheduledAt };
  return stateAfterStart({ nextAt: scheduledAt, startedAt: null, isOccurrenceRunning: false }, now);
}

/** The automation of a changed campaign. That of a message is changed unless the campaign is a draft, which may not be complete. */
async function automationAfterChange(
  tx: TenantTx,
  row: LockedCampaign,
  { message, automationId, name, channelId, purpose = 'marketing' }: CampaignInput,
  { status }: CampaignState,
  deps: SaveDeps,
): Promise<string | null> {
  const own = row.message === null ? null : row.automation_id;
  if (message === undefined) {
    if (own !== null) await removeAutomation(tx, own);
    return automationId ?? null;
  }
  return status === 'draft' ? own : publishMessage(tx, { name, channelId, purpose, message }, own, deps);
}

/** Changes a campaign that has not started. It is checked as if it were created now. */
export async function changeCampaign(
  tx: TenantTx,
  campaignId: string,
  change: CampaignChange,
  deps: SaveDeps,
): Promise<CampaignWithCounts> {
  const row = await lockChangeable(tx, campaignId);
  if (!row) throw new ApiError('campaign_not_found');
  const input = mergeChange(row, change);
  const storedAt = row.scheduled_at;
  const scheduledAt = input.scheduledAt === undefined ? null : new Date(input.scheduledAt);
  const channel = await findHeldChannel(tx, input.channelId);
  await holdUsed(tx, input);
  const automation = await findAutomation(tx, input.automationId ?? '');
  const issues = collectIssues();
  if (row.started_at !== null && scheduledAt?.getTime() !== storedAt?.getTime())
    issues.add('scheduledAt', 'custom', 'Cannot be changed after the first occurrence');
  const audience = await validateCampaign(
    tx,
    input,
    { channel, automation, canRead: deps.canRead, storedAt },
    issues,
  );
  if (row.has_recipients && channel && channel.id !== row.channel_id)
    issues.add(
      'channelId',
      'custom',
      'Cannot be changed: the campaign has recipients who were matched for it',
    );
  issues.throwIfAny();
  if (input.message === undefined) requireActive(automation);
  const state = stateAfterChange(row, scheduledAt, input, row.has_recipients || audience !== null, tx.now);
  const automationId = await automationAfterChange(tx, row, input, state, deps);
  await tx.run(updateCampaign, [
    row.id,
    input.channelId,
    automationId,
    input.messageTemplateId ?? null,
    input.name,
    state.status,
    scheduledAt,
    input.recurrenceRules === undefined ? null : JSON.stringify(input.recurrenceRules),
    (input.recurrenceRules ?? []).length > 0,
    input.variables === undefined
      ? null
      : JSON.stringify(input.variables.map(({ name, value }) => ({ name, value }))),
    audience,
    state.nextAt,
    state.dueAt,
    tx.now,
    input.purpose ?? 'marketing',
    input.templateHeader ?? null,
    input.timezone ?? 'UTC',
    input.segmentId ?? null,
    input.message ?? null,
    input.closeChats ?? false,
  ]);
  if (state.dueAt !== null) tx.wake(campaignsQueue, tx.tenantId);
  announceCampaign(tx, { id: row.id, channel_id: input.channelId });
  return requireCampaign(tx, row.id);
}

/** Deletes a campaign that has not started and returns whether it existed. */
export async function removeCampaign(tx: TenantTx, campaignId: string): Promise<boolean> {
  const row = await lockChangeable(tx, campaignId);
  if (!row) return false;
  if (row.started_at !== null)
    throw new ApiError('conflict', { detail: 'the campaign has run before; cancel it instead' });
  const counted = await tx.find(countRecipients, [row.id, MAX_DELETED_RECIPIENTS + 1]);
  if ((counted?.count ?? 0) > MAX_DELETED_RECIPIENTS)
    throw new ApiError('conflict', {
      detail: `the campaign has more than ${MAX_DELETED_RECIPIENTS} recipients; cancel it instead`,
    });
  if (row.message !== null && row.automation_id !== null) await removeAutomation(tx, row.automation_id);
  tx.announce(deletionOf('campaign', row.id));
  return (await tx.run(deleteCampaign, [row.id])) === 1;
}
