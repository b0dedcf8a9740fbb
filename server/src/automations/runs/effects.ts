import { ApiError, isUnavailable } from '../../base/errors.ts';
import { assignChat, setChatStatus } from '../../chats/change-chat.ts';
import { findChats } from '../../chats/chat.ts';
import type { Chat } from '../../chats/schema.ts';
import { changeContact } from '../../contacts/change-contact.ts';
import { addContactLabels, removeContactLabel } from '../../contacts/contact-labels.ts';
import type { Contact } from '../../contacts/schema.ts';
import { statement } from '../../db/statement.ts';
import { causedByRun, type TenantTx } from '../../db/tenant.ts';
import { MESSAGE_COLUMNS, type MessageRow, presentMessage } from '../../messages/message.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import { findTemplate } from '../../templates/template.ts';
import { attributesOf, type RunContext } from './context.ts';
import { type RunDraft, type SendDeps, sendForRuns } from './send.ts';
import type { Effect, EffectResult, RunError } from './state.ts';

/** A run whose steps are being executed. */
export interface ActiveRun {
  runId: string;
  contactId: string;
  campaignId: string | null;
  /** How many runs came before it, each started by an event of the one before. */
  chainDepth: number;
  /** The channel of the automation's trigger, or of the campaign. */
  channelId: string | null;
  externalIds: readonly string[];
  context: RunContext;
}

export interface RequestedEffect {
  activeRun: ActiveRun;
  /** Texts are evaluated before, outside the transaction. */
  effect: Exclude<Effect, { kind: 'evaluate' }>;
}

const firstReply = statement<[chatId: string, after: string], MessageRow>(
  'automation_runs.first_reply',
  // In the order of ids, which grow with real time, also while a test clock stands still. The bound on created_at keeps the
  // scan short; five minutes allow for different clocks of two processes.
  `select ${MESSAGE_COLUMNS} from visible_messages m
    where m.tenant_id = $tenant and m.chat_id = $1 and m.sender = 'inbound' and not m.is_automatic and m.id > $2
      and m.created_at >= coalesce((select created_at from messages where id = $2 and tenant_id = $tenant),
                                   (select created_at from automation_runs where id = $2 and tenant_id = $tenant),
                                   '-infinity') - interval '5 minutes'
    order by m.id limit 1`,
);

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
  set_attribute: async (tx, activeRun, { externalId, value }) =>
    withContact(
      activeRun,
      await changeContact(tx, activeRun.contactId, { attributes: [{ externalId, value }] }),
    ),
  add_label: async (tx, activeRun, { labelId }) =>
    withContact(activeRun, await addContactLabels(tx, activeRun.contactId, [{ id: labelId }])),
  remove_label: async (tx, activeRun, { labelId }) =>
    withContact(activeRun, await removeContactLabel(tx, activeRun.contactId, labelId)),
  assign: async (tx, { context }, { change }) =>
    context.chat
      ? { context: { chat: await assignChat(tx, context.chat.id, change) } }
      : { failure: NO_CHAT },
  set_chat_status: async (tx, { context }, { change }) => {
    if (!context.chat) return { failure: NO_CHAT };
    const status = { ...(change as object), triggerAutomations: true };
    return { context: { chat: await setChatStatus(tx, context.chat.id, status) } };
  },
  find_reply: async (tx, { context }, { after }) => {
    const row = context.chat ? await tx.find(firstReply, [context.chat.id, after]) : undefined;
    return row ? { messageId: row.id, context: { message: presentMessage(row) } } : {};
  },
};

type SendEffect = Extract<Effect, { kind: 'send' }>;

/** Chooses, in this order, the step's channel, the template's channel, the run's chat, the trigger's channel. */
function destinationOf(
  { context, channelId }: ActiveRun,
  effect: SendEffect,
  templates: ReadonlyMap<string, MessageTemplate>,
): { chatId: string | null; channelId: string | null } | RunError {
  const template = effect.template && templates.get(effect.template.templateId);
  if (effect.template && !template)
    return { code: 'template_gone', message: `There is no template ${effect.template.templateId}` };
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
  for (const id of new Set(requested.flatMap(({ effect }) => effect.template?.templateId ?? []))) {
    const template = await findTemplate(tx, id);
    if (template) templates.set(id, template);
  }
  return templates;
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
    const { contact } = activeRun.context;
    if (!contact.isSubscribed) {
      const message = 'The contact is not subscribed to messages of automations and campaigns';
      results[index] = { failure: { code: 'unsubscribed', message }, ends: 'cancelled' };
      continue;
    }
    const destination = destinationOf(activeRun, effect, templates);
    if ('code' in destination) {
      results[index] = { failure: destination };
      continue;
    }
    drafts.push({
      index,
      draft: {
        ...destination,
        contactId: activeRun.contactId,
        text: effect.text,
        media: effect.media,
        template: effect.template,
        author: activeRun.campaignId === null ? 'automation' : 'campaign',
        origin: { runId: activeRun.runId, runStep: effect.number, campaignId: activeRun.campaignId },
      },
    });
  }
  const sent = await sendForRuns(
    tx,
    drafts.map(({ draft }) => draft),
    deps,
  );
  const chatIds = sent.flatMap(({ message }) => message?.chatId ?? []);
  const chats = new Map<string, Chat>(
    (await findChats(tx, [...new Set(chatIds)])).map((chat) => [chat.id, chat]),
  );
  for (const [position, { index }] of drafts.entries()) {
    const { message, failure } = sent[position] as (typeof sent)[number];
    results[index] = message
      ? { messageId: message.id, context: { chat: chats.get(message.chatId) ?? null } }
      : { failure: failure as RunError };
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
