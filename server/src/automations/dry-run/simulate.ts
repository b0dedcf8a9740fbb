import { Duration } from 'luxon';
import { ApiError } from '../../base/errors.ts';
import type { NewEvent } from '../../base/events.ts';
import { newId } from '../../base/ids.ts';
import { findChats } from '../../chats/chat.ts';
import type { Chat } from '../../chats/schema.ts';
import { findContacts, lockContacts, requireContact } from '../../contacts/contact.ts';
import type { Contact } from '../../contacts/schema.ts';
import { chatValues, compareValues, contactValues } from '../../contacts/timeline/changes.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { findMessages, MESSAGE_COLUMNS, type MessageRow, presentMessage } from '../../messages/message.ts';
import { createKeywordFinder } from '../definition/keywords.ts';
import { type AdvanceDeps, advanceRuns, type PendingEvaluation } from '../runs/advance.ts';
import { storeAnswerIn } from '../runs/make-calls.ts';
import { requireRun } from '../runs/run.ts';
import { type EffectResult, freshState, type StoredCall } from '../runs/state.ts';
import type { AutomationRun, Definition, Scalar } from '../schema.ts';
import { findPause, insertNewRuns } from '../triggers/events.ts';
import { matchAutomation, type Obstacle } from '../triggers/match.ts';
import { wakeReplied } from '../triggers/replies.ts';
import { chatToWriteIn, receiveMessage } from './receive.ts';
import type { DryRun, DryRunBody, Reply } from './schema.ts';

/** What a dry run executes. */
export interface Simulation extends Omit<DryRunBody, 'definition' | 'versionId' | 'variables' | 'at'> {
  automationId: string;
  /** Null for a definition that is not saved. */
  versionId: string | null;
  definition: Definition;
  variables: Record<string, Scalar>;
  at: Date | undefined;
  /** The channels whose chats the caller sees; undefined for all. */
  visibleIds: ReadonlySet<string> | undefined;
}

export interface SimulationDeps extends AdvanceDeps {
  /** Evaluates texts in a worker thread; undefined if the dry run may not take any longer. */
  evaluate(pending: PendingEvaluation): Promise<EffectResult | undefined>;
  isTooSlow(): boolean;
}

/** More than a definition can have. A run itself may execute 1000, in a loop. */
const MAX_STEPS = 300;
const DEFAULT_REPLY_AFTER = 'PT1M';

const insertUnsaved = statement<
  [id: string, automationId: string, number: number, definition: string, now: Date]
>(
  'dry_run.insert_version',
  `insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
   values ($1, $tenant, $2, $3, $4, $5)`,
);
const lockChats = statement<[contactId: string], { id: string }>(
  'dry_run.lock_chats',
  `select id from visible_chats where contact_id = $1 and (tenant_id = $tenant) is true order by id for no key update`,
);
const progressOf = statement<[runId: string], Progress>(
  'dry_run.progress',
  `select r.status, r.step, r.chat_id, r.waiting_reply, r.due_at, r.is_calling, r.revision,
          (r.state ->> 'begun')::int as begun, r.state -> 'pending' -> 'call' as call
     from visible_automation_runs r where r.id = $1 and r.tenant_id = $tenant`,
);
const messagesOfRun = statement<[runId: string], MessageRow & { run_step: number }>(
  'dry_run.messages',
  `select ${MESSAGE_COLUMNS}, m.run_step from visible_messages m
    where m.run_id = $1 and (m.tenant_id = $tenant) is true`,
);

interface Progress {
  status: AutomationRun['status'];
  step: string | null;
  chat_id: string | null;
  waiting_reply: boolean;
  due_at: Date | null;
  is_calling: boolean;
  revision: number;
  begun: number;
  call: StoredCall | null;
}

/** The same transaction with a time of its own. Its events are kept here, and never stored. */
function simulatedTx(tx: TenantTx, clock: { now: Date }, published: NewEvent[]): TenantTx {
  return Object.create(tx, {
    now: { get: () => clock.now },
    publish: { value: (...events: NewEvent[]) => void published.push(...events) },
  });
}

type Call = NonNullable<DryRun['trace'][number]['call']>;

/** A call without the parts that may contain secrets. */
const shownCall = (call: StoredCall, response: Call['response'], isAssumed: boolean): Call => ({
  method: call.method,
  url: call.url,
  headers: 'sealed' in call ? null : call.headers,
  body: 'sealed' in call ? null : call.body,
  usesSecrets: 'sealed' in call,
  response,
  isAssumed,
});

