import type { StepType } from '../definition/steps.ts';
import type { Scalar } from '../schema.ts';
import { type RunContext, type Saved, scopeOf } from './context.ts';
import type { Program, ProgramStep } from './program.ts';
import { perform } from './steps.ts';

/** A run executes at most this many steps, so that a loop ends. */
const MAX_STEPS = 1000;
/** How many steps a run executes before other runs continue. */
const STEPS_PER_BATCH = 100;

export interface RunError {
  code: string;
  message: string;
}

/** The state of a run between two step batches. */
export interface RunState {
  variables: Record<string, Scalar>;
  saved: Record<string, Saved>;
  /** The inbound message that started the run, later the last reply. */
  messageId: string | null;
  /** Only replies after this id count: the run's last message, its last reply, or the run itself. */
  after: string;
  /** How many steps have begun. */
  begun: number;
  /** The times of the step that has started and not ended. */
  pending: { startedAt: string; until: string | null } | null;
  /** The template of the campaign for the first `send_template` step; null after that step. */
  templateId: string | null;
}

/** An executed step. */
export interface TraceEntry {
  number: number;
  step: string;
  type: StepType;
  status: 'running' | 'waiting' | 'completed' | 'failed';
  detail: Record<string, unknown>;
  error: RunError | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** A change that a step requests. It is made in the transaction of the step batch. */
export type Effect =
  | {
      kind: 'send';
      number: number;
      channelId: string | null;
      text: string | null;
      media: { fileId?: string; url?: string } | null;
      template: { templateId: string; variables: Record<string, string> } | null;
    }
  | { kind: 'set_attribute'; externalId: string; value: string }
  | { kind: 'add_label' | 'remove_label'; labelId: string }
  | { kind: 'assign'; change: { userId?: string | null; teamId?: string | null } }
  | { kind: 'set_chat_status'; change: { status: string; snoozedUntil?: string } }
  | { kind: 'find_reply'; after: string };

/** What an effect changed, or why it failed. */
export type EffectResult =
  | { failure: RunError; ends?: 'cancelled' }
  | { failure?: undefined; context?: Partial<RunContext>; messageId?: string };

/** A call to an outside server, made between two step batches. */
export interface OutsideCall {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  saveAs: string | null;
}

export type Ending =
  | { kind: 'completed' }
  | { kind: 'failed' | 'cancelled'; failure: RunError }
  | { kind: 'waiting'; until: Date; forReply: boolean }
  | { kind: 'calling'; call: OutsideCall }
  | { kind: 'unfinished' };

/** The result of a step. */
export type Outcome =
  | { kind: 'done'; detail: Record<string, unknown>; next?: string | null }
  | { kind: 'failed_step'; failure: RunError; detail?: Record<string, unknown>; ends?: 'cancelled' }
  | { kind: 'wait'; until: Date; forReply: boolean; detail: Record<string, unknown> }
  | { kind: 'call'; call: OutsideCall; detail: Record<string, unknown> };

/** A run while it is interpreted. */
export interface Running {
  readonly program: Program;
  readonly now: Date;
  state: RunState;
  context: RunContext;
  /** What texts and conditions can use now. */
  scope(): Record<string, unknown>;
}

export interface StepBatch {
  /** The step that is next or has started, null at the end. */
  step: string | null;
  state: RunState;
  trace: TraceEntry[];
  ending: Ending;
}

/** The answer to an outside call, or why there is none. */
export type OutsideAnswer = { saved: Saved; failure?: undefined } | { saved?: undefined; failure: RunError };

/**
 * Executes the steps of a program until one waits, needs an outside call, or the run ends. Pure: it yields effects, and
 * their results change the context of later steps.
 */
export function* interpret(
  program: Program,
  at: { step: string | null; state: RunState; answered?: OutsideAnswer },
  context: RunContext,
  now: Date,
): Generator<Effect, StepBatch, EffectResult> {
  const running: Running = {
    program,
    now,
    state: { ...at.state },
    context: { ...context },
    scope: () =>
      scopeOf(
        running.context,
        running.state.variables,
        program.declared,
        running.state.saved,
        program.savedAs,
      ),
  };
  const { state } = running;
  const trace: TraceEntry[] = [];
  let next: string | null = at.step ?? program.first;
  let { answered } = at;
  const end = (ending: Ending, step: string | null): StepBatch => ({ step, state, trace, ending });

  for (let done = 0; next !== null; done += 1) {
    if (done === STEPS_PER_BATCH) return end({ kind: 'unfinished' }, next);
    const step = program.steps.get(next) as ProgramStep;
    const { pending } = state;
    if (pending === null && state.begun === MAX_STEPS) {
      const message = `A run executes at most ${MAX_STEPS} steps`;
      return end({ kind: 'failed', failure: { code: 'too_many_steps', message } }, next);
    }
    if (pending === null) state.begun += 1;
    const entry: TraceEntry = {
      number: state.begun,
      step: step.id,
      type: step.type,
      status: 'completed',
      detail: {},
      error: null,
      startedAt: pending === null ? now : new Date(pending.startedAt),
      endedAt: now,
    };
    trace.push(entry);
    const outcome: Outcome = yield* perform(running, step, answered);
    answered = undefined;
    entry.detail = outcome.detail ?? {};
    state.pending = null;
    switch (outcome.kind) {
      case 'done':
        next = outcome.next === undefined ? step.next : outcome.next;
        break;
      case 'failed_step':
        entry.status = 'failed';
        entry.error = outcome.failure;
        return end({ kind: outcome.ends ?? 'failed', failure: outcome.failure }, step.id);
      default: {
        const until = outcome.kind === 'wait' ? outcome.until : null;
        state.pending = { startedAt: entry.startedAt.toISOString(), until: until?.toISOString() ?? null };
        entry.status = outcome.kind === 'wait' ? 'waiting' : 'running';
        entry.endedAt = null;
        const ending: Ending =
          outcome.kind === 'wait'
            ? { kind: 'waiting', until: outcome.until, forReply: outcome.forReply }
            : { kind: 'calling', call: outcome.call };
        return end(ending, step.id);
      }
    }
  }
  return end({ kind: 'completed' }, null);
}

/** The state of a run that has not started. */
export const freshState = (
  runId: string,
  variables: Record<string, Scalar>,
  messageId: string | null = null,
): RunState => ({
  variables,
  saved: {},
  messageId,
  after: runId,
  begun: 0,
  pending: null,
  templateId: null,
});
