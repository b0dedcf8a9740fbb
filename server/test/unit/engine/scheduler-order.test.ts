import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { numbered, schedulerBench, turn } from '../../kit/scheduler.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('starts what failed before what was already claimed behind it', async () => {
  const bench = schedulerBench({ callsPerKey: 1, rowsPerCall: 2 });
  bench.add('a', numbered('a', 2));
  bench.runner.wake(0, 'a');
  await turn();
  // More comes while the first call is under way, and is claimed.
  bench.add('a', ['a8', 'a9']);
  bench.runner.wake(0, 'a');
  await turn();
  const first = bench.calls[0]?.ids as string[];
  bench.calls[0]?.fail();
  await turn();
  vi.advanceTimersByTime(1_000);
  await turn();
  expect(bench.calls.map((call) => call.ids)).toEqual([first]);
  bench.calls[0]?.finish();
  await turn();
  expect(bench.calls.map((call) => call.ids)).toEqual([['a8', 'a9']]);
  expect(bench.errors).toHaveLength(1);
});

it('starts what failed before what a claim brought that was under way when it failed', async () => {
  const answers: (() => void)[] = [];
  const bench = schedulerBench({ callsPerKey: 1, rowsPerCall: 2 }, (claim) => async (...given) => {
    const rows = await claim(...given);
    await new Promise<void>((resolve) => answers.push(resolve));
    return rows;
  });
  bench.add('a', ['a1', 'a2']);
  bench.runner.wake(0, 'a');
  await turn();
  // A full claim is followed by another one, which finds nothing new.
  answers.shift()?.();
  await turn();
  answers.shift()?.();
  await turn();
  bench.add('a', ['a3', 'a4']);
  bench.runner.wake(0, 'a');
  await turn();
  bench.calls[0]?.fail();
  await turn();
  while (answers.length > 0) answers.shift()?.();
  await turn();
  vi.advanceTimersByTime(1_000);
  await turn();
  while (answers.length > 0) answers.shift()?.();
  await turn();
  expect(bench.calls.map((call) => call.ids)).toEqual([['a1', 'a2']]);
});
