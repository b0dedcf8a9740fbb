import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/base/errors.ts';
import { gather } from '../../src/base/gather.ts';

describe('gathering', () => {
  it('does together what is asked for in the same turn, and what comes meanwhile in the next', async () => {
    const batches: number[][] = [];
    const double = gather(3, async (items: number[]) => {
      batches.push(items);
      return items.map((item) => item * 2);
    });
    const first = [1, 2, 3, 4].map(double);
    const results = await Promise.all([...first, first[0]?.then(() => double(5))]);
    expect(results).toEqual([2, 4, 6, 8, 10]);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('lets a bad one fail alone', async () => {
    const inverse = gather(10, async (items: number[]) => {
      if (items.includes(0)) throw new Error('nothing');
      return items.map((item) => 1 / item);
    });
    const results = await Promise.allSettled([1, 0, 2].map(inverse));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await inverse(4)).toBe(0.25);
  });

  it('does not ask a database that is out of reach once for each', async () => {
    let asked = 0;
    const ask = gather(10, async (_items: number[]): Promise<number[]> => {
      asked += 1;
      throw new ApiError('service_unavailable');
    });
    await Promise.allSettled([1, 2, 3].map(ask));
    expect(asked).toBe(1);
  });
});
