import { Duration } from 'luxon';
import { ApiError } from '../../base/errors.ts';
import { findChats } from '../../chats/chat.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Message } from '../../messages/schema.ts';
import { takeReply } from '../../messages/take-reply.ts';
import {
  type AdvanceDeps,
  advancedOf,
  executeSteps,
  type PendingEvaluation,
  type PreparedRun,
  placeOf,
  prepareRuns,
} from '../runs/advance.ts';
import { attributesOf } from '../runs/context.ts';
import type { StoredPlace } from '../runs/load-runs.ts';
import { storeAnswerIn } from '../runs/make-calls.ts';
import { presentEntry } from '../runs/run.ts';
import type { EffectResult, Ending, RunState, StepBatch, StoredCall, TraceEntry } from '../runs/state.ts';
import { storeStepBatches } from '../runs/store.ts';
import type { AutomationRun, AutomationRunWithTrace } from '../schema.ts';
import type { SimulatedCall } from './present.ts';
import { createReceiver } from './receive.ts';
import type { DryRun, DryRunBody, Reply } from './schema.ts';

export interface ExecutionDeps extends AdvanceDeps {
  /** Evaluates texts in a worker thread; undefined if the dry run may not take any longer. */
  evaluate(pending: PendingEvaluation): Promise<EffectResult | undefined>;
  isTooSlow(): boolean;
}

/** More than a definition can have. A run itself may execute 1000, in a loop. */
const MAX_STEPS = 300;
const DEFAULT_REPLY_AFTER = 'PT1M';

interface StoredRun extends StoredPlace {
  status: AutomationRun['status'];
  contact_id: string;
  chat_id: string | null;
  error: AutomationRun['error'];
  ended_at: Date | null;
}
const storedRun = statement<[runId: string], StoredRun>(
  'dry_run.run',
  `select r.id, r.status, r.contact_id, r.chat_id, r.step, r.state, r.error, r.ended_at
     from visible_automation_runs r where r.id = $1 and r.tenant_id = $tenant`,
);

/** A call without the parts that may contain secrets. */
const shownRequest = (call: StoredCall): SimulatedCall['request'] => ({
  method: call.method,
  url: call.url,
  headers: 'sealed' in call ? null : call.headers,
  body: 'sealed' in call ? null : call.body,
  usesSecrets: 'sealed' in call,
});

/** When the contact answers a question that was asked now. */
const replyTime = ({ after = DEFAULT_REPLY_AFTER }: Reply, now: Date): Date =>
  new Date(now.getTime() + Duration.fromISO(after).toMillis());

const isAnswer = (reply: Reply | undefined): reply is Reply =>
  reply?.text !== undefined || reply?.content !== undefined;

/** Its contact is being erased. */
const erased = (): ApiError => new ApiError('contact_not_found');

async function readRun(tx: TenantTx, runId: string): Promise<StoredRun> {
  const run = await tx.find(storedRun, [runId]);
  if (!run) throw erased();
  return run;
}

/**
 * Reads what texts and conditions can use again, after a message was received in the chat of the run, and takes the message as its
 * reply. Returns the run if it has ended.
 */
async function readReply(tx: TenantTx, { at, run, activeRun }: PreparedRun, chatId: string) {
  const { context, externalIds, runId } = activeRun;
  const [[sameChat], reply] = await Promise.all([
    findChats(tx, [chatId]),
    takeReply(tx, chatId, at.state.after, runId),
  ]);
  if (sameChat?.contactId === activeRun.contactId) {
    const { contact } = sameChat;
    activeRun.context = {
      ...context,
      contact,
      chat: sameChat,
      attributes: attributesOf(contact, externalIds),
    };
    return { reply, ended: undefined };
  }
  // The message made one contact of two, and moved the run.
  const moved = await readRun(tx, runId);
  const [chat] = await findChats(tx, moved.chat_id === null ? [] : [moved.chat_id]);
  if (chat?.contactId !== moved.contact_id) throw erased();
  const { contact } = chat;
  run.chat_id = chat.id;
  activeRun.contactId = contact.id;
  activeRun.context = { ...context, contact, chat, attributes: attributesOf(contact, externalIds) };
  return {
    reply: reply ?? (await takeReply(tx, chat.id, at.state.after, runId)),
    ended: moved.status === 'waiting' ? undefined : moved,
  };
}

