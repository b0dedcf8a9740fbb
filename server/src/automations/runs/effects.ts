import { ApiError, isUnavailable } from '../../base/errors.ts';
import { requireChannel } from '../../channels/channel.ts';
import { assignChat } from '../../chats/assign-chat.ts';
import { findChats } from '../../chats/chat.ts';
import type { Chat } from '../../chats/schema.ts';
import { setChatStatus } from '../../chats/set-status.ts';
import { changeContact } from '../../contacts/change-contact.ts';
import { recordConsents } from '../../contacts/consent/consents.ts';
import type { Purpose } from '../../contacts/consent/schema.ts';
import { requireContact } from '../../contacts/contact.ts';
import { addContactLabels, removeContactLabel } from '../../contacts/contact-labels.ts';
import type { Contact } from '../../contacts/schema.ts';
import { causedByRun, type TenantTx } from '../../db/tenant.ts';
import type { TenantHours } from '../../hours/tenant-hours.ts';
import type { takeReply } from '../../messages/take-reply.ts';
import { channelKinds } from '../../providers/kinds.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import { findTemplate } from '../../templates/template.ts';
import type { Author } from '../../users/author.ts';
import type { Turns } from '../../users/turns.ts';
import { attributesOf, type RunContext } from './context.ts';
import { type RunDraft, type SendDeps, sendForRuns } from './send.ts';
import type { Effect, EffectResult, RunError } from './state.ts';

/** A run whose steps are being executed. */
export interface ActiveRun {
  runId: string;
  contactId: string;
  campaignId: string | null;
  /** The automation or the campaign. */
  author: Author;
  purpose: Purpose;
  /** Whether chats that it creates are closed until the contact replies. */
  closesChats: boolean;
  /** How many runs came before it, each started by an event of the one before. */
  chainDepth: number;
  /** The channel of the automation's trigger, or of the campaign. */
  channelId: string | null;
  externalIds: readonly string[];
  context: RunContext;
  /** Missing if neither a step nor a message of the run depends on them. */
  hours: TenantHours | undefined;
  /** Whether its messages wait for the end of quiet hours. */
  respectsQuietHours: boolean;
  /** Whether its steps may use the chat as it is after its messages. */
  usesChat: boolean;
  turns: Turns;
  /** Takes the contact's reply for which it waits. */
  findReply: typeof takeReply;
}

export interface RequestedEffect {
  activeRun: ActiveRun;
  /** Texts are evaluated before, outside the transaction. */
  effect: Exclude<Effect, { kind: 'evaluate' }>;
}

/** The error with which an operation refused the run. Throws errors that are not about the run. */
const failureOf = (error: unknown): RunError => {
  if (!(error instanceof ApiError) || isUnavailable(error)) throw error;
  const [first] = Object.values(error.invalidParams ?? {});
  return { code: error.key, message: first?.message ?? error.message };
};

const NO_CHAT: RunError = {
  code: 'no_chat',
  message: 'The run has no chat: no message was sent or received yet',
};

const withContact = ({ externalIds }: ActiveRun, contact: Contact): EffectResult => ({
  context: { contact, attributes: attributesOf(contact, externalIds) },
});

