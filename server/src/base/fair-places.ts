interface Waiting {
  start(): void;
}

interface Limits {
  places: number;
  /** How many places one key may have at the same time. */
  perKey: number;
  /** How long work waits for a place. */
  maxWaitMs: number;
  /** How much work of one key may wait. */
  maxWaiting: number;
  /** The error of work that waited too long, or behind too much. */
  refuse: () => Error;
}

export interface FairPlaces {
  /** Runs `work` when its key has a free place. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** A fixed number of places for work of many keys. Keys take turns, and none gets more than its share. */
export function fairPlaces({ places, perKey, maxWaitMs, maxWaiting, refuse }: Limits): FairPlaces {
  const running = new Map<string, number>();
  /** In the order of their turns. */
  const queues = new Map<string, Waiting[]>();
  let used = 0;

  const hasPlace = (key: string): boolean => used < places && (running.get(key) ?? 0) < perKey;

  function take(key: string): void {
    used += 1;
    running.set(key, (running.get(key) ?? 0) + 1);
  }

  function free(key: string): void {
    used -= 1;
    const left = (running.get(key) ?? 1) - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
    for (const [next, queue] of queues) {
      if (!hasPlace(next)) continue;
      const first = queue.shift() as Waiting;
      queues.delete(next);
      // Behind the others, so that the next place is another key's.
      if (queue.length > 0) queues.set(next, queue);
      take(next);
      first.start();
      return;
    }
  }

  function waitForPlace(key: string): Promise<void> {
    const queue = queues.get(key) ?? [];
    if (queue.length >= maxWaiting) return Promise.reject(refuse());
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) queues.delete(key);
        reject(refuse());
      }, maxWaitMs);
      queue.push(waiting);
      queues.set(key, queue);
    });
  }

  return {
    async run(key, work) {
      if (hasPlace(key)) take(key);
      else await waitForPlace(key);
      try {
        return await work();
      } finally {
        free(key);
      }
    },
  };
}
