import { describe, expect, it } from 'vitest';
import { type BatchOptions, batch } from '../../../src/base/batch.ts';
import { ApiError } from '../../../src/base/errors.ts';
import { turn } from '../../kit/scheduler.ts';

/** A batcher of numbers whose batches end when the test says so. */
function controlledBatch(options: BatchOptions) {
  const batches: { items: number[]; finish(): void }[] = [];
  const add = batch<number, string>(
    (items) =>
      new Promise((resolve) => {
        batches.push({ items, finish: () => resolve(items.map((item) => `result ${item}`)) });
      }),
    options,
  );
  return { batches, add };
}

describe('items that arrive together', () => {
  it('are handled in one batch, and each gets its own result', async () => {
    const { batches, add } = controlledBatch({ maxBatch: 10, maxConcurrent: 1 });
    const results = Promise.all([add(1), add(2), add(3)]);
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    batches[0]?.finish();
    expect(await results).toEqual(['result 1', 'result 2', 'result 3']);
  });

  it('are handled in batches of the given size, the rest when others have ended', async () => {
    const { batches, add } = controlledBatch({ maxBatch: 2, maxConcurrent: 2 });
    const results = [1, 2, 3, 4, 5, 6, 7].map(add);
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    batches[1]?.finish();
    await turn();
    await turn();
    expect(batches.map(({ items }) => items).slice(2)).toEqual([[5, 6]]);
    for (let round = 0; round < 4; round += 1) {
      for (const one of batches) one.finish();
      await turn();
      await turn();
    }
    expect(await Promise.all(results)).toHaveLength(7);
  });

  it('are handled for each tenant if the batch timed out, so that locked rows of one delay no other', async () => {
    const handled: string[][] = [];
    const add = batch(
      async (items: string[]) => {
        handled.push(items);
        if (items.some((item) => item.startsWith('locked'))) throw new ApiError('service_unavailable');
        return items;
      },
      { maxBatch: 10, maxConcurrent: 1 },
      (item) => item.split(' ')[0] as string,
    );
    const results = await Promise.allSettled(['a 1', 'locked 1', 'b 1', 'a 2', 'locked 2'].map(add));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(handled.slice(1)).toEqual([['a 1', 'a 2'], ['locked 1', 'locked 2'], ['b 1']]);
  });

  it('are handled one by one if the batch fails, so that a bad one fails alone', async () => {
    const inverse = batch(
      async (items: number[]) => {
        if (items.includes(0)) throw new Error('division by zero');
        return items.map((item) => 1 / item);
      },
      { maxBatch: 10, maxConcurrent: 1 },
    );
    const results = await Promise.allSettled([1, 0, 2].map(inverse));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await inverse(4)).toBe(0.25);
  });

  it('fail together if the database is unavailable, and the next ones are still handled', async () => {
    const batches: number[][] = [];
    const add = batch(
      async (items: number[]): Promise<number[]> => {
        batches.push(items);
        throw new ApiError('service_unavailable');
      },
      { maxBatch: 2, maxConcurrent: 1 },
    );
    const results = await Promise.allSettled([1, 2, 3].map(add));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toEqual([[1, 2], [3]]);
  });
});

describe('a batch that collects', () => {
  const options = { maxBatch: 10, maxConcurrent: 1, collect: { above: 2, items: 4, ms: 60_000 } };
  /** Handles a batch of so many items. */
  async function handle({ batches, add }: ReturnType<typeof controlledBatch>, count: number): Promise<void> {
    const results = Array.from({ length: count }, (_, index) => add(index));
    await turn();
    batches.at(-1)?.finish();
    await Promise.all(results);
    await turn();
  }

  it('waits after a large batch until there are enough items', async () => {
    const { batches, add } = controlledBatch(options);
    await handle({ batches, add }, 3);
    for (const item of [1, 2, 3]) void add(item);
    await turn();
    await turn();
    expect(batches).toHaveLength(1);
    void add(4);
    await turn();
    expect(batches[1]?.items).toEqual([1, 2, 3, 4]);
  });

  it('waits no longer than the given time', async () => {
    const { batches, add } = controlledBatch({ ...options, collect: { ...options.collect, ms: 5 } });
    await handle({ batches, add }, 3);
    void add(1);
    await expect.poll(() => batches[1]?.items).toEqual([1]);
  });

  it('does not wait after a small batch', async () => {
    const { batches, add } = controlledBatch(options);
    await handle({ batches, add }, 2);
    void add(1);
    await turn();
    expect(batches[1]?.items).toEqual([1]);
  });
});
