import { ApiError } from './errors.ts';

const isOutOfReach = (error: unknown): boolean =>
  error instanceof ApiError && error.key === 'service_unavailable';

/**
 * Does together what is asked for at about the same time: everything of one turn of the event loop, and while a batch
 * is under way the next one gathers. `work` gives a result for each item. When a batch fails, its items are done one by
 * one, so that a bad one fails alone.
 */
export function gather<T, R>(most: number, work: (items: T[]) => Promise<R[]>): (item: T) => Promise<R> {
  interface Waiting {
    item: T;
    resolve: (result: R) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isBusy = false;

  async function together(batch: Waiting[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (batch.length > 1 && !isOutOfReach(error)) for (const one of batch) await together([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function empty(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await together(batch);
    }
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      setImmediate(empty);
    });
}
