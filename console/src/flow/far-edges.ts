import type { FlowEdge, FlowGraph } from './graph.ts';

/** An edge costs the layout as much as all rows that it passes. Up to this many in all, each has a place of its own. */
const MAX_PASSED_ROWS = 120;
/** Beyond that, edges that pass more rows are drawn beside the picture. */
const MAX_ROWS = 4;

/** The row of every node, if each is below all that lead to it; and the edges that lead back up. */
function findRows({ nodes, edges }: FlowGraph): {
  rows: ReadonlyMap<string, number>;
  back: ReadonlySet<string>;
} {
  const outgoing = new Map<string, FlowEdge[]>(nodes.map(({ id }) => [id, []]));
  for (const edge of edges) outgoing.get(edge.from)?.push(edge);
  const back = new Set<string>();
  const finished: string[] = [];
  const states = new Map<string, 'open' | 'done'>();
  for (const { id: root } of nodes) {
    const stack: { id: string; next: number }[] = states.has(root) ? [] : [{ id: root, next: 0 }];
    states.set(root, states.get(root) ?? 'open');
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const edge = outgoing.get(top.id)?.[top.next];
      top.next += 1;
      if (!edge) {
        states.set(top.id, 'done');
        finished.push(top.id);
        stack.pop();
      } else if (states.get(edge.to) === 'open') back.add(edge.id);
      else if (!states.has(edge.to)) {
        states.set(edge.to, 'open');
        stack.push({ id: edge.to, next: 0 });
      }
    }
  }
  const rows = new Map<string, number>();
  for (const id of finished.toReversed())
    for (const edge of outgoing.get(id) ?? [])
      if (!back.has(edge.id)) rows.set(edge.to, Math.max(rows.get(edge.to) ?? 0, (rows.get(id) ?? 0) + 1));
  return { rows, back };
}

/** The edges of a large picture that lead far down, or back up. */
export function findFarEdges(graph: FlowGraph): ReadonlySet<string> {
  const { rows, back } = findRows(graph);
  const passedRows = ({ from, to }: FlowEdge): number =>
    Math.abs((rows.get(to) ?? 0) - (rows.get(from) ?? 0)) - 1;
  const all = graph.edges.reduce((sum, edge) => sum + Math.max(0, passedRows(edge)), 0);
  if (all <= MAX_PASSED_ROWS) return new Set();
  return new Set(
    graph.edges.filter((edge) => back.has(edge.id) || passedRows(edge) > MAX_ROWS).map(({ id }) => id),
  );
}
