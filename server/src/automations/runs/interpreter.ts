import type { StepType } from '../definition/steps.ts';
import type { Scalar } from '../schema.ts';
import { type RunContext, type Saved, scopeOf } from './context.ts';
import type { Program, ProgramStep } from './program.ts';
import { perform } from './steps.ts';

/** A run does at most this many steps, so that a loop ends; and so many before others have their turn. */
const MOST_STEPS = 1000;
const STEPS_A_STRETCH = 100;

export interface Issue {
  code: string;
  message: string;
}

/** What a run remembers between two stretches; stored with it. */
export interface RunState {
  variables: Record<string, Scalar>;
  saved: Record<string, Saved>;
  /** The inbound message that it is about. */
  messageId: string | null;
  /** Replies count that came after this: the run's last message, the last reply it took, or the run itself. */
  after: string;
  /** How many steps it has begun. */
  begun: number;
  /** The step that is under way: since when, and until when it waits. */
  pending: { startedAt: string; until: string | null } | null;
  /** The template that a campaign put in place of the first one; used up by the first `send_template`. */
  templateId: string | null;
}

/** One line of what the run did. */
export interface TraceEntry {
  number: number;
  step: string;
  type: StepType;
  status: 'running' | 'waiting' | 'completed' | 'failed';
  detail: Record<string, unknown>;
  error: Issue | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** Something that a step needs done within the transaction of its stretch. */
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

/** What became of it: what is different now, or why it could not be done. */
export type EffectResult =
  | { issue: Issue; ends?: 'cancelled' }
  | { issue?: undefined; context?: Partial<RunContext>; messageId?: string };

/** A call to somebody else's server, made between two stretches. */
export interface OutsideCall {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  saveAs: string | null;
}

export type Ending =
  | { kind: 'completed' }
  | { kind: 'failed' | 'cancelled'; issue: Issue }
  | { kind: 'waiting'; until: Date; forReply: boolean }
  | { kind: 'calling'; call: OutsideCall }
  | { kind: 'unfinished' };

/** How a step came out. */
export type Outcome =
  | { kind: 'done'; detail: Record<string, unknown>; next?: string | null }
  | { kind: 'failed_step'; issue: Issue; detail?: Record<string, unknown>; ends?: 'cancelled' }
  | { kind: 'wait'; until: Date; forReply: boolean; detail: Record<string, unknown> }
  | { kind: 'call'; call: OutsideCall; detail: Record<string, unknown> };

/** A run while it is interpreted. */
export interface Running {
  readonly program: Program;
  readonly now: Date;
  state: RunState;
  context: RunContext;
  /** What texts and conditions see at this moment. */
  scope(): Record<string, unknown>;
}

export interface StepBatch {
  /** The step that is next or under way, null at the end. */
  step: string | null;
  state: RunState;
  trace: TraceEntry[];
  ending: Ending;
}

/** What came back from an outside call, or why nothing did. */
export type Answered = { saved: Saved; issue?: undefined } | { saved?: undefined; issue: Issue };

/**
 * Runs the steps of a program until one has to wait, needs the outside world, or the run ends. Pure: everything it
 * wants done it yields, and what it is told becomes what later steps see.
 */
export function* interpret(
  program: Program,
  at: { step: string | null; state: RunState; answered?: Answered },
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
    if (done === STEPS_A_STRETCH) return end({ kind: 'unfinished' }, next);
    const step = program.steps.get(next) as ProgramStep;
    const { pending } = state;
    if (pending === null && state.begun === MOST_STEPS) {
      const message = `A run goes through at most ${MOST_STEPS} steps, and this one did`;
      return end({ kind: 'failed', issue: { code: 'too_many_steps', message } }, next);
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
        entry.error = outcome.issue;
        return end({ kind: outcome.ends ?? 'failed', issue: outcome.issue }, step.id);
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

/** The state of a run that has not begun. */
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