/** Why a run is not executed any further; undefined if it is. */
function findLimit({ begun }: RunState, { isTooSlow }: ExecutionDeps): DryRun['stoppedBy'] | undefined {
  if (begun >= MAX_STEPS) return 'too_many_steps';
  return isTooSlow() ? 'too_slow' : undefined;
}

/** What became of a run. */
interface Executed extends Pick<AutomationRunWithTrace, 'status' | 'error' | 'variables' | 'trace'> {
  /** The calls by the numbers of their steps. */
  calls: ReadonlyMap<number, SimulatedCall>;
  /** Its last chat. */
  chatId: string | null;
  stoppedBy: DryRun['stoppedBy'];
}

/** A run that is executed in memory, from step batch to step batch. */
class SimulatedRun {
  private readonly calls = new Map<number, SimulatedCall>();
  private readonly trace = new Map<number, TraceEntry>();
  private readonly receiving = createReceiver();
  private questions = 0;
  /** What the contact has written since the run looked for a reply. It has locked its chat, so that nobody else writes there. */
  private reply: Message | undefined;
  /** The chat in which the stored run waits for a reply. */
  private waitsIn: string | null = null;
  private readonly tx: TenantTx;
  private readonly clock: { now: Date };
  private readonly prepared: PreparedRun;
  private readonly given: Pick<DryRunBody, 'replies' | 'responses'>;
  private readonly deps: ExecutionDeps;
  constructor(
    tx: TenantTx,
    clock: { now: Date },
    prepared: PreparedRun,
    given: Pick<DryRunBody, 'replies' | 'responses'>,
    deps: ExecutionDeps,
  ) {
    prepared.activeRun.findReply = async () => {
      const message = this.reply;
      this.reply = undefined;
      return message;
    };
    this.tx = tx;
    this.clock = clock;
    this.prepared = prepared;
    this.given = given;
    this.deps = deps;
  }

  /** Executes the steps up to where the run waits, calls or ends. */
  async executeBatch(): Promise<StepBatch> {
    const { prepared, deps } = this;
    const { activeRun, at } = prepared;
    // A question that was not answered has no message.
    if (activeRun.context.message?.id !== at.state.messageId)
      activeRun.context = { ...activeRun.context, message: null };
    const evaluate = async (pending: PendingEvaluation): Promise<EffectResult> =>
      (await deps.evaluate(pending)) ?? { isPostponed: true };
    const [batch] = (await executeSteps(this.tx, [prepared], evaluate, deps)) as [StepBatch];
    for (const entry of batch.trace) this.trace.set(entry.number, entry);
    prepared.at = { step: batch.step, state: batch.state };
    return batch;
  }

  private store(batch: StepBatch): Promise<void> {
    const { prepared, deps } = this;
    const advanced = advancedOf(prepared, { ...batch, trace: [] }, deps);
    prepared.run.revision += 1;
    return storeStepBatches(this.tx, [advanced]);
  }

  /** Answers the call of a step. The answer is stored, because a run reads it as the database has it. */
  async answerCall(batch: StepBatch): Promise<void> {
    const { tx, prepared } = this;
    const { responses = {} } = this.given;
    const step = batch.step ?? '';
    const given = Object.hasOwn(responses, step) ? responses[step] : undefined;
    const response = { status: 200, body: {}, ...given };
    const { call } = advancedOf(prepared, batch, this.deps).stepBatch.state.pending ?? {};
    if (call)
      this.calls.set(batch.state.begun, {
        request: shownRequest(call),
        response,
        isAssumed: given === undefined,
      });
    await this.store(batch);
    this.waitsIn = null;
    storeAnswerIn(tx, prepared.run.id, prepared.run.revision, { saved: response });
    prepared.at = placeOf(await readRun(tx, prepared.run.id));
  }

