import type { AutomationFunnel, AutomationRunWithTrace } from '@parley/sdk';
import { type FlowDefinition, type Outlet, outletsOf } from '../../../flow/definition.ts';
import { TRIGGER_ID } from '../../../flow/graph.ts';
import type { StepPaint } from '../../../flow/picture-props.ts';

type Entry = Pick<AutomationRunWithTrace['trace'][number], 'step' | 'status' | 'detail'>;
export type Paint = Readonly<Record<string, StepPaint>>;

const STATES: Readonly<Record<Entry['status'], StepPaint['state']>> = {
  running: 'current',
  waiting: 'waiting',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
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

/** Which way out of its step an entry took. */
const outletTaken = ({ detail }: Entry): Outlet => {
  if (detail.timedOut === true) return 'timeout';
  if (detail.case === undefined) return 'next';
  return typeof detail.case === 'number' ? `case:${detail.case}` : 'else';
};

/** The ways that one run took. A step that failed or waits has not been left. */
export function findTakenWays(
  trace: readonly Entry[],
  { steps }: FlowDefinition,
  isCompleted: boolean,
): ReadonlySet<string> {
  const taken = trace.flatMap((entry, position) => {
    const index = steps.findIndex(({ id }) => id === entry.step);
    const outlet = outletTaken(entry);
    const way = index < 0 ? undefined : outletsOf(steps, index).find((one) => one.outlet === outlet);
    const next = trace[position + 1];
    const isLeft = next ? way?.to === next.step : isCompleted && way?.to === undefined;
    return way && isLeft && entry.status === 'completed' ? [`${entry.step}:${outlet}`] : [];
  });
  return new Set([...(trace.length > 0 ? [`${TRIGGER_ID}:next`] : []), ...taken]);
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
