import { ApiError } from '../base/errors.ts';
import { below, type Complain, collectFaults } from '../contacts/faults.ts';
import { judgeHandle } from '../contacts/handles.ts';
import type { ChannelKind } from '../providers/adapter.ts';
import { faultsOfVariables, renderTemplate } from '../templates/render.ts';
import type { MessageTemplate } from '../templates/schema.ts';
import { judgeMedia, type MediaNeeds, readMedia, type StoredMedia, typeOfMedia } from './judge-media.ts';
import { judgeParts, judgeText, type SendableType, typeByParts } from './judge-parts.ts';
import type { NewChatMessage } from './schema.ts';

const YEAR_MS = 366 * 24 * 3600_000;

/** What must be known to say whether a message can be sent. */
export interface DraftFacts extends MediaNeeds {
  chatId: string;
  channelId: string;
  kind: ChannelKind;
  /** The vendor, where this installation knows it. */
  hasProvider: boolean;
  /** Until when a free-form message is allowed; undefined where there is no such window. */
  openUntil: Date | null | undefined;
  optedOutAt: Date | null;
  templates: ReadonlyMap<string, MessageTemplate>;
  /** Messages that it can refer to, with the chat that each is in. */
  messages: ReadonlyMap<string, { chat_id: string; vendor_id: string | null }>;
  now: Date;
}

/** A message that can be sent, as it is stored. */
export interface JudgedDraft {
  type: SendableType;
  text: string | null;
  media: StoredMedia[];
  content: Record<string, unknown>;
  replyToMessageId: string | null;
  scheduledAt: Date | null;
}

function judgeSchedule(given: string | undefined, now: Date, complain: Complain): Date | null {
  if (given === undefined) return null;
  const at = new Date(given);
  if (at <= now) complain('scheduledAt', { key: 'custom', message: 'Must be in the future' });
  else if (at.getTime() - now.getTime() > YEAR_MS)
    complain('scheduledAt', { key: 'custom', message: 'Must be at most a year ahead' });
  return at;
}

function judgeReference(messageId: string | undefined, path: string, facts: DraftFacts, complain: Complain) {
  if (messageId === undefined) return null;
  const id = messageId.toLowerCase();
  const message = facts.messages.get(id);
  if (message?.chat_id !== facts.chatId)
    complain(path, { key: 'custom', message: `There is no message ${messageId} in this chat` });
  else if (path.startsWith('reaction') && message.vendor_id === null)
    complain(path, { key: 'custom', message: 'The vendor does not know this message yet' });
  return id;
}

/** The template as it is sent, and what it says; undefined where it makes no sense. */
function judgeTemplate(given: NewChatMessage['template'], facts: DraftFacts, complain: Complain) {
  if (given === undefined) return undefined;
  const { templateId, variables = {} } = given;
  const template = facts.templates.get(templateId.toLowerCase());
  if (!template || template.channelId !== facts.channelId) {
    const message = `There is no template ${templateId} on this channel`;
    complain('template.templateId', { key: 'custom', message });
    return undefined;
  }
  for (const [path, fault] of Object.entries(faultsOfVariables(template, variables, 'template.variables')))
    complain(path, fault);
  return {
    template,
    content: { templateId: template.id, variables },
    text: renderTemplate(template, variables as Record<string, string>).body,
  };
}

function judgeMail(given: NewChatMessage['email'], complain: Complain): Record<string, unknown> {
  if (given === undefined) return {};
  const { subject, html = null, cc = [] } = given;
  const judged = cc.map((one) => judgeHandle('email', one));
  for (const [index, { fault }] of judged.entries())
    if (fault) below(complain, 'email.cc')(String(index), fault);
  return { subject, html, cc: judged.map(({ value }) => value) };
}

function contentOf(given: NewChatMessage, type: SendableType, complain: Complain): Record<string, unknown> {
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
  return type === 'email' ? judgeMail(given.email, complain) : {};
}

/** What the state of things forbids, by a code and in words, if it does. */
function conflictOf(
  type: SendableType,
  template: MessageTemplate | undefined,
  facts: DraftFacts,
): { reason: string; detail: string } | undefined {
  const { kind, openUntil, optedOutAt, now } = facts;
  if (!facts.hasProvider)
    return {
      reason: 'provider_missing',
      detail: 'the channel is not connected: this installation does not know its provider',
    };
  if (kind === 'sms' && optedOutAt !== null)
    return {
      reason: 'opted_out',
      detail: 'the person has asked not to be written to on this number, by STOP or the like',
    };
  if (template && template.status !== 'approved') {
    const why = template.rejectionReason ? ` (${template.rejectionReason})` : '';
    return {
      reason: 'template_not_approved',
      detail: `the template is ${template.status}${why}, and only an approved one can be sent`,
    };
  }
  if (type === 'template' || openUntil === undefined || (openUntil !== null && openUntil > now))
    return undefined;
  return {
    reason: 'window_closed',
    detail:
      openUntil === null
        ? 'only a template can be sent before the person has written'
        : `only a template can be sent: the time for free-form messages ended at ${openUntil.toISOString()}`,
  };
}

/** Judges a message as a whole. Everything that is wrong with it is thrown at once. */
export function judgeDraft(given: NewChatMessage, facts: DraftFacts): JudgedDraft {
  const faults = collectFaults();
  const { complain } = faults;
  const media = readMedia(given.media, facts, complain);
  const type = given.type ?? typeByParts(given, () => typeOfMedia(media));
  const scheduledAt = judgeSchedule(given.scheduledAt, facts.now, complain);
  const replyToMessageId = judgeReference(given.replyToMessageId, 'replyToMessageId', facts, complain);
  const reactsTo = judgeReference(given.reaction?.messageId, 'reaction.messageId', facts, complain);
  const sent = judgeTemplate(given.template, facts, complain);
  if (type === undefined) complain('text', { key: 'invalid_type', message: 'Required' });
  else {
    judgeParts(given, type, facts.kind, complain);
    judgeMedia(given.media, media, type, facts.kind, complain);
    const text = type === 'template' ? (sent?.text ?? null) : (given.text ?? null);
    judgeText(text, type, facts.kind, type === 'template' ? 'template' : 'text', complain);
    const content = type === 'template' ? (sent?.content ?? {}) : contentOf(given, type, complain);
    faults.throwAny();
    const conflict = conflictOf(type, sent?.template, facts);
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
  faults.throwAny();
  throw new Error('A message of no type was not refused.');
}
