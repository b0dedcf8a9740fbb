import { Graph, layout } from '@dagrejs/dagre';
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

/** Computes where everything is. `labelOf` is the text of an edge; an empty one takes only the room of the plus. */
export function layOut({ nodes, edges }: FlowGraph, labelOf: (edge: FlowEdge) => string): FlowLayout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 36, ranksep: 36, edgesep: 24, marginx: 16, marginy: 16 });
  for (const node of nodes) graph.setNode(node.id, { ...sizeOf(node) });
  // What was added last comes first: so cases are beside each other in their order.
  for (const edge of edges.toReversed()) {
    const { length } = labelOf(edge);
    const size =
      length === 0
        ? PLUS
        : { width: Math.min(LABEL_WIDTH, length * CHARACTER_WIDTH + 16), height: LABEL_HEIGHT };
    // What is below each other in the definition stays below each other.
    graph.setEdge(
      edge.from,
      edge.to,
      { ...size, labelpos: 'c', weight: edge.outlet === 'next' ? 4 : 1 },
      edge.id,
    );
  }
  layout(graph);
  const boxes = nodes.map((node): [string, Box] => {
    const { x = 0, y = 0 } = graph.node(node.id) as Partial<Point>;
    const { width, height } = sizeOf(node);
    return [node.id, { x: x - width / 2, y: y - height / 2, width, height }];
  });
  const places = new Map(boxes);
  const lines = edges.map((edge): [string, { points: Point[]; middle: Point }] => {
    const line = graph.edge(edge.from, edge.to, edge.id) as Partial<Point & { points: Point[] }>;
    const { points = [], x = 0, y = 0 } = line;
    const [from, to] = [places.get(edge.from), places.get(edge.to)] as [Box, Box];
    // A way back up leaves at the upper edge.
    const isDown = from.y < to.y;
    const start = { x: from.x + from.width / 2, y: from.y + (isDown ? from.height : 0) };
    const end = { x: to.x + to.width / 2, y: to.y + (isDown ? 0 : to.height) };
    return [edge.id, { points: [start, ...points.slice(1, -1), end], middle: { x, y } }];
  });
  return { boxes: places, lines: new Map(lines) };
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

const ARROWS = {
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
} as const;
export type Arrow = keyof typeof ARROWS;
export const isArrow = (key: string): key is Arrow => Object.hasOwn(ARROWS, key);

/** How much farther than ahead something may be to the side. */
const SIDE = 2;

/**
 * What an arrow key leads to from a node or a plus: down and up along the lines, left and right to what is nearest there.
 * The id of a plus is that of its edge.
 */
export function findNeighbour(
  { edges }: FlowGraph,
  { boxes, lines }: FlowLayout,
  from: string,
  arrow: Arrow,
  hasPluses: boolean,
): string | undefined {
  const edge = edges.find(({ id }) => id === from);
  if (arrow === 'ArrowDown') {
    if (edge) return edge.to;
    const next = edges.find((one) => one.from === from);
    return hasPluses ? next?.id : next?.to;
  }
  if (arrow === 'ArrowUp') {
    if (edge) return edge.from;
    const before = edges.find((one) => one.to === from);
    return hasPluses ? before?.id : before?.from;
  }
  const places = new Map<string, Point>(
    [...boxes].map(([id, { x, y, width, height }]) => [id, { x: x + width / 2, y: y + height / 2 }]),
  );
  if (hasPluses) for (const [id, { middle }] of lines) places.set(id, middle);
  const here = places.get(from);
  if (!here) return undefined;
  const { x: side } = ARROWS[arrow];
  let best: { id: string; distance: number } | undefined;
  for (const [id, { x, y }] of places) {
    const ahead = (x - here.x) * side;
    const beside = Math.abs(y - here.y);
    const distance = ahead + beside * SIDE;
    if (ahead > 1 && beside <= ahead * SIDE && (!best || distance < best.distance)) best = { id, distance };
  }
  return best?.id;
}