/** The effects on one contact or one chat. */
const single: {
  [K in Exclude<Effect['kind'], 'send' | 'evaluate'>]: (
    tx: TenantTx,
    activeRun: ActiveRun,
    effect: Extract<Effect, { kind: K }>,
  ) => Promise<EffectResult>;
} = {
  set_attribute: async (tx, activeRun, { externalId, value }) => {
    // The contact is locked and as the database has it: a value that it has changes nothing.
    const { attributes } = activeRun.context.contact;
    if (attributes.some((one) => one.externalId === externalId && one.value === value)) return {};
    const change = { attributes: [{ externalId, value }] };
    return withContact(activeRun, await changeContact(tx, activeRun.contactId, change));
  },
  add_label: async (tx, activeRun, { labelId }) =>
    withContact(activeRun, await addContactLabels(tx, activeRun.contactId, [{ id: labelId }])),
  remove_label: async (tx, activeRun, { labelId }) =>
    withContact(activeRun, await removeContactLabel(tx, activeRun.contactId, labelId)),
  assign: async (tx, { context }, { change }) =>
    context.chat
      ? { context: { chat: await assignChat(tx, context.chat.id, change, 'automation') } }
      : { failure: NO_CHAT },
  assign_in_turn: async (tx, { context, turns }, { teamId, maxOpenChats }) => {
    const { chat } = context;
    if (!chat) return { failure: NO_CHAT };
    const turn = await turns.take(tx, { teamId, maxOpenChats, chat });
    const change = { teamId, userId: turn.userId };
    return { context: { chat: await assignChat(tx, chat.id, change, 'automation') }, detail: { ...turn } };
  },
  set_chat_status: async (tx, { context }, { change }) => {
    if (!context.chat) return { failure: NO_CHAT };
    const status = { ...(change as object), triggerAutomations: true };
    return { context: { chat: await setChatStatus(tx, context.chat.id, status) } };
  },
  set_subscription: async (tx, activeRun, { status, channelKind }) => {
    const { runId, contactId, context, channelId } = activeRun;
    const usedId = context.chat?.channelId ?? channelId;
    const kind = channelKind ?? (usedId === null ? undefined : (await requireChannel(tx, usedId)).kind);
    const change = {
      contactId,
      // A run without a channel is about all of them.
      channelKinds: kind === undefined ? channelKinds : [kind],
      status,
      source: 'automation',
      at: 'now',
      proof: { runId },
    } as const;
    tx.publish(...(await recordConsents(tx, [change])));
    return withContact(activeRun, await requireContact(tx, contactId));
  },
  find_reply: async (tx, { runId, context, findReply }, { after }) => {
    const message = context.chat && (await findReply(tx, context.chat.id, after, runId));
    return message ? { messageId: message.id, context: { message } } : {};
  },
};

type SendEffect = Extract<Effect, { kind: 'send' }>;

/** Chooses, in this order, the step's channel, the template's channel, the run's chat, the trigger's channel. */
function destinationOf(
  { context, channelId }: ActiveRun,
  effect: SendEffect,
  templates: ReadonlyMap<string, MessageTemplate>,
): { chatId: string | null; channelId: string | null } | RunError {
  const given = effect.content.template;
  const template = given && templates.get(given.templateId);
  if (given && !template)
    return { code: 'template_gone', message: `There is no template ${given.templateId}` };
  const wanted = effect.channelId ?? template?.channelId ?? null;
  if (context.chat && (wanted === null || wanted === context.chat.channelId))
    return { chatId: context.chat.id, channelId: null };
  const destination = wanted ?? channelId;
  return destination === null
    ? {
        code: 'no_channel',
        message: 'Neither the step nor the trigger has a channel, and the run has no chat',
      }
    : { chatId: null, channelId: destination };
}

/** Finds each template once, as many runs send the same one. */
async function findTemplates(
  tx: TenantTx,
  requested: { effect: SendEffect }[],
): Promise<Map<string, MessageTemplate>> {
  const templates = new Map<string, MessageTemplate>();
  for (const id of new Set(requested.flatMap(({ effect }) => effect.content.template?.templateId ?? []))) {
    const template = await findTemplate(tx, id);
    if (template) templates.set(id, template);
  }
  return templates;
}

/** Until when the quiet hours of the contact last, on the channel over which it would be sent. */
function findQuiet(
  { context, hours, respectsQuietHours }: ActiveRun,
  { chatId, channelId }: { chatId: string | null; channelId: string | null },
  now: Date,
): Date | null {
  if (!respectsQuietHours || !hours) return null;
  const used = chatId === null ? channelId : (context.chat?.channelId ?? null);
  return hours.quietUntil(used, context.contact.timezone, now);
}