/** The events by which a message of the contact can start automations. */
const STARTING: ReadonlySet<string> = new Set(['message.received', 'chat.created', 'chat.status_changed']);

/** Why a message that was received would not start the automation: by itself, or by opening its chat. */
async function findStartReason(
  tx: TenantTx,
  { automationId, definition: { trigger, variables } }: Simulation,
  messageId: string,
  published: readonly NewEvent[],
  isNewChat: boolean,
): Promise<Obstacle | null> {
  const [message] = await findMessages(tx, [messageId]);
  if (!message) return 'other_trigger';
  const pause = await findPause(tx, message.chatId);
  const hasKeyword = createKeywordFinder(message.text);
  const reasons = published
    .filter(({ type }) => STARTING.has(type))
    .map(({ type, facts, channelId, contactId }) => {
      // A chat that is created for this message would have been created by it.
      const ownFacts = type === 'chat.created' && isNewChat ? { ...facts, trigger: 'chat_opened' } : facts;
      return matchAutomation(
        {
          id: automationId,
          version_id: '',
          trigger_type: trigger.type,
          channel_id: (trigger.parameters?.channelId as string | undefined) ?? null,
          parameters: trigger.parameters ?? {},
          variables,
        },
        {
          event: {
            type,
            facts: ownFacts ?? null,
            origin_run_id: null,
            channel_id: channelId,
            contact_id: contactId,
          },
          message: type === 'message.received' ? message : null,
          pause,
          hasKeyword,
        },
      ).obstacle;
    });
  return reasons.includes(null)
    ? null
    : (reasons.find((reason) => reason !== 'other_trigger') ?? 'other_trigger');
}

/** When the contact answers a question that was asked now. */
const replyTime = ({ after = DEFAULT_REPLY_AFTER }: Reply, now: Date): Date =>
  new Date(now.getTime() + Duration.fromISO(after).toMillis());

const isAnswer = (reply: Reply | undefined): reply is Reply =>
  reply?.text !== undefined || reply?.content !== undefined;

/** What a run begins with. */
interface Beginning {
  contact: Contact;
  chatId: string | null;
  /** Null if there was no chat before. */
  chatBefore: Chat | null;
  startReason: Obstacle | null;
  runId: string;
}

/** Receives the message of the contact, if there is one, and inserts the run. */
async function beginRun(
  tx: TenantTx,
  simulation: Simulation,
  published: NewEvent[],
  deps: SimulationDeps,
): Promise<Beginning> {
  const { automationId, definition, variables, message, visibleIds } = simulation;
  // In the order that holds everywhere: a message that is received locks its chat before the run locks its contact.
  await lockContacts(tx, [simulation.contactId]);
  await tx.all(lockChats, [simulation.contactId]);
  const contact = await requireContact(tx, simulation.contactId);
  const [givenChat] = simulation.chatId === undefined ? [] : await findChats(tx, [simulation.chatId]);
  if (simulation.chatId !== undefined && givenChat?.contactId !== contact.id)
    throw new ApiError('chat_not_found');
  const triggerChannel = (definition.trigger.parameters?.channelId as string | undefined) ?? null;
  const chatId =
    message && !givenChat
      ? await chatToWriteIn(tx, contact.id, message.channelId ?? triggerChannel, visibleIds)
      : (givenChat?.id ?? null);
  const isKnown = contact.chats.some(({ id }) => id === chatId);
  const [chatBefore = null] = chatId !== null && isKnown ? await findChats(tx, [chatId]) : [];
  const messageId = message && chatId ? await receiveMessage(tx, chatId, message, deps) : undefined;
  const startReason =
    messageId === undefined ? null : await findStartReason(tx, simulation, messageId, published, !isKnown);

  const runId = newId();
  const versionId = simulation.versionId ?? newId();
  if (simulation.versionId === null)
    // Numbers of saved versions are positive. A number of its own, because two dry runs must not wait for each other.
    await tx.run(insertUnsaved, [
      versionId,
      automationId,
      -1 - Math.floor(Math.random() * 2 ** 30),
      JSON.stringify(definition),
      tx.now,
    ]);
  insertNewRuns(tx, [
    {
      id: runId,
      automation: { id: automationId, version_id: versionId },
      event: { id: newId(), contact_id: contact.id, chat_id: chatId },
      state: JSON.stringify(freshState(runId, variables, messageId ?? null)),
      error: null,
      startsAt: '-infinity',
    },
  ]);
  return { contact, chatId, chatBefore, startReason, runId };
}

