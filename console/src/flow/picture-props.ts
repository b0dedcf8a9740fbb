import type { FlowDefinition } from './definition.ts';
import type { InsertPoint } from './graph.ts';

/** What became of a step: of one run, or of many. */
export interface StepPaint {
  state: 'done' | 'current' | 'failed' | 'cancelled' | 'skipped' | 'waiting';
  /** Such as how many runs came here. */
  count?: number;
  /** Instead of what the step does, such as the text that was sent. */
  text?: string;
}

export interface FlowPictureProps {
  definition: FlowDefinition;
  /** Read aloud. */
  label: string;
  /** The id of a step, or `TRIGGER_ID`. */
  selected?: string | undefined;
  /** Somebody clicked a step or the trigger, or pressed Enter on it. Left out: nothing can be opened. */
  onSelect?: ((id: string) => void) | undefined;
  /** Somebody wants a step here. Left out: there is no plus on the edges. */
  onInsert?: ((point: InsertPoint) => void) | undefined;
  /** Somebody pressed Delete on a step. */
  onRemove?: ((stepId: string) => void) | undefined;
  /** What is wrong, by the id of the step or `TRIGGER_ID`. */
  issues?: ReadonlyMap<string, readonly string[]> | undefined;
  /** By the id of the step or `TRIGGER_ID`. Steps without one are shown as they are. */
  paint?: Readonly<Record<string, StepPaint>> | undefined;
  /** The ids of the ways that a run took, as `graphOf` names them. */
  taken?: ReadonlySet<string> | undefined;
}
