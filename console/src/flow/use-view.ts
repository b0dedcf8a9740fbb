import { useReactFlow } from '@xyflow/react';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import type { FlowGraph } from './graph.ts';
import type { FlowLayout } from './layout.ts';
import { areaOf, reveal, type Size, showAll, showBeginning } from './view.ts';

interface ViewOptions {
  box: RefObject<HTMLDivElement | null>;
  graph: FlowGraph;
  layout: FlowLayout;
  selected: string | undefined;
  canEdit: boolean;
}

/** Which part of the picture is seen. It follows what is selected, and what the browser scrolls to. */
export function useView({ box, graph, layout, selected, canEdit }: ViewOptions) {
  const flow = useReactFlow();
  const width = useRef(0);
  const sizeNow = (): Size => ({
    width: box.current?.clientWidth ?? 0,
    height: box.current?.clientHeight ?? 0,
  });
  const show = (id: string): void => {
    const area = areaOf(id, graph, layout);
    const view = area && reveal(area, flow.getViewport(), sizeNow());
    if (view) void flow.setViewport(view);
  };
  const showSelected = useEffectEvent(() => {
    if (selected !== undefined) show(selected);
  });

  // A panel that opens beside the picture moves the middle, and may hide what was clicked.
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    width.current = element.clientWidth;
    const observer = new ResizeObserver(() => {
      const { x, ...rest } = flow.getViewport();
      void flow.setViewport({ ...rest, x: x + (element.clientWidth - width.current) / 2 });
      width.current = element.clientWidth;
      showSelected();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, flow]);

  // A new step may be out of sight, and so may what comes after it. If the width changes as well, the observer does it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is selected, or everything has moved
  useEffect(() => {
    if (sizeNow().width === width.current) showSelected();
  }, [selected, layout]);

  // Searching in the page, screen readers and others scroll to what is out of sight. The library scrolls back at once, which
  // moves it away again, maybe from under a pressed pointer. The same distance as a move of the view leaves it where it is.
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    const onScroll = ({ target }: Event): void => {
      const { scrollLeft, scrollTop } = target as HTMLElement;
      if (scrollLeft === 0 && scrollTop === 0) return;
      (target as HTMLElement).scrollTo({ left: 0, top: 0, behavior: 'instant' });
      const { x, y, zoom } = flow.getViewport();
      void flow.setViewport({ x: x - scrollLeft, y: y - scrollTop, zoom });
    };
    element.addEventListener('scroll', onScroll, { capture: true });
    return () => element.removeEventListener('scroll', onScroll, { capture: true });
  }, [box, flow]);

  return {
    show,
    showBeginning: (): void => {
      void flow.setViewport(showBeginning(layout, sizeNow(), canEdit ? 'edit' : 'look'));
      showSelected();
    },
    // Not by the library: it waits until nodes are given to it again.
    showAll: (): void => void flow.setViewport(showAll(layout, sizeNow())),
  };
}
