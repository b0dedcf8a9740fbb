import { ApiError } from '../../base/errors.ts';
import { assignChat, setChatStatus } from '../../chats/change-chat.ts';
import { findChats } from '../../chats/chat.ts';
import type { Chat } from '../../chats/schema.ts';
import { changeContact } from '../../contacts/change-contact.ts';
import { addContactLabels, type ContactDeps, removeContactLabel } from '../../contacts/contact-labels.ts';
import type { Contact } from '../../contacts/schema.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { MESSAGE_COLUMNS, type MessageRow, presentMessage } from '../../messages/message.ts';
import type { Message } from '../../messages/schema.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import { findTemplate } from '../../templates/template.ts';
import { attributesOf, type RunContext } from './context.ts';
import type { Effect, EffectResult, Issue } from './interpreter.ts';

/** A message that a run wants sent: where, what, and as which of its doings. */
export interface RunDraft {
  /** The chat, or the channel on which the contact is to be reached. */
  chatId: string | null;
  channelId: string | null;
  contactId: string;
  text: string | null;
  media: { fileId?: string; url?: string } | null;
  template: { templateId: string; variables: Record<string, string> } | null;
  author: 'automation' | 'campaign';
  origin: { runId: string; runStep: number; campaignId: string | null };
}

/** Queues messages of runs in one go; each is queued or refused by itself. */
export type SendForRuns = (
  tx: Tx,
  tenantId: string,
  drafts: RunDraft[],
) => Promise<({ message: Message; issue?: undefined } | { message?: undefined; issue: Issue })[]>;

/** A run as its effects need to know it. */
export interface ActiveRun {
  runId: string;
  contactId: string;
  campaignId: string | null;
  /** Where the automation's trigger, or the campaign, says that it talks. */
  channelId: string | null;
  externalIds: readonly string[];
  context: RunContext;
  deps: ContactDeps;
}

export interface Asked {
  activeRun: ActiveRun;
  effect: Effect;
}

const firstReply = statement<[chatId: string, tenantId: string, after: string], MessageRow>(
  'automation_runs.first_reply',
  // By the order in which they came in: ids grow with real time, also where a test clock stands still. What came long
  // before need not be looked at; the clocks of two processes may differ a little.
  `select ${MESSAGE_COLUMNS} from messages m
    where m.tenant_id = $2 and m.chat_id = $1 and m.sender = 'inbound' and not m.is_automatic and m.id > $3
      and m.created_at >= coalesce((select created_at from messages where id = $3 and tenant_id = $2),
                                   (select created_at from automation_runs where id = $3 and tenant_id = $2),
                                   '-infinity') - interval '5 minutes'
    order by m.id limit 1`,
);

/** Why an operation refused, where that is the run's affair and not the database's. */
const issueOf = (error: unknown): Issue => {
  if (!(error instanceof ApiError) || error.key === 'service_unavailable') throw error;
  const [first] = Object.values(error.invalidParams ?? {});
  return { code: error.key, message: first?.message ?? error.message };
};

const NO_CHAT: Issue = {
  code: 'no_chat',
  message: 'The run has no chat: nothing was sent yet, and nobody wrote',
};

const withContact = ({ externalIds }: ActiveRun, contact: Contact): EffectResult => ({
  context: { contact, attributes: attributesOf(contact, externalIds) },
});

/** What is done to one contact or one chat. */
const single: {
  [K in Exclude<Effect['kind'], 'send'>]: (
    tx: Tx,
    tenantId: string,
    activeRun: ActiveRun,
    effect: Extract<Effect, { kind: K }>,
  ) => Promise<EffectResult>;
} = {
  set_attribute: async (tx, tenantId, activeRun, { externalId, value }) =>
    withContact(
      activeRun,
      await changeContact(
        tx,
        tenantId,
        activeRun.contactId,
        { attributes: [{ externalId, value }] },
        activeRun.deps,
      ),
    ),
  add_label: async (tx, tenantId, activeRun, { labelId }) =>
    withContact(
      activeRun,
      await addContactLabels(tx, tenantId, activeRun.contactId, [{ id: labelId }], activeRun.deps),
    ),
  remove_label: async (tx, tenantId, activeRun, { labelId }) =>
    withContact(
      activeRun,
      await removeContactLabel(tx, tenantId, activeRun.contactId, labelId, activeRun.deps),
    ),
  assign: async (tx, tenantId, { context, deps }, { change }) =>
    context.chat
      ? { context: { chat: await assignChat(tx, tenantId, context.chat.id, change, deps) } }
      : { issue: NO_CHAT },
  set_chat_status: async (tx, tenantId, { context, deps }, { change }) =>
    context.chat
      ? {
          context: {
            chat: await setChatStatus(
              tx,
              tenantId,
              context.chat.id,
              { ...(change as object), triggerAutomations: true },
              deps,
            ),
          },
        }
      : { issue: NO_CHAT },
  find_reply: async (tx, tenantId, { context }, { after }) => {
    const row = context.chat ? await tx.find(firstReply, [context.chat.id, tenantId, after]) : undefined;
    return row ? { messageId: row.id, context: { message: presentMessage(row) } } : {};
  },
};

