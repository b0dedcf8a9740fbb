import type { Automation } from '../automations/schema.ts';
import { ApiError } from '../base/errors.ts';
import type { Issues } from '../base/issues.ts';
import type { Channel } from '../channels/schema.ts';
import { findAudienceIssue } from '../contacts/gather-audience.ts';
import type { TenantTx } from '../db/tenant.ts';
import { type CanRead, lacksScope } from '../http/permissions.ts';
import { findHeldSegment } from '../segments/segment.ts';
import { findTemplate } from '../templates/template.ts';
import { findPartIssues } from '../templates/template-parts.ts';
import { validateMessage } from './message.ts';
import { validateTimes } from './schedule.ts';
import type { NewCampaign } from './schema.ts';
import { validateVariables } from './variables.ts';

export type CampaignInput = Omit<NewCampaign, 'contacts'>;

async function validateTemplate(
  tx: TenantTx,
  { messageTemplateId, templateHeader: header, channelId }: CampaignInput,
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

/** Returns the filter of the audience: the given one, or that of the segment. */
async function validateAudience(
  tx: TenantTx,
  { audience, segmentId }: Pick<CampaignInput, 'audience' | 'segmentId'>,
  canRead: CanRead,
  issues: Issues,
): Promise<string | null> {
  if (audience === undefined && segmentId === undefined) return null;
  if (audience !== undefined && segmentId !== undefined)
    issues.add('segmentId', 'custom', 'Only one of audience and segmentId is allowed');
  const path = segmentId === undefined ? 'audience' : 'segmentId';
  // The results show who matches.
  if (!canRead('contacts:read')) issues.add(path, 'custom', lacksScope('contacts:read'));
  const segment = segmentId === undefined ? undefined : await findHeldSegment(tx, segmentId);
  if (segmentId !== undefined && !segment)
    issues.add('segmentId', 'custom', `There is no segment ${segmentId}`);
  const query = segment?.query ?? audience;
  if (query === undefined) return null;
  const issue = await findAudienceIssue(tx, query);
  if (issue !== undefined) issues.add(path, 'invalid_string', issue);
  return query;
}

interface Surroundings {
  channel: Channel | undefined;
  automation: Automation | undefined;
  canRead: CanRead;
  /** The scheduled time before a change. */
  storedAt?: Date | null;
}

/** What is sent: an automation, or a message. */
async function validateContent(
  tx: TenantTx,
  { automationId, message, messageTemplateId, variables = [], channelId }: CampaignInput,
  automation: Automation | undefined,
  issues: Issues,
): Promise<void> {
  if (message !== undefined) {
    if (automationId !== undefined)
      issues.add('message', 'custom', 'Only one of automationId and message is allowed');
    if (messageTemplateId !== undefined)
      issues.add('messageTemplateId', 'custom', 'Not allowed with a message: use `message.template`');
    await validateMessage(tx, message, channelId, issues);
  } else if (automationId === undefined) issues.add('automationId', 'invalid_type', 'Required');
  else if (automation) validateVariables(automation.activeVersion?.variables ?? [], variables, issues);
  else issues.add('automationId', 'custom', `There is no automation ${automationId}`);
}

/** Adds everything that is wrong with a campaign. Returns the filter of its audience. */
export async function validateCampaign(
  tx: TenantTx,
  input: CampaignInput,
  { channel, automation, canRead, storedAt = null }: Surroundings,
  issues: Issues,
): Promise<string | null> {
  if (!channel) issues.add('channelId', 'custom', `There is no channel ${input.channelId}`);
  await validateContent(tx, input, automation, issues);
  await validateTemplate(tx, input, issues);
  validateTimes(input, tx.now, issues, storedAt);
  return validateAudience(tx, input, canRead, issues);
}

export function requireActive(automation: Automation | undefined): void {
  if (automation?.status !== 'active')
    throw new ApiError('conflict', {
      detail: `the automation is ${automation?.status}, and must be active`,
    });
}
