import { createAutomation, type SaveDeps } from '../automations/automation.ts';
import { changeAutomation, publishAutomation } from '../automations/change-automation.ts';
import { ApiError } from '../base/errors.ts';
import type { Issues } from '../base/issues.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { findTemplate } from '../templates/template.ts';
import type { CampaignMessage } from './schema.ts';

/** The automation's name is what runs and their messages show; it is shorter than a campaign's may be. */
const MAX_NAME = 200;
const STEP = 'steps.0.parameters';

/** The part of a campaign that its automation is made of. */
export interface MessageSource {
  name: string;
  channelId: string;
  purpose: 'marketing' | 'service';
  message: CampaignMessage;
}

/** The only step of the automation that sends a message. */
function stepOf({ text, subject, media, template }: CampaignMessage) {
  if (template) return { id: 'send', type: 'send_template' as const, parameters: { ...template } };
  const parameters = {
    ...(text === undefined ? {} : { text }),
    ...(media === undefined ? {} : { media }),
    ...(subject === undefined ? {} : { email: { subject } }),
  };
  return { id: 'send', type: 'send_message' as const, parameters };
}

/** Names what is wrong as the caller of a campaign knows it. */
function pathInMessage(path: string, { template }: CampaignMessage): string {
  const rest = path.startsWith(STEP) ? path.slice(STEP.length) : '';
  const inMessage = rest.replace(/^\.email\b/, '');
  return `message${template ? '.template' : ''}${inMessage}`;
}

/** Calls an operation of automations whose issues are about the message. */
async function withMessagePaths<T>(message: CampaignMessage, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.invalidParams === undefined) throw error;
    const invalidParams = Object.fromEntries(
      Object.entries(error.invalidParams).map(([path, issue]) => [pathInMessage(path, message), issue]),
    );
    throw new ApiError('invalid_body_params', { invalidParams });
  }
}

/** Adds what is wrong with a message that may not be complete yet. */
export async function validateMessage(
  db: TenantReader,
  { template, text, media, subject }: CampaignMessage,
  channelId: string,
  issues: Issues,
): Promise<void> {
  if (!template) return;
  if (text !== undefined || media !== undefined || subject !== undefined)
    issues.add('message.template', 'custom', 'Not allowed together with `text`, `media` or `subject`');
  const found = await findTemplate(db, template.templateId);
  // A template of another channel would be sent over that one.
  if (found?.channelId !== channelId.toLowerCase())
    issues.add('message.template.templateId', 'custom', `The channel has no template ${template.templateId}`);
}

/**
 * Stores what a campaign sends as an automation that nobody else sees, and returns its id. `automationId` is the one from before;
 * runs that have started stay on its former version.
 */
export async function publishMessage(
  tx: TenantTx,
  { name, channelId, purpose, message }: MessageSource,
  automationId: string | null,
  deps: SaveDeps,
): Promise<string> {
  const input = {
    name: name.slice(0, MAX_NAME).toWellFormed(),
    purpose,
    trigger: { type: 'campaign' as const, parameters: { channelId } },
    steps: [stepOf(message)],
  };
  const saved = await withMessagePaths(
    message,
    automationId === null
      ? createAutomation(tx, input, deps, { isHidden: true })
      : changeAutomation(tx, automationId, input, deps),
  );
  return (await publishAutomation(tx, saved.id, {}, deps)).id;
}
