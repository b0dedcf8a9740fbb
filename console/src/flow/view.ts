import type { FlowGraph } from './graph.ts';
import type { Box, FlowLayout } from './layout.ts';

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

export const MIN_ZOOM = 0.2;
/** While somebody edits, texts stay readable, and the rest is reached by scrolling. Who only looks wants to see the whole. */
const FIRST_ZOOM = { edit: 0.7, look: 0.5 };
const MARGIN_PX = 48;
/** Half of a plus, and a little air. */
const PLUS_PX = 20;
/** A plus that is farther below its node is on a long way, and not where somebody will click next. */
const NEAR_PX = 160;

/** Half of the text of a way, which may stand beside all nodes. */
const TEXT_PX = 56;

/** What the picture takes, with the ways and their texts, and the zoom with which it fits into the window. */
function measureAll(
  { boxes, lines }: FlowLayout,
  size: Size,
): { left: number; width: number; fitting: number } {
  const all = [...boxes.values()];
  const texts = [...lines.values()].map(({ middle }) => middle.x);
  const left = Math.min(...all.map(({ x }) => x), ...texts.map((x) => x - TEXT_PX));
  const right = Math.max(...all.map(({ x, width }) => x + width), ...texts.map((x) => x + TEXT_PX));
  const height = Math.max(...all.map((one) => one.y + one.height));
  const width = right - left;
  const fitting = Math.min(size.width / (width + MARGIN_PX), size.height / (height + MARGIN_PX));
  return { left, width, fitting };
}

/** The first view shows the trigger in the middle of the upper edge, and as much below it as fits. */
export function showBeginning(layout: FlowLayout, size: Size, purpose: keyof typeof FIRST_ZOOM): Viewport {
  const [trigger = { x: 0, y: 0, width: 0, height: 0 }] = layout.boxes.values();
  const { left, width, fitting } = measureAll(layout, size);
  const zoom = Math.min(1, Math.max(FIRST_ZOOM[purpose], fitting));
  const isNarrow = width * zoom <= size.width;
  const middle = isNarrow ? left + width / 2 : trigger.x + trigger.width / 2;
  return { x: size.width / 2 - middle * zoom, y: MARGIN_PX / 2 - trigger.y * zoom, zoom };
}

/** The view that shows everything, as large as it fits. */
export function showAll(layout: FlowLayout, size: Size): Viewport {
  const { left, width, fitting } = measureAll(layout, size);
  const zoom = Math.min(1, Math.max(MIN_ZOOM, fitting));
  return { x: size.width / 2 - (left + width / 2) * zoom, y: (MARGIN_PX / 2) * zoom, zoom };
}

/** What belongs to a node or a plus: a node with the pluses below it, where somebody will click next. */
export function areaOf(id: string, { edges }: FlowGraph, { boxes, lines }: FlowLayout): Box | undefined {
  const node = boxes.get(id);
  const pluses = [id, ...edges.filter(({ from }) => from === id).map((edge) => edge.id)].flatMap((edge) => {
    const middle = lines.get(edge)?.middle;
    const isNear = !node || (middle && Math.abs(middle.y - node.y - node.height) < NEAR_PX);
    return middle && isNear
      ? [{ x: middle.x - PLUS_PX, y: middle.y - PLUS_PX, width: 2 * PLUS_PX, height: 2 * PLUS_PX }]
      : [];
  });
  const parts = [...(node ? [node] : []), ...pluses];
  if (parts.length === 0) return undefined;
  const x = Math.min(...parts.map((part) => part.x));
  const y = Math.min(...parts.map((part) => part.y));
  return {
    x,
    y,
    width: Math.max(...parts.map((part) => part.x + part.width)) - x,
    height: Math.max(...parts.map((part) => part.y + part.height)) - y,
  };
}

/** The smallest move along one axis. What is longer than the window shows its beginning. */
function moveInto(start: number, end: number, length: number): number {
  if (start < MARGIN_PX || end - start > length - 2 * MARGIN_PX) return MARGIN_PX - start;
  return Math.min(0, length - MARGIN_PX - end);
}

/** The view that shows an area, moved no more than needed; undefined if it is in sight already. */
export function reveal(area: Box, { x, y, zoom }: Viewport, size: Size): Viewport | undefined {
  const left = area.x * zoom + x;
  const top = area.y * zoom + y;
  const right = left + area.width * zoom;
  const bottom = top + area.height * zoom;
  if (left >= 0 && top >= 0 && right <= size.width && bottom <= size.height) return undefined;
  return { x: x + moveInto(left, right, size.width), y: y + moveInto(top, bottom, size.height), zoom };
}
