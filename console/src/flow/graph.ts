import { type FlowDefinition, type FlowStep, type Outlet, outletsOf } from './definition.ts';

/** Ids of steps have none of `$`, `#` and `:`, so these never meet one. */
export const TRIGGER_ID = '$trigger';
export const END_ID = '$end';

/** A node of the picture: the trigger, a step, the end after the last step, or a step that does not exist. */
export type FlowNode = { id: string } & (
  | { kind: 'trigger' | 'end' }
  | { kind: 'missing'; stepId: string }
  | { kind: 'step'; step: FlowStep; index: number }
);

/** Where a step can be inserted: on the way out of a step, or of the trigger. */
export interface InsertPoint {
  from: string;
  outlet: Outlet;
}

export interface FlowEdge extends InsertPoint {
  id: string;
  to: string;
}

export interface FlowGraph {
  nodes: readonly FlowNode[];
  edges: readonly FlowEdge[];
}

/** The nodes and edges of a definition. It may be wrong: with steps that lead nowhere, or two of the same id. */
export function graphOf({ steps }: FlowDefinition): FlowGraph {
  const seen = new Set<string>();
  const nodeIds = steps.map(({ id }, index) => {
    const nodeId = seen.has(id) ? `${id}#${index}` : id;
    seen.add(id);
    return nodeId;
  });
  const extra = new Map<string, FlowNode>();
  const targetOf = (to: string | undefined): string => {
    if (to !== undefined && seen.has(to)) return to;
    const id = to === undefined ? END_ID : `$missing:${to}`;
    extra.set(id, to === undefined ? { id, kind: 'end' } : { id, kind: 'missing', stepId: to });
    return id;
  };
  const edges: FlowEdge[] = [
    { id: `${TRIGGER_ID}:next`, from: TRIGGER_ID, outlet: 'next', to: targetOf(steps[0]?.id) },
    ...nodeIds.flatMap((from, index) =>
      outletsOf(steps, index).map(({ outlet, to }) => ({
        id: `${from}:${outlet}`,
        from,
        outlet,
        to: targetOf(to),
      })),
    ),
  ];
  return {
    nodes: [
      { id: TRIGGER_ID, kind: 'trigger' },
      ...steps.map((step, index): FlowNode => ({ id: nodeIds[index] as string, kind: 'step', step, index })),
      ...extra.values(),
    ],
    edges,
  };
}
