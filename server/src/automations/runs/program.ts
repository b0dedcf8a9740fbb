import { type Filter, parseFilter } from '../../search/grammar.ts';
import { conditionFields } from '../definition/conditions.ts';
import type { StepType } from '../definition/steps.ts';
import type { Definition } from '../schema.ts';

/** A step as it is run. */
export interface ProgramStep {
  id: string;
  type: StepType;
  parameters: Record<string, unknown>;
  /** The step that follows, null after the last. */
  next: string | null;
  /** What a branch asks, case by case. */
  conditions: Filter[];
}

/** A version of an automation, made ready to run. */
export interface Program {
  first: string;
  steps: ReadonlyMap<string, ProgramStep>;
  /** What the definition declares and saves under names of its own. */
  declared: readonly string[];
  savedAs: readonly string[];
  channelId: string | null;
}

/** Makes a stored definition ready to run. It was judged when it was saved, so nothing can be wrong with it. */
export function programOf({ trigger, variables, steps }: Definition): Program {
  const savedAs = steps.flatMap(({ parameters }) => (parameters?.saveAs as string | undefined) ?? []);
  const fields = conditionFields(variables, savedAs);
  const made = steps.map(({ id, type, parameters = {}, next }, index): ProgramStep => {
    const cases = (parameters.cases ?? []) as { when: string }[];
    return {
      id,
      type,
      parameters,
      next: next ?? steps[index + 1]?.id ?? null,
      conditions: cases.map(({ when }) => parseFilter(when, fields)),
    };
  });
  return {
    first: (made[0] as ProgramStep).id,
    steps: new Map(made.map((step) => [step.id, step])),
    declared: variables.map(({ name }) => name),
    savedAs: [...new Set(savedAs)],
    channelId: (trigger.parameters?.channelId as string | undefined) ?? null,
  };
}
