import { type RefObject, useLayoutEffect, useRef, useSyncExternalStore } from 'react';

/** What the components that are shown contribute to a list: the newest last. */
export interface Layers<T> {
  add(layer: RefObject<readonly T[]>): () => void;
  /** As of now, with the functions of the last render. */
  read(): readonly T[];
  subscribe(listener: () => void): () => void;
  /** As of the last change of the list. */
  snapshot(): readonly T[];
}

export function createLayers<T>(): Layers<T> {
  const layers = new Set<RefObject<readonly T[]>>();
  const listeners = new Set<() => void>();
  const read = (): readonly T[] => [...layers].flatMap(({ current }) => current);
  let last: readonly T[] = [];
  const changed = (): void => {
    last = read();
    for (const listener of listeners) listener();
  };
  return {
    add(layer) {
      layers.add(layer);
      changed();
      return () => {
        layers.delete(layer);
        changed();
      };
    },
    read,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    snapshot: () => last,
  };
}

/**
 * Contributes items while the component is shown. `describe` names what others see of an item. In layout effects, because keys must
 * work as soon as something is seen: a lazy screen is shown before its other effects run.
 */
export function useLayer<T>(layers: Layers<T>, items: readonly T[], describe: (item: T) => string): void {
  const layer = useRef(items);
  const shown = items.map(describe).join('\n');
  useLayoutEffect(() => {
    layer.current = items;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: others see a change only if what is shown has changed
  useLayoutEffect(() => layers.add(layer), [layers, shown]);
}

export const useSnapshot = <T>({ subscribe, snapshot }: Layers<T>): readonly T[] =>
  useSyncExternalStore(subscribe, snapshot);
