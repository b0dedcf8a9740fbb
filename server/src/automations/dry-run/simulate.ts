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
import type { Message } from '../../messages/schema.ts';
import { createKeywordFinder } from '../definition/keywords.ts';
import { compileProgram } from '../runs/program.ts';
import { freshState } from '../runs/state.ts';
import type { Definition, Scalar } from '../schema.ts';
import { findPause, insertNewRuns } from '../triggers/events.ts';
import { reasonOf } from '../triggers/explanation.ts';
import { matchAutomation, type Obstacle } from '../triggers/match.ts';
import { type ExecutionDeps, executeRun } from './execute.ts';
import { presentSteps } from './present.ts';
import { chatToWriteIn, createReceiver } from './receive.ts';
import type { DryRun, DryRunBody } from './schema.ts';

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
const messagesOfRun = statement<[runId: string], MessageRow & { run_step: number }>(
  'dry_run.messages',
  `select ${MESSAGE_COLUMNS}, m.run_step from visible_messages m
    where m.run_id = $1 and (m.tenant_id = $tenant) is true`,
);

/** The same transaction with a time of its own. Its events are kept here, and never stored. */
function simulatedTx(tx: TenantTx, clock: { now: Date }, published: NewEvent[]): TenantTx {
  return Object.create(tx, {
    now: { get: () => clock.now },
    publish: { value: (...events: NewEvent[]) => void published.push(...events) },
  });
}

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
  deps: ExecutionDeps,
): Promise<Beginning> {
  const { automationId, definition, variables, message, visibleIds } = simulation;
  // In the order that holds everywhere: a message that is received locks its chat before the run locks its contact.
  const [, , [givenChat]] = await Promise.all([
    lockContacts(tx, [simulation.contactId]),
    tx.all(lockChats, [simulation.contactId]),
    findChats(tx, simulation.chatId === undefined ? [] : [simulation.chatId]),
  ]);
  // A chat is read with its contact.
  const contact =
    givenChat?.contactId === simulation.contactId
      ? givenChat.contact
      : await requireContact(tx, simulation.contactId);
  if (simulation.chatId !== undefined && givenChat?.contactId !== contact.id)
    throw new ApiError('chat_not_found');
  const triggerChannel = (definition.trigger.parameters?.channelId as string | undefined) ?? null;
  const chatId =
    message && !givenChat
      ? await chatToWriteIn(tx, contact, message.channelId ?? triggerChannel, visibleIds)
      : (givenChat?.id ?? null);
  const isKnown = contact.chats.some(({ id }) => id === chatId);
  const [chatBefore = null] =
    givenChat || chatId === null || !isKnown ? [givenChat] : await findChats(tx, [chatId]);
  if (message && chatId) await createReceiver()(tx, chatId, message, deps);
  const received = published.find(({ type }) => type === 'message.received');
  const messageId = (received?.data as Message | undefined)?.id;
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
  else deps.programs.set(versionId, compileProgram(definition));
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
  deps: ExecutionDeps,
): Promise<DryRun> {
  const startedAt = simulation.at ?? realTx.now;
  const clock = { now: startedAt };
  const published: NewEvent[] = [];
  const tx = simulatedTx(realTx, clock, published);
  const { contact, chatId, chatBefore, startReason, runId } = await beginRun(tx, simulation, published, deps);
  const run = await executeRun(tx, clock, runId, simulation, deps);
  const lastChatId = chatId ?? run.chatId;
  const [rows, [chatAtEnd = null]] = await Promise.all([
    tx.all(messagesOfRun, [runId]),
    findChats(tx, lastChatId === null ? [] : [lastChatId]),
  ]);
  const sent = new Map(rows.map((row) => [row.run_step, presentMessage(row, tx)]));
  const [contactAtEnd = contact] =
    chatAtEnd?.contactId === contact.id ? [chatAtEnd.contact] : await findContacts(tx, [contact.id]);
  return {
    automationId: simulation.automationId.toLowerCase(),
    versionId: simulation.versionId,
    contactId: contact.id,
    startReason: startReason && reasonOf(startReason),
    status: run.stoppedBy ? 'stopped' : (run.status as DryRun['status']),
    stoppedBy: run.stoppedBy,
    startedAt: startedAt.toISOString(),
    endedAt: clock.now.toISOString(),
    variables: run.variables,
    error: run.error,
    ...presentSteps({
      definition: simulation.definition,
      trace: run.trace,
      sent,
      calls: run.calls,
      knownChatIds: new Set(contact.chats.map(({ id }) => id)),
    }),
    changes: findChanges([contact, chatBefore], [contactAtEnd, chatAtEnd]),
  };
}
