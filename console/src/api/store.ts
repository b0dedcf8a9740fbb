import { useSyncExternalStore } from 'react';

/** A value outside of components. Those that show it follow it. */
export interface Store<T> {
  read(): T;
  write(value: T): void;
  /** What a component needs of it; the same object while nothing has changed. */
  use<S = T>(select?: (value: T) => S): S;
}

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    read: () => value,
    write(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: <S = T>(select: (value: T) => S = (whole) => whole as unknown as S) =>
      useSyncExternalStore(subscribe, () => select(value)),
  };
}
