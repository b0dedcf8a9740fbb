import { describe, expect, it } from 'vitest';
import { batch } from '../../../src/base/batch.ts';
import { ApiError } from '../../../src/base/errors.ts';
import { turn } from '../../kit/scheduler.ts';

/** Asks that are answered when the test says so. */
function bench(options: { maxBatch: number; underWay: number }) {
  const asks: { asked: number[]; answer(): void }[] = [];
  const ask = batch<number, string>(
    (asked) =>
      new Promise((resolve) => {
        asks.push({ asked, answer: () => resolve(asked.map((one) => `answer ${one}`)) });
      }),
    options,
  );
  return { asks, ask };
}

describe('questions that come together', () => {
  it('are asked together, and each gets its own answer', async () => {
    const { asks, ask } = bench({ maxBatch: 10, underWay: 1 });
    const answers = Promise.all([ask(1), ask(2), ask(3)]);
    await turn();
    expect(asks.map(({ asked }) => asked)).toEqual([[1, 2, 3]]);
    asks[0]?.answer();
    expect(await answers).toEqual(['answer 1', 'answer 2', 'answer 3']);
  });

  it('are asked so many at a time, and the rest when others are answered', async () => {
    const { asks, ask } = bench({ maxBatch: 2, underWay: 2 });
    const answers = [1, 2, 3, 4, 5, 6, 7].map(ask);
    await turn();
    expect(asks.map(({ asked }) => asked)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    asks[1]?.answer();
    await turn();
    await turn();
    expect(asks.map(({ asked }) => asked).slice(2)).toEqual([[5, 6]]);
    for (let at = 0; at < 4; at += 1) {
      for (const one of asks) one.answer();
      await turn();
      await turn();
    }
    expect(await Promise.all(answers)).toHaveLength(7);
  });

  it('are asked one by one where they fail together, so that a bad one fails alone', async () => {
    const inverse = batch(
      async (asked: number[]) => {
        if (asked.includes(0)) throw new Error('nothing');
        return asked.map((one) => 1 / one);
      },
      { maxBatch: 10, underWay: 1 },
    );
    const results = await Promise.allSettled([1, 0, 2].map(inverse));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await inverse(4)).toBe(0.25);
  });

  it('fail together where the database is out of reach, and the next ones are asked all the same', async () => {
    const asks: number[][] = [];
    const ask = batch(
      async (asked: number[]): Promise<number[]> => {
        asks.push(asked);
        throw new ApiError('service_unavailable');
      },
      { maxBatch: 2, underWay: 1 },
    );
    const results = await Promise.allSettled([1, 2, 3].map(ask));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(asks).toEqual([[1, 2], [3]]);
  });
});
