import { useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { findNeighbour, isArrow } from './arrow-keys.ts';
import { type FlowGraph, TRIGGER_ID } from './graph.ts';
import type { FlowLayout } from './layout.ts';

interface FocusOptions {
  graph: FlowGraph;
  layout: FlowLayout;
  hasPluses: boolean;
  selected: string | undefined;
}

/** The focus is on one node or plus; arrow keys move it. Tab leaves the picture. */
export function useFocus({ graph, layout, hasPluses, selected }: FocusOptions) {
  const [focused, setFocused] = useState<string>(selected ?? TRIGGER_ID);
  const box = useRef<HTMLDivElement>(null);
  const flow = useReactFlow();
  const exists = layout.boxes.has(focused) || (hasPluses && layout.lines.has(focused));
  const stop = exists ? focused : TRIGGER_ID;

  const show = (id: string): void => {
    const node = layout.boxes.get(id);
    const middle = layout.lines.get(id)?.middle;
    const x = node ? node.x + node.width / 2 : (middle?.x ?? 0);
    const y = node ? node.y + node.height / 2 : (middle?.y ?? 0);
    const { x: left, y: top, zoom } = flow.getViewport();
    const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
    const [screenX, screenY] = [x * zoom + left, y * zoom + top];
    const margin = 80;
    const isVisible =
      screenX > margin &&
      screenX < clientWidth - margin &&
      screenY > margin &&
      screenY < clientHeight - margin;
    if (!isVisible) void flow.setCenter(x, y, { zoom });
  };
  const move = (id: string): void => {
    setFocused(id);
    box.current
      ?.querySelector<HTMLElement>(`[data-item="${CSS.escape(id)}"]`)
      ?.focus({ preventScroll: true });
    show(id);
  };
  const onKeyDown = (event: KeyboardEvent): string | undefined => {
    const item = (event.target as HTMLElement).closest<HTMLElement>('[data-item]')?.dataset.item;
    if (item === undefined || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (!isArrow(event.key)) return item;
    event.preventDefault();
    const next = findNeighbour(graph, layout, item, event.key, hasPluses);
    if (next !== undefined) move(next);
    return undefined;
  };
  return { box, stop, setFocused, onKeyDown };
}