  /** Lets the time pass until the step goes on, or until the contact replies to it. Returns the run if that has ended it. */
  async wait(
    batch: StepBatch,
    { until, forReply }: Extract<Ending, { kind: 'waiting' }>,
  ): Promise<StoredRun | undefined> {
    const { tx, prepared, deps } = this;
    const { chat } = prepared.activeRun.context;
    const reply = forReply ? this.given.replies?.[this.questions++] : undefined;
    const repliedAt = isAnswer(reply) ? replyTime(reply, this.clock.now) : until;
    if (!isAnswer(reply) || repliedAt > until || !chat) {
      this.clock.now = until;
      return undefined;
    }
    // What the contact writes may depend on whether a run waits for it. Nothing else looks at the stored one.
    const stored = this.waitsIn === chat.id ? undefined : this.store(batch);
    this.waitsIn = chat.id;
    this.clock.now = repliedAt;
    await Promise.all([stored, this.receiving(tx, chat.id, reply, deps)]);
    const { reply: message, ended } = await readReply(tx, prepared, chat.id);
    this.reply = message;
    return ended;
  }

  /** What has become of it. */
  describe({ state: { variables } }: StepBatch, ended: Pick<StoredRun, 'status' | 'error' | 'ended_at'>) {
    const { activeRun, run } = this.prepared;
    return {
      status: ended.status,
      error: ended.error,
      variables,
      trace: [...this.trace.values()].map(({ startedAt, endedAt, ...entry }) =>
        presentEntry({ ...entry, started_at: startedAt, ended_at: endedAt }, ended),
      ),
      calls: this.calls,
      chatId: activeRun.context.chat?.id ?? run.chat_id,
    };
  }
}

/**
 * Executes a run to its end. It is loaded once and not stored: between two step batches only a message of the contact changes
 * something, and the effects of steps return what they have changed. When each step batch was stored and loaded, 50 steps took
 * twice as many statements.
 */
export async function executeRun(
  tx: TenantTx,
  clock: { now: Date },
  runId: string,
  given: Pick<DryRunBody, 'replies' | 'responses'>,
  deps: ExecutionDeps,
): Promise<Executed> {
  const [prepared] = await prepareRuns(tx, [runId], deps);
  if (!prepared) {
    // The channel of its chat is being deleted, so that it was cancelled, or its contact is being erased.
    const { status, error, chat_id, state } = await readRun(tx, runId);
    const variables = state.variables ?? {};
    return { status, error, variables, trace: [], calls: new Map(), chatId: chat_id, stoppedBy: null };
  }
  const run = new SimulatedRun(tx, clock, prepared, given, deps);
  for (;;) {
    const batch = await run.executeBatch();
    const { ending, state } = batch;
    if (ending.kind === 'completed' || ending.kind === 'failed' || ending.kind === 'cancelled') {
      const error = 'failure' in ending ? ending.failure : null;
      const ended = { status: ending.kind, error, ended_at: clock.now };
      return { ...run.describe(batch, ended), stoppedBy: null };
    }
    const stoppedBy = findLimit(state, deps);
    if (stoppedBy) {
      const stopped = { status: 'running' as const, error: null, ended_at: null };
      return { ...run.describe(batch, stopped), stoppedBy };
    }
    if (ending.kind === 'calling') await run.answerCall(batch);
    const ended = ending.kind === 'waiting' ? await run.wait(batch, ending) : undefined;
    if (ended) return { ...run.describe(batch, ended), stoppedBy: null };
  }
}