type SendEffect = Extract<Effect, { kind: 'send' }>;

/** Where a message goes: where the step says, the template's channel, the run's chat, the trigger's channel. */
function placeOf(
  { context, channelId }: ActiveRun,
  effect: SendEffect,
  templates: ReadonlyMap<string, MessageTemplate>,
): { chatId: string | null; channelId: string | null } | Issue {
  const template = effect.template && templates.get(effect.template.templateId);
  if (effect.template && !template)
    return { code: 'template_gone', message: `There is no template ${effect.template.templateId}` };
  const asked = effect.channelId ?? template?.channelId ?? null;
  if (context.chat && (asked === null || asked === context.chat.channelId))
    return { chatId: context.chat.id, channelId: null };
  const onto = asked ?? channelId;
  return onto === null
    ? {
        code: 'no_channel',
        message: 'The step names no channel, the run has no chat, and its trigger names no channel either',
      }
    : { chatId: null, channelId: onto };
}

/** The templates that are to be sent. Many runs send the same one. */
async function templatesOf(
  tx: Tx,
  tenantId: string,
  asked: { effect: SendEffect }[],
): Promise<Map<string, MessageTemplate>> {
  const templates = new Map<string, MessageTemplate>();
  for (const id of new Set(asked.flatMap(({ effect }) => effect.template?.templateId ?? []))) {
    const template = await findTemplate(tx, tenantId, id);
    if (template) templates.set(id, template);
  }
  return templates;
}

async function sendAll(
  tx: Tx,
  tenantId: string,
  asked: { activeRun: ActiveRun; effect: SendEffect }[],
  send: SendForRuns,
): Promise<EffectResult[]> {
  const results: EffectResult[] = [];
  const drafts: { index: number; draft: RunDraft }[] = [];
  const templates = await templatesOf(tx, tenantId, asked);
  for (const [index, { activeRun, effect }] of asked.entries()) {
    const { contact } = activeRun.context;
    if (!contact.isSubscribed) {
      const message = 'The contact does not want to hear from automations and campaigns';
      results[index] = { issue: { code: 'unsubscribed', message }, ends: 'cancelled' };
      continue;
    }
    const place = placeOf(activeRun, effect, templates);
    if ('code' in place) {
      results[index] = { issue: place };
      continue;
    }
    drafts.push({
      index,
      draft: {
        ...place,
        contactId: activeRun.contactId,
        text: effect.text,
        media: effect.media,
        template: effect.template,
        author: activeRun.campaignId === null ? 'automation' : 'campaign',
        origin: { runId: activeRun.runId, runStep: effect.number, campaignId: activeRun.campaignId },
      },
    });
  }
  const sent = await send(
    tx,
    tenantId,
    drafts.map(({ draft }) => draft),
  );
  const chatIds = sent.flatMap(({ message }) => message?.chatId ?? []);
  const chats = new Map<string, Chat>(
    (await findChats(tx, tenantId, [...new Set(chatIds)])).map((chat) => [chat.id, chat]),
  );
  for (const [at, { index }] of drafts.entries()) {
    const { message, issue } = sent[at] as (typeof sent)[number];
    results[index] = message
      ? { messageId: message.id, context: { chat: chats.get(message.chatId) ?? null } }
      : { issue: issue as Issue };
  }
  return results;
}

/** Does what many runs ask for at once, messages all together, and says what became of each. */
export async function performEffects(
  tx: Tx,
  tenantId: string,
  asked: Asked[],
  send: SendForRuns,
): Promise<EffectResult[]> {
  const sends = asked.filter(
    (one): one is { activeRun: ActiveRun; effect: SendEffect } => one.effect.kind === 'send',
  );
  const sent = new Map<Asked, EffectResult>();
  if (sends.length > 0)
    for (const [index, done] of (await sendAll(tx, tenantId, sends, send)).entries())
      sent.set(sends[index] as Asked, done);
  const results: EffectResult[] = [];
  for (const one of asked) {
    const { activeRun, effect } = one;
    results.push(
      effect.kind === 'send'
        ? (sent.get(one) as EffectResult)
        : await single[effect.kind](tx, tenantId, activeRun, effect as never).catch((error) => ({
            issue: issueOf(error),
          })),
    );
  }
  return results;
}
