import { ApiError } from '../../base/errors.ts';
import { collectIssues, type Issues } from '../../base/issues.ts';
import { validateHandle } from '../../contacts/handles/validate.ts';
import type { ChannelKind } from '../../providers/adapter.ts';
import { renderTemplate, validateFilledLength, validateVariables } from '../../templates/render.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import type { NewChatMessage } from '../schema.ts';
import { type MediaDeps, readMedia, type StoredMedia, typeOfMedia, validateMedia } from './validate-media.ts';
import { type SendableType, typeByParts, validateParts, validateText } from './validate-parts.ts';

const YEAR_MS = 366 * 24 * 3600_000;

/** What decides whether a message can be sent. */
export interface DraftFacts extends MediaDeps {
  chatId: string;
  channelId: string;
  kind: ChannelKind;
  /** Whether this installation has the channel's provider. */
  hasProvider: boolean;
  /** Until when a free-form message is allowed; undefined if the channel has no reply window. */
  openUntil: Date | null | undefined;
  optedOutAt: Date | null;
  templates: ReadonlyMap<string, MessageTemplate>;
  /** The messages that it refers to, each with its chat. */
  messages: ReadonlyMap<string, { chat_id: string; vendor_id: string | null }>;
  now: Date;
}

/** A message that can be sent, as it is stored. */
export interface ValidatedDraft {
  type: SendableType;
  text: string | null;
  media: StoredMedia[];
  content: Record<string, unknown>;
  replyToMessageId: string | null;
  scheduledAt: Date | null;
}

function validateSchedule(given: string | undefined, now: Date, issues: Issues): Date | null {
  if (given === undefined) return null;
  const at = new Date(given);
  if (at <= now) issues.add('scheduledAt', 'custom', 'Must be in the future');
  else if (at.getTime() - now.getTime() > YEAR_MS)
    issues.add('scheduledAt', 'custom', 'Must be at most a year ahead');
  return at;
}

function validateReference(messageId: string | undefined, path: string, facts: DraftFacts, issues: Issues) {
  if (messageId === undefined) return null;
  const id = messageId.toLowerCase();
  const message = facts.messages.get(id);
  if (message?.chat_id !== facts.chatId)
    issues.add(path, 'custom', `There is no message ${messageId} in this chat`);
  else if (path.startsWith('reaction') && message.vendor_id === null)
    issues.add(path, 'custom', 'The vendor does not know this message yet');
  return id;
}

/** The template with its rendered text; undefined if there is no such template. */
function validateTemplate(given: NewChatMessage['template'], facts: DraftFacts, issues: Issues) {
  if (given === undefined) return undefined;
  const { templateId, variables = {} } = given;
  const template = facts.templates.get(templateId.toLowerCase());
  if (!template || template.channelId !== facts.channelId) {
    const message = `There is no template ${templateId} on this channel`;
    issues.add('template.templateId', 'custom', message);
    return undefined;
  }
  const ofVariables = issues.at('template.variables');
  validateVariables(template, variables, ofVariables);
  const canRender = validateFilledLength(template, variables, ofVariables);
  return {
    template,
    content: { templateId: template.id, variables },
    text: canRender ? renderTemplate(template, variables as Record<string, string>).body : '',
  };
}

function validateMail(given: NewChatMessage['email'], issues: Issues): Record<string, unknown> {
  if (given === undefined) return {};
  const { subject, html = null, cc = [] } = given;
  const validated = cc.map((one) => validateHandle('email', one));
  for (const [index, { issue }] of validated.entries())
    if (issue) issues.add(`email.cc.${index}`, issue.key, issue.message);
  return { subject, html, cc: validated.map(({ value }) => value) };
}

function contentOf(given: NewChatMessage, type: SendableType, issues: Issues): Record<string, unknown> {
  if (type === 'location' && given.location) {
    const { latitude, longitude, name = null, address = null } = given.location;
    return { latitude, longitude, name, address };
  }
  if (type === 'interactive') {
    const { buttons, list } = given.interactive ?? {};
    return buttons === undefined ? { list } : { buttons };
  }
  if (type === 'reaction' && given.reaction)
    return { messageId: given.reaction.messageId.toLowerCase(), emoji: given.reaction.emoji };
  return type === 'email' ? validateMail(given.email, issues) : {};
}

/** Why the message cannot be sent in the current state of channel, contact and template, if so. */
function findConflict(
  type: SendableType,
  template: MessageTemplate | undefined,
  facts: DraftFacts,
): { reason: string; detail: string } | undefined {
  const { kind, openUntil, optedOutAt, now } = facts;
  if (!facts.hasProvider)
    return {
      reason: 'provider_missing',
      detail: 'this installation does not have the provider of the channel',
    };
  if (kind === 'sms' && optedOutAt !== null)
    return {
      reason: 'opted_out',
      detail: 'the contact has opted out of messages to this number',
    };
  if (template && template.status !== 'approved') {
    const why = template.rejectionReason ? ` (${template.rejectionReason})` : '';
    return {
      reason: 'template_not_approved',
      detail: `the template is ${template.status}${why}; only an approved one can be sent`,
    };
  }
  if (type === 'template' || openUntil === undefined || (openUntil !== null && openUntil > now))
    return undefined;
  return {
    reason: 'window_closed',
    detail:
      openUntil === null
        ? 'only a template can be sent before the contact has written'
        : `only a template can be sent: the reply window closed at ${openUntil.toISOString()}`,
  };
}

/** Validates a message. Throws one error with all issues. */
export function validateDraft(given: NewChatMessage, facts: DraftFacts): ValidatedDraft {
  const issues = collectIssues();
  const media = readMedia(given.media, facts, issues);
  const type = given.type ?? typeByParts(given, () => typeOfMedia(media));
  const scheduledAt = validateSchedule(given.scheduledAt, facts.now, issues);
  const replyToMessageId = validateReference(given.replyToMessageId, 'replyToMessageId', facts, issues);
  const reactsTo = validateReference(given.reaction?.messageId, 'reaction.messageId', facts, issues);
  const sent = validateTemplate(given.template, facts, issues);
  if (type === undefined) issues.add('text', 'invalid_type', 'Required');
  else {
    validateParts(given, type, facts.kind, issues);
    validateMedia(given.media, media, type, facts.kind, issues);
    const text = type === 'template' ? (sent?.text ?? null) : (given.text ?? null);
    validateText(text, type, facts.kind, type === 'template' ? 'template' : 'text', issues);
    const content = type === 'template' ? (sent?.content ?? {}) : contentOf(given, type, issues);
    issues.throwIfAny();
    const conflict = findConflict(type, sent?.template, facts);
    if (conflict) throw new ApiError('conflict', conflict);
    return {
      type,
      text,
      media: media as StoredMedia[],
      content,
      replyToMessageId: reactsTo ?? replyToMessageId,
      scheduledAt,
    };
  }
  issues.throwIfAny();
  throw new Error('unreachable: a message without a type has an issue');
}
