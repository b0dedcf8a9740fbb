import type { AutomationFunnel, AutomationRunWithTrace } from '@parley/sdk';
import { TRIGGER_ID } from '../../../flow/graph.ts';
import type { StepPaint } from '../../../flow/picture-props.ts';

type Entry = Pick<AutomationRunWithTrace['trace'][number], 'step' | 'status' | 'detail'>;
export type Paint = Readonly<Record<string, StepPaint>>;

const STATES: Readonly<Record<Entry['status'], StepPaint['state']>> = {
  running: 'current',
  waiting: 'waiting',
  completed: 'done',
  failed: 'failed',
  cancelled: 'skipped',
};

/** The text that a step has sent, if it has. */
const sentTextOf = ({ detail }: Pick<Entry, 'detail'>): string | undefined =>
  typeof detail.text === 'string' && detail.text !== '' ? detail.text : undefined;

/** What one run did, painted on the picture. A step that it came to several times says how often. */
export function paintRun(trace: readonly Entry[], hasStarted: boolean): Paint {
  const paint: Record<string, StepPaint> = hasStarted ? { [TRIGGER_ID]: { state: 'done' } } : {};
  const counts = new Map<string, number>();
  for (const entry of trace) {
    const count = (counts.get(entry.step) ?? 0) + 1;
    counts.set(entry.step, count);
    const text = sentTextOf(entry);
    paint[entry.step] = {
      state: STATES[entry.status],
      ...(count > 1 && { count }),
      ...(text !== undefined && { text }),
    };
  }
  return paint;
}

/** What many runs did: how many came to each step, and how it went for them. */
export function paintFunnel({ runs, steps }: AutomationFunnel): Paint {
  const stateOf = ({ entered, failed, waiting }: AutomationFunnel['steps'][number]): StepPaint['state'] => {
    if (entered === 0) return 'skipped';
    if (failed > 0) return 'failed';
    return waiting > 0 ? 'waiting' : 'done';
  };
  return {
    [TRIGGER_ID]: { state: runs > 0 ? 'done' : 'skipped', count: runs },
    ...Object.fromEntries(steps.map((one) => [one.step, { state: stateOf(one), count: one.entered }])),
  };
}
