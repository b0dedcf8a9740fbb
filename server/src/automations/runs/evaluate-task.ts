import { declareTask } from '../../sandboxed/task.ts';
import type { Filter } from '../../search/grammar/filter.ts';
import { type ConditionValues, findTrue } from '../definition/evaluate-conditions.ts';
import { type Rendered, render } from '../definition/liquid.ts';

/** What a step evaluates in a worker thread: its texts with Liquid, or the conditions of a branch. */
export type EvaluateInput =
  | { kind: 'texts'; texts: string[]; scope: Record<string, unknown> }
  | { kind: 'conditions'; conditions: Filter[]; values: ConditionValues };

export type EvaluateOutput =
  | { kind: 'texts'; rendered: Rendered[] }
  /** The index of the first condition that is true, or -1. */
  | { kind: 'conditions'; index: number };

export const evaluateTask = declareTask<EvaluateInput, EvaluateOutput>('evaluate', 'evaluation');

/** Performs the task in its thread. */
export const evaluateTexts = (input: EvaluateInput): EvaluateOutput =>
  input.kind === 'texts'
    ? { kind: 'texts', rendered: input.texts.map((text) => render(text, input.scope)) }
    : { kind: 'conditions', index: findTrue(input.conditions, input.values) };
