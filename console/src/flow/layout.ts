import { Graph, layout } from '@dagrejs/dagre';
import { findFarEdges } from './far-edges.ts';
import type { FlowEdge, FlowGraph, FlowNode } from './graph.ts';

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

export interface FlowLayout {
  /** The left upper corners of the nodes. */
  boxes: ReadonlyMap<string, Box>;
  /** The lines of the edges, and the middles of their texts. */
  lines: ReadonlyMap<string, { points: readonly Point[]; middle: Point }>;
}

const STEP = { width: 248, height: 60 };
const PILL = { width: 112, height: 32 };
const sizeOf = (node: FlowNode): typeof STEP =>
  node.kind === 'end' || node.kind === 'missing' || (node.kind === 'step' && node.step.type === 'end')
    ? PILL
    : STEP;

/** What the text of an edge takes at most; longer ones are cut. */
export const LABEL_WIDTH = 240;
const LABEL_HEIGHT = 52;
const PLUS = { width: 24, height: 32 };
const CHARACTER_WIDTH = 6.5;

/** The room for the text of an edge and its plus. */
function labelSize(length: number): { width: number; height: number } {
  return length === 0
    ? PLUS
    : { width: Math.min(LABEL_WIDTH, length * CHARACTER_WIDTH + 16), height: LABEL_HEIGHT };
}

/** From this many nodes on, ways may cross more often: looking for better places takes most of the time. */
const MANY_NODES = 100;
const stubOf = (edgeId: string): string => `stub ${edgeId}`;

/**
 * Orders each row as a walk along the edges meets its nodes. The layout's own search for fewer crossings builds two graphs for
 * every row, even if it is switched off: with 200 steps that took a third of the time.
 */
function orderRows(placed: Graph): void {
  const rows: number[] = [];
  const seen = new Set<string>();
  const rowOf = (id: string): number => (placed.node(id) as { rank: number }).rank;
  const all: readonly string[] = placed.nodes();
  for (const first of all.toSorted((a, b) => rowOf(a) - rowOf(b))) {
    const stack: string[] = [first];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const order = rows[rowOf(id)] ?? 0;
      Object.assign(placed.node(id), { order });
      rows[rowOf(id)] = order + 1;
      stack.push(...(placed.successors(id) ?? []).toReversed());
    }
  }
}

function placeAll(
  { nodes, edges }: FlowGraph,
  labelOf: (edge: FlowEdge) => string,
  far: ReadonlySet<string>,
): Graph {
  const isLarge = nodes.length > MANY_NODES;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 36,
    ranksep: 36,
    edgesep: 24,
    marginx: 16,
    marginy: 16,
    // The quickest one, `longest-path`, puts the ends of far edges into the last row: an edge of a hundred rows for each.
    ...(isLarge ? { ranker: 'tight-tree' } : {}),
  });
  for (const node of nodes) graph.setNode(node.id, { ...sizeOf(node) });
  // What was added last comes first: so cases are beside each other in their order.
  for (const edge of edges.toReversed()) {
    const size = labelSize(labelOf(edge).length);
    // What is below each other in the definition stays below each other.
    const weight = edge.outlet === 'next' ? 4 : 1;
    if (!far.has(edge.id)) graph.setEdge(edge.from, edge.to, { ...size, labelpos: 'c', weight }, edge.id);
    else {
      graph.setNode(stubOf(edge.id), size);
      graph.setEdge(edge.from, stubOf(edge.id), { weight: 1 }, edge.id);
    }
  }
  layout(graph, isLarge ? { customOrder: orderRows } : {});
  return graph;
}

const SIDE_PX = 16;

/** Where far edges run, beside the picture: those to the same step together, those that lead up on the left. */
function createSides(boxes: ReadonlyMap<string, Box>): (edge: FlowEdge, isDown: boolean) => number {
  const all = [...boxes.values()];
  const left = Math.min(...all.map(({ x }) => x)) - SIDE_PX;
  const right = Math.max(...all.map(({ x, width }) => x + width)) + SIDE_PX;
  const sides = { down: new Map<string, number>(), up: new Map<string, number>() };
  return ({ to }, isDown) => {
    const taken = isDown ? sides.down : sides.up;
    if (!taken.has(to)) taken.set(to, taken.size * SIDE_PX);
    const offset = taken.get(to) ?? 0;
    return isDown ? right + offset : left - offset;
  };
}

/** Computes where everything is. `labelOf` is the text of an edge; an empty one takes only the room of the plus. */
export function layOut(graph: FlowGraph, labelOf: (edge: FlowEdge) => string): FlowLayout {
  const far = findFarEdges(graph);
  const placed = placeAll(graph, labelOf, far);
  const boxes = new Map(
    graph.nodes.map((node): [string, Box] => {
      const { x = 0, y = 0 } = placed.node(node.id) as Partial<Point>;
      const { width, height } = sizeOf(node);
      return [node.id, { x: x - width / 2, y: y - height / 2, width, height }];
    }),
  );
  const sideOf = createSides(boxes);
  const lines = graph.edges.map((edge): [string, { points: Point[]; middle: Point }] => {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)] as [Box, Box];
    // A way back up leaves at the upper edge.
    const isDown = from.y < to.y;
    const isFar = far.has(edge.id);
    const start = { x: from.x + from.width / 2, y: from.y + (isDown || isFar ? from.height : 0) };
    const end = { x: to.x + to.width / 2, y: to.y + (isDown || isFar ? 0 : to.height) };
    if (isFar) {
      const { x = 0, y = 0 } = placed.node(stubOf(edge.id)) as Partial<Point>;
      const side = sideOf(edge, isDown);
      const inner = [
        { x, y },
        { x: side, y: y + STEP.height },
        { x: side, y: end.y - STEP.height },
      ];
      return [edge.id, { points: [start, ...inner, end], middle: { x, y } }];
    }
    const line = placed.edge(edge.from, edge.to, edge.id) as Partial<Point & { points: Point[] }>;
    const { points = [], x = 0, y = 0 } = line;
    return [edge.id, { points: [start, ...points.slice(1, -1), end], middle: { x, y } }];
  });
  return { boxes, lines: new Map(lines) };
}

/** A line through points that leaves and reaches each of them straight down, or straight up. */
export function pathOf(points: readonly Point[]): string {
  const at = (x: number, y: number): string => `${x.toFixed(1)},${y.toFixed(1)}`;
  return points
    .map(({ x, y }, index) => {
      const before = points[index - 1];
      if (!before) return `M${at(x, y)}`;
      const middle = (before.y + y) / 2;
      return `C${at(before.x, middle)} ${at(x, middle)} ${at(x, y)}`;
    })
    .join('');
}
