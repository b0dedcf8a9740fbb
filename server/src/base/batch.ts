import { isUnavailable } from './errors.ts';
import { groupBy } from './group-by.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatchOptions {
  /** The maximum number of items in one batch. */
  maxBatch: number;
  /** The maximum number of batches that run at the same time. */
  maxConcurrent: number;
  /** Under load, after a batch of more than `above` items, the next one waits until it has `items`, at most `ms`. */
  collect?: { above: number; items: number; ms: number };
}

/**
 * Collects items that arrive at about the same time and handles them in one call, which returns one result for each. A
 * single item waits only until the end of the event-loop tick. If a batch fails, each of its items is handled
 * separately, so that one bad item does not fail the others. If it timed out, the items of each tenant are handled
 * separately: rows of one tenant may be locked.
 */
export function batch<Item, Result>(
  handle: (items: Item[]) => Promise<Result[]>,
  { maxBatch, maxConcurrent, collect }: BatchOptions,
  tenantOf: (item: Item) => string = () => '',
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let isPlanned = false;
  let collecting: NodeJS.Timeout | undefined;

  async function settle(items: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await handle(items.map(({ item }) => item));
      for (const [index, { resolve }] of items.entries()) resolve(results[index] as Result);
    } catch (error) {
      const tenants = groupBy(items, ({ item }) => tenantOf(item));
      if (items.length > 1 && !isUnavailable(error)) for (const one of items) await settle([one]);
      else if (tenants.size > 1) await Promise.all([...tenants.values()].map(settle));
      else for (const { reject } of items) reject(error);
    }
  }

  async function run(items: Waiting<Item, Result>[]): Promise<void> {
    running += 1;
    await settle(items);
    running -= 1;
    if (collect && items.length > collect.above && waiting.length < collect.items)
      collecting ??= setTimeout(stopCollecting, collect.ms);
    plan();
  }

  function runWaiting(): void {
    isPlanned = false;
    while (waiting.length > 0 && running < maxConcurrent) void run(waiting.splice(0, maxBatch));
  }

  function stopCollecting(): void {
    clearTimeout(collecting);
    collecting = undefined;
    plan();
  }

  function plan(): void {
    if (isPlanned || collecting || waiting.length === 0 || running >= maxConcurrent) return;
    isPlanned = true;
    setImmediate(runWaiting);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (collecting && collect && waiting.length >= collect.items) stopCollecting();
      else plan();
    });
}
