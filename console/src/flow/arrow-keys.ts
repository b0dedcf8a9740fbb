import type { FlowGraph } from './graph.ts';
import type { FlowLayout, Point } from './layout.ts';

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
