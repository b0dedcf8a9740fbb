import { type KeyboardEvent, type RefObject, useState } from 'react';
import { findNeighbour, isArrow } from './arrow-keys.ts';
import { type FlowGraph, TRIGGER_ID } from './graph.ts';
import type { FlowLayout } from './layout.ts';

interface FocusOptions {
  box: RefObject<HTMLDivElement | null>;
  graph: FlowGraph;
  layout: FlowLayout;
  hasPluses: boolean;
  selected: string | undefined;
  /** Moves the picture so that an item is in sight. */
  show: (id: string) => void;
}

/** The focus is on one node or plus; arrow keys move it. Tab leaves the picture. */
export function useFocus({ box, graph, layout, hasPluses, selected, show }: FocusOptions) {
  const [focused, setFocused] = useState<string>(selected ?? TRIGGER_ID);
  const exists = layout.boxes.has(focused) || (hasPluses && layout.lines.has(focused));
  const stop = exists ? focused : TRIGGER_ID;

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
  return { stop, setFocused, onKeyDown };
}
