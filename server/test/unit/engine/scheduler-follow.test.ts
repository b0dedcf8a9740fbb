import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { isSettled, numbered, schedulerBench, turn } from '../../kit/scheduler.ts';

it('rows are read with the commit that has made them due, and start when it answers', async () => {
  const bench = schedulerBench({}, () => async () => {
    throw new Error('nothing else is read');
  });
  bench.add('a', ['a1']);
  bench.commit('a');
  expect(bench.following).toHaveLength(1);
  await turn();
  expect(bench.started).toEqual([]);
  bench.following[0]?.answer();
  await turn();
  expect(bench.started).toEqual(['a1']);
  bench.calls[0]?.finish();
  expect(await isSettled(bench.runner.idle())).toBe(true);
  expect(bench.errors).toEqual([]);
});

it('a key that is being read, has rows that wait, or no place, is woken instead', async () => {
  const bench = schedulerBench({ callsPerKey: 1 });
  bench.add('a', ['a1']);
  bench.commit('a');
  bench.add('a', ['a2']);
  bench.commit('a');
  expect(bench.following).toHaveLength(1);
  bench.following[0]?.answer();
  await turn();
  bench.add('a', ['a3']);
  bench.commit('a');
  expect(bench.following).toEqual([]);
  for (const id of ['a1', 'a2', 'a3']) {
    expect(bench.started.at(-1)).toBe(id);
    bench.calls[0]?.finish();
    await turn();
  }
  expect(await isSettled(bench.runner.idle())).toBe(true);
});

it('nothing is read for a shard of somebody else, or after the stop', () => {
  const bench = schedulerBench({});
  bench.owned.clear();
  bench.commit('a');
  bench.owned.add(0);
  bench.runner.stop();
  bench.commit('a');
  expect(bench.following).toEqual([]);
});

it('a read that failed is made again after a pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const bench = schedulerBench({});
  bench.add('a', ['a1']);
  bench.commit('a');
  bench.following[0]?.fail();
  await turn();
  expect([bench.started, bench.errors.length]).toEqual([[], 1]);
  vi.advanceTimersByTime(1_000);
  await turn();
  expect(bench.started).toEqual(['a1']);
  vi.useRealTimers();
});

it('I7: a commit that waits for a lock keeps nothing else of its key waiting, and its rows come later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const bench = schedulerBench({});
  bench.commit('a');
  bench.add('a', ['a1']);
  bench.runner.wake(0, 'a');
  await turn();
  expect(bench.started).toEqual([]);
  vi.advanceTimersByTime(100);
  await turn();
  expect(bench.started).toEqual(['a1']);
  bench.calls[0]?.finish();
  await turn();
  // The transaction commits at last.
  bench.add('a', ['a2']);
  bench.following[0]?.answer();
  await turn();
  expect(bench.started).toEqual(['a1', 'a2']);
  bench.calls[0]?.finish();
  await turn();
  expect(bench.errors).toEqual([]);
  expect(await isSettled(bench.runner.idle())).toBe(true);
  vi.useRealTimers();
});

const step = fc.oneof(
  fc.record({
    do: fc.constant('commit' as const),
    key: fc.constantFrom('a', 'b'),
    count: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ do: fc.constant('wake' as const), key: fc.constantFrom('a', 'b') }),
  fc.record({ do: fc.constantFrom('answer' as const, 'finish' as const), which: fc.nat(9) }),
);

it('every row starts once, and those of a key in order, however commits, reads and wake-ups interleave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        rowsPerCall: fc.integer({ min: 1, max: 3 }),
        callsPerKey: fc.integer({ min: 1, max: 3 }),
        callsPerProcess: fc.integer({ min: 1, max: 4 }),
        skipsTaken: fc.boolean(),
      }),
      fc.array(step, { maxLength: 60 }),
      async (limits, steps) => {
        const bench = schedulerBench(limits);
        const added = { a: [] as string[], b: [] as string[] };
        for (const one of steps) {
          if (one.do === 'commit') {
            const ids = numbered(
              `${one.key}${String(added[one.key as 'a'].length).padStart(3, '0')}.`,
              one.count,
            );
            added[one.key as 'a'].push(...ids);
            bench.add(one.key, ids);
            bench.commit(one.key);
          } else if (one.do === 'wake') bench.runner.wake(0, one.key);
          else if (one.do === 'answer')
            bench.following[one.which % Math.max(1, bench.following.length)]?.answer();
          else bench.calls[one.which % Math.max(1, bench.calls.length)]?.finish();
          await turn();
        }
        while (bench.following.length + bench.calls.length > 0) {
          bench.following[0]?.answer();
          bench.calls[0]?.finish();
          await turn();
        }
        expect(await isSettled(bench.runner.idle())).toBe(true);
        for (const key of ['a', 'b'] as const)
          expect(bench.started.filter((id) => id.startsWith(key))).toEqual(added[key]);
        expect(bench.errors).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