/** What the contact does not want is no failure of the automation. */
const UNWANTED: ReadonlySet<string> = new Set(['unsubscribed', 'opted_out']);
const withEnding = (failure: RunError): EffectResult =>
  UNWANTED.has(failure.code) ? { failure, ends: 'cancelled' } : { failure };

/**
 * A run that a public comment has started answers it in private, as long as the chat itself is closed for it. What a step names
 * itself comes first.
 */
function answerTo({ message, chat }: RunContext, now: Date): { replyToMessageId?: string } {
  if (message?.type !== 'comment') return {};
  const isOpen = chat?.openUntil != null && new Date(chat.openUntil) > now;
  return isOpen ? {} : { replyToMessageId: message.id };
}

async function sendAll(
  tx: TenantTx,
  requested: { activeRun: ActiveRun; effect: SendEffect }[],
  deps: SendDeps,
): Promise<EffectResult[]> {
  const results: EffectResult[] = [];
  const drafts: { index: number; draft: RunDraft }[] = [];
  const templates = await findTemplates(tx, requested);
  for (const [index, { activeRun, effect }] of requested.entries()) {
    const destination = destinationOf(activeRun, effect, templates);
    if ('code' in destination) {
      results[index] = { failure: destination };
      continue;
    }
    const quietUntil = findQuiet(activeRun, destination, tx.now);
    if (quietUntil) {
      results[index] = { quietUntil };
      continue;
    }
    if (deps.countMessage?.(activeRun.runId) === false) {
      results[index] = { isPostponed: true };
      continue;
    }
    drafts.push({
      index,
      draft: {
        ...destination,
        contactId: activeRun.contactId,
        content: { ...answerTo(activeRun.context, tx.now), ...effect.content },
        author: activeRun.author,
        purpose: activeRun.purpose,
        origin: { runId: activeRun.runId, runStep: effect.number, campaignId: activeRun.campaignId },
        closesChat: activeRun.closesChats,
      },
    });
  }
  const sent = await sendForRuns(
    tx,
    drafts.map(({ draft }) => draft),
    deps,
  );
  const known = drafts.map(({ index }) => {
    const { usesChat, context } = (requested[index] as (typeof requested)[number]).activeRun;
    return usesChat ? undefined : context.chat?.id;
  });
  const chatIds = sent.flatMap(({ message }, position) =>
    message && message.chatId !== known[position] ? message.chatId : [],
  );
  const chats = new Map<string, Chat>(
    (await findChats(tx, [...new Set(chatIds)])).map((chat) => [chat.id, chat]),
  );
  for (const [position, { index }] of drafts.entries()) {
    const { message, failure } = sent[position] as (typeof sent)[number];
    if (!message) results[index] = withEnding(failure as RunError);
    else if (message.chatId === known[position]) results[index] = { messageId: message.id };
    else results[index] = { messageId: message.id, context: { chat: chats.get(message.chatId) ?? null } };
  }
  return results;
}

/** Performs the effects of several runs, all messages in one statement. Returns a result for each. */
export async function performEffects(
  tx: TenantTx,
  requested: RequestedEffect[],
  deps: SendDeps,
): Promise<EffectResult[]> {
  const sends = requested.filter(
    (one): one is { activeRun: ActiveRun; effect: SendEffect } => one.effect.kind === 'send',
  );
  const sent = new Map<RequestedEffect, EffectResult>();
  if (sends.length > 0)
    for (const [index, result] of (await sendAll(tx, sends, deps)).entries())
      sent.set(sends[index] as RequestedEffect, result);
  const results: EffectResult[] = [];
  for (const one of requested) {
    const { activeRun, effect } = one;
    if (effect.kind === 'send') results.push(sent.get(one) as EffectResult);
    else {
      const perform = single[effect.kind](
        causedByRun(tx, activeRun.runId, activeRun.chainDepth),
        activeRun,
        effect as never,
      );
      results.push(await perform.catch((error) => ({ failure: failureOf(error) })));
    }
  }
  return results;
}