/** Executes the run to its end. Returns its calls by the numbers of their steps, and what ended it before. */
async function executeRun(
  tx: TenantTx,
  clock: { now: Date },
  runId: string,
  { replies = [], responses = {} }: Simulation,
  deps: SimulationDeps,
): Promise<{ calls: Map<number, Call>; stoppedBy: DryRun['stoppedBy'] }> {
  const calls = new Map<number, Call>();
  let questions = 0;
  let evaluated = new Map<string, EffectResult>();
  for (;;) {
    const [pending] = await advanceRuns(tx, [runId], evaluated, deps);
    const result = pending && (await deps.evaluate(pending));
    evaluated = result ? new Map([[runId, result]]) : new Map();
    const run = await tx.find(progressOf, [runId]);
    // The contact is being erased.
    if (!run) throw new ApiError('contact_not_found');
    if (!['scheduled', 'running', 'waiting'].includes(run.status)) return { calls, stoppedBy: null };
    if (run.begun >= MAX_STEPS) return { calls, stoppedBy: 'too_many_steps' };
    if ((pending && !result) || deps.isTooSlow()) return { calls, stoppedBy: 'too_slow' };
    if (run.is_calling && run.call) {
      const given = Object.hasOwn(responses, run.step ?? '') ? responses[run.step ?? ''] : undefined;
      const response = { status: given?.status ?? 200, body: given?.body ?? null };
      calls.set(run.begun, shownCall(run.call, response, given === undefined));
      storeAnswerIn(tx, runId, run.revision, { saved: response });
    }
    if (run.status !== 'waiting' || run.due_at === null) continue;
    const reply = run.waiting_reply ? replies[questions++] : undefined;
    const repliedAt = isAnswer(reply) ? replyTime(reply, clock.now) : run.due_at;
    clock.now = repliedAt < run.due_at ? repliedAt : run.due_at;
    if (!isAnswer(reply) || repliedAt > run.due_at || run.chat_id === null) continue;
    await receiveMessage(tx, run.chat_id, reply, deps);
    await wakeReplied(tx, [runId]);
  }
}

/** What of a contact and of the chat of a run is different. */
function findChanges(before: [Contact, Chat | null], after: [Contact, Chat | null]): DryRun['changes'] {
  const valuesOf = (chat: Chat | null) => (chat ? chatValues(chat) : new Map<string, string | null>());
  const ofChat = compareValues(valuesOf(before[1]), valuesOf(after[1]));
  return [
    ...compareValues(contactValues(before[0]), contactValues(after[0])),
    ...ofChat.map((change) => ({ ...change, field: `chat.${change.field}` })),
  ];
}

/** Executes a run with the functions that execute any run, in a transaction that the caller rolls back. */
export async function simulateRun(
  realTx: TenantTx,
  simulation: Simulation,
  deps: SimulationDeps,
): Promise<DryRun> {
  const startedAt = simulation.at ?? realTx.now;
  const clock = { now: startedAt };
  const published: NewEvent[] = [];
  const tx = simulatedTx(realTx, clock, published);
  const { contact, chatId, chatBefore, startReason, runId } = await beginRun(tx, simulation, published, deps);
  const { calls, stoppedBy } = await executeRun(tx, clock, runId, simulation, deps);
  const run = await requireRun(tx, runId);
  const rows = await tx.all(messagesOfRun, [runId]);
  const sent = new Map(rows.map((row) => [row.run_step, presentMessage(row, tx)]));
  const [contactAtEnd = contact] = await findContacts(tx, [contact.id]);
  const [chatAtEnd = null] = await findChats(
    tx,
    [chatId ?? run.chatId].filter((id) => id !== null),
  );
  const known = new Set(contact.chats.map(({ id }) => id));
  return {
    automationId: run.automationId,
    versionId: simulation.versionId,
    contactId: contact.id,
    startReason,
    status: stoppedBy ? 'stopped' : (run.status as DryRun['status']),
    stoppedBy,
    startedAt: startedAt.toISOString(),
    endedAt: clock.now.toISOString(),
    variables: run.variables,
    error: run.error,
    trace: run.trace.map((entry) => {
      const message = sent.get(entry.number);
      return {
        ...entry,
        message: message ? { ...message, chatId: known.has(message.chatId) ? message.chatId : null } : null,
        call: calls.get(entry.number) ?? null,
      };
    }),
    changes: findChanges([contact, chatBefore], [contactAtEnd, chatAtEnd]),
  };
}
