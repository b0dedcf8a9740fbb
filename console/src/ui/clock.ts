/** The time in steps, by one timer for all who follow it. */
export interface Clock {
  read(): Date;
  subscribe(listener: () => void): () => void;
}

export function createClock(tickMs: number): Clock {
  let now = new Date();
  let timer: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  return {
    read: () => now,
    subscribe(listener) {
      // While nobody followed it, the clock stood still.
      if (timer === undefined) now = new Date();
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = new Date();
        for (const one of listeners) one();
      }, tickMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
