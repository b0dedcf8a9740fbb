import { mergeContext } from './context.ts';
import type { ProgramStep } from './program.ts';
import type { AnsweredCall, Effect, EffectResult, Outcome, Running } from './state.ts';

export type StepGenerator = Generator<Effect, Outcome, EffectResult>;
/** Executes a step of one type. `answered` is the answer to the call that the step has made. */
export type Performer = (
  running: Running,
  step: ProgramStep,
  answered: AnsweredCall | undefined,
) => StepGenerator | Outcome;

/** Thrown by the function of a step; becomes the step's outcome. */
export class StepError {
  readonly code: string;
  readonly message: string;
  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Lets the caller perform an effect. Ends the step if it was refused or postponed. */
export function* applyEffect(
  running: Running,
  effect: Effect,
): Generator<Effect, EffectResult & { failure?: undefined }, EffectResult> {
  const result = yield effect;
  if (result.failure || result.isPostponed) throw result;
  running.context = mergeContext(running.context, result.context);
  return result;
}
