import { lazy } from '../../base/lazy.ts';
import { storableJson } from '../../base/storable.ts';
import { businessOpening, type Opening } from '../../hours/opening.ts';
import { type RunContext, scopeOf } from './context.ts';
import type { Program, ProgramStep } from './program.ts';
import type {
  AnsweredCall,
  Effect,
  EffectResult,
  Ending,
  Outcome,
  Running,
  RunState,
  StepBatch,
  TraceEntry,
} from './state.ts';
import { perform } from './steps.ts';

/** The stored answer to the call of the step that has started. */
const answeredCall = ({ pending }: RunState): AnsweredCall | undefined =>
  pending?.call && pending.answer ? { ...pending.answer, url: pending.call.url } : undefined;

/** A run executes at most this many steps, so that a loop ends. */
const MAX_STEPS = 1000;
/** How many steps a run executes before other runs continue. */
const STEPS_PER_BATCH = 100;

/** At its first use: the first time zone takes 20 ms. */
const alwaysOpen = lazy(() => businessOpening(null, 'UTC'));

/** What texts and conditions know of the business hours. */
function hoursNow(opening: Opening, now: Date): { isOpen: boolean; opensAt: string | null } {
  const isOpen = opening.isOpenAt(now);
  return { isOpen, opensAt: isOpen ? null : (opening.nextOpening(now)?.toISOString() ?? null) };
}

/**
 * Executes the steps of a program until one waits, needs an outside call, or the run ends. Pure: it yields effects, and
 * their results change the context of later steps.
 */
export function* interpret(
  program: Program,
  at: { step: string | null; state: RunState },
  context: RunContext,
  now: Date,
  secrets: Readonly<Record<string, string>> = {},
  openingFor: (context: RunContext) => Opening = alwaysOpen,
): Generator<Effect, StepBatch, EffectResult> {
  const running: Running = {
    program,
    now,
    secrets,
    state: { ...at.state },
    context: { ...context },
    opening: () => openingFor(running.context),
    scope: () => ({
      ...scopeOf(
        running.context,
        running.state.variables,
        program.declared,
        running.state.saved,
        program.savedAs,
      ),
      ...(program.usesHours ? { hours: hoursNow(running.opening(), now) } : {}),
    }),
  };
  const { state } = running;
  const trace: TraceEntry[] = [];
  let next: string | null = at.step ?? program.first;
  let answered = answeredCall(at.state);
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
    if (outcome.kind === 'postponed') {
      trace.pop();
      if (pending === null) state.begun -= 1;
      return end({ kind: 'unfinished' }, step.id);
    }
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
        state.pending = {
          startedAt: entry.startedAt.toISOString(),
          until: until?.toISOString() ?? null,
          ...(outcome.kind === 'call' ? { call: storableJson(outcome.call) } : {}),
        };
        entry.status = outcome.kind === 'wait' ? 'waiting' : 'running';
        entry.endedAt = null;
        const ending: Ending =
          outcome.kind === 'wait'
            ? {
                kind: 'waiting',
                until: outcome.until,
                forReply: outcome.forReply,
                ...(outcome.waitsFor ? { waitsFor: outcome.waitsFor } : {}),
              }
            : { kind: 'calling' };
        return end(ending, step.id);
      }
    }
  }
  return end({ kind: 'completed' }, null);
}
