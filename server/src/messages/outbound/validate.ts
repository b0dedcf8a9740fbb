import { ApiError } from '../../base/errors.ts';
import { collectIssues, type Issues } from '../../base/issues.ts';
import { validateHandle } from '../../contacts/handles/validate.ts';
import { compileSchema } from '../../http/validation.ts';
import type { ContactCard } from '../../providers/contact-card.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import { RenderedParts } from '../content-schema.ts';
import type { NewChatMessage } from '../schema.ts';
import type { DraftFacts, ReferredMessage } from './draft-facts.ts';
import { isAnswerable } from './outgoing.ts';
import { readMedia, type StoredMedia, typeOfMedia, validateMedia } from './validate-media.ts';
import { type SendableType, typeByParts, validateParts, validateText } from './validate-parts.ts';
import { validateTemplate } from './validate-template.ts';

const YEAR_MS = 366 * 24 * 3600_000;

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

function validateMail(given: NewChatMessage['email'], issues: Issues): Record<string, unknown> {
  if (given === undefined) return {};
  const { subject, html = null, cc = [] } = given;
  const validated = cc.map((one) => validateHandle('email', one));
  for (const [index, { issue }] of validated.entries())
    if (issue) issues.add(`email.cc.${index}`, issue.key, issue.message);
  return { subject, html, cc: validated.map(({ value }) => value) };
}

/** A card as a received one is stored: what was left out is null or empty. */
const cardOf = (card: NonNullable<NewChatMessage['contacts']>[number]): ContactCard => ({
  ...card,
  organization: card.organization ?? null,
  phoneNumbers: card.phoneNumbers ?? [],
  emails: card.emails ?? [],
});

function contentOf(given: NewChatMessage, type: SendableType, issues: Issues): Record<string, unknown> {
  if (type === 'location' && given.location) {
    const { latitude, longitude, name = null, address = null } = given.location;
    return { latitude, longitude, name, address };
  }
  if (type === 'interactive') {
    return Object.fromEntries(
      Object.entries(given.interactive ?? {}).filter(([, value]) => value !== undefined),
    );
  }
  if (type === 'contacts' && given.contacts) return { contacts: given.contacts.map(cardOf) };
  if (type === 'reaction' && given.reaction)
    return { messageId: given.reaction.messageId.toLowerCase(), emoji: given.reaction.emoji };
  return type === 'email' ? validateMail(given.email, issues) : {};
}

/** The author of a public comment gets one private answer, for a week. */
function findCommentConflict(
  { is_answered: isAnswered, timestamp }: ReferredMessage,
  now: Date,
): { reason: string; detail: string } | undefined {
  if (isAnswered)
    return { reason: 'already_replied', detail: 'the comment has its one private answer already' };
  return isAnswerable(timestamp, now)
    ? undefined
    : { reason: 'window_closed', detail: 'a comment can be answered in private for 7 days only' };
}

/** Why the message cannot be sent in the current state of channel, contact and template, if so. */
function findConflict(
  type: SendableType,
  template: MessageTemplate | undefined,
  replied: ReferredMessage | undefined,
  facts: DraftFacts,
): { reason: string; detail: string } | undefined {
  const { openUntil, refusal, now } = facts;
  if (!facts.hasProvider)
    return {
      reason: 'provider_missing',
      detail: 'this installation does not have the provider of the channel',
    };
  if (refusal) return { reason: refusal.code, detail: refusal.message };
  if (template && template.status !== 'approved') {
    const why = template.rejectionReason ? ` (${template.rejectionReason})` : '';
    return {
      reason: 'template_not_approved',
      detail: `the template is ${template.status}${why}; only an approved one can be sent`,
    };
  }
  if (replied?.type === 'comment') return findCommentConflict(replied, now);
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

const checkRendered = compileSchema(() => RenderedParts, '');

/** A request was checked like this before; what a run renders was not. */
function validateRendered({ interactive, contacts }: NewChatMessage, issues: Issues): void {
  if (interactive === undefined && contacts === undefined) return;
  const given = { ...(interactive ? { interactive } : {}), ...(contacts ? { contacts } : {}) };
  const { params = {} } = checkRendered(given) ?? {};
  for (const [path, { key, message }] of Object.entries(params)) issues.add(path, key, message);
}

/** Validates a message. Throws one error with all issues. */
export function validateDraft(given: NewChatMessage, facts: DraftFacts): ValidatedDraft {
  const issues = collectIssues();
  validateRendered(given, issues);
  issues.throwIfAny();
  const media = readMedia(given.media, facts, issues);
  const type = given.type ?? typeByParts(given, () => typeOfMedia(media));
  const scheduledAt = validateSchedule(given.scheduledAt, facts.now, issues);
  const replyToMessageId = validateReference(given.replyToMessageId, 'replyToMessageId', facts, issues);
  const reactsTo = validateReference(given.reaction?.messageId, 'reaction.messageId', facts, issues);
  const sent = validateTemplate(given.template, facts, issues);
  if (type === undefined) issues.add('text', 'invalid_type', 'Required');
  else {
    validateParts(given, type, facts.kind, issues);
    const fileType = type === 'interactive' ? typeOfMedia(media) : type;
    if (type === 'interactive' && fileType === 'audio')
      issues.add('media', 'custom', 'A header is an image, a video or a document');
    validateMedia(given.media, media, fileType, facts.kind, issues);
    const text = type === 'template' ? (sent?.text ?? null) : (given.text ?? null);
    validateText(text, type, facts.kind, type === 'template' ? 'template' : 'text', issues);
    const content = type === 'template' ? (sent?.content ?? {}) : contentOf(given, type, issues);
    issues.throwIfAny();
    const replied = replyToMessageId === null ? undefined : facts.messages.get(replyToMessageId);
    const conflict = findConflict(type, sent?.template, replied, facts);
    if (conflict) throw new ApiError('conflict', conflict);
    return {
      type,
      text,
      media: sent?.media ?? (media as StoredMedia[]),
      content,
      replyToMessageId: reactsTo ?? replyToMessageId,
      scheduledAt,
    };
  }
  issues.throwIfAny();
  throw new Error('unreachable: a message without a type has an issue');
}
