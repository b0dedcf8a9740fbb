import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isSettled, numbered, schedulerBench, turn } from '../../kit/scheduler.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a call that has ended and whose outcome is not stored yet', () => {
  it('makes room for the next one, and its row is not started again', async () => {
    const bench = schedulerBench({ callsPerKey: 2 });
    const ids = numbered('a', 6);
    bench.add('a', ids);
    bench.runner.wake(0, 'a');
    await turn();
    bench.calls[0]?.end();
    bench.runner.wake(0, 'a');
    await turn();
    expect(bench.started).toEqual(ids.slice(0, 3));
    expect(bench.calls).toHaveLength(2);
    expect(bench.errors).toEqual([]);
  });

  it('counts for the ordering key all the same: eight for each place, and then it waits', async () => {
    const bench = schedulerBench({ callsPerKey: 2, callsPerProcess: 8 });
    bench.add('a', numbered('a', 20));
    bench.runner.wake(0, 'a');
    await turn();
    for (let calls = 0; calls < 20; calls += 1) {
      bench.calls[0]?.end();
      await turn();
    }
    expect(bench.started).toHaveLength(16);
    bench.storing[0]?.store();
    await turn();
    expect(bench.started).toHaveLength(17);
  });

  it('is waited for when everything stops', async () => {
    const bench = schedulerBench({});
    bench.add('a', ['a1']);
    bench.runner.wake(0, 'a');
    await turn();
    bench.calls[0]?.end();
    await turn();
    bench.runner.stop();
    expect(bench.runner.isBusy(0)).toBe(true);
    expect(await isSettled(bench.runner.idle())).toBe(false);
    bench.storing[0]?.store();
    expect(await isSettled(bench.runner.idle())).toBe(true);
    expect(bench.runner.isBusy(0)).toBe(false);
  });

  it('is made again when it cannot be stored, before what comes behind it', async () => {
    const bench = schedulerBench({ callsPerKey: 1 });
    bench.add('a', numbered('a', 3));
    bench.runner.wake(0, 'a');
    await turn();
    bench.calls[0]?.end();
    await turn();
    bench.storing[0]?.fail();
    bench.calls[0]?.finish();
    await turn();
    vi.advanceTimersByTime(1_000);
    await turn();
    expect(bench.started).toEqual(['a0000', 'a0001', 'a0000']);
  });

  it('makes an ordering key a probed one at once when it failed', async () => {
    const bench = schedulerBench({ callsPerKey: 4 });
    bench.add('a', numbered('a', 20));
    bench.runner.wake(0, 'a');
    await turn();
    for (const call of bench.calls.slice(0, 3)) call.end('failing');
    await turn();
    expect(bench.calls).toHaveLength(1);
  });
});

describe('a list whose claims leave out what is taken', () => {
  it('never asks for more rows than it wants, and starts them in order', async () => {
    const limits: number[] = [];
    const bench = schedulerBench({ callsPerKey: 2, skipsTaken: true }, (claim) => (...asked) => {
      limits.push(asked[2]);
      return claim(...asked);
    });
    const ids = numbered('a', 40);
    bench.add('a', ids);
    bench.runner.wake(0, 'a');
    await turn();
    while (bench.calls.length > 0) {
      bench.calls[0]?.finish();
      await turn();
    }
    expect(bench.started).toEqual(ids);
    expect(Math.max(...limits)).toBe(16);
  });

  it('starts what was let go of before what a claim brought meanwhile', async () => {
    const answers: (() => void)[] = [];
    const bench = schedulerBench({ callsPerKey: 2, skipsTaken: true }, (claim) => async (...asked) => {
      const rows = await claim(...asked);
      await new Promise<void>((resolve) => answers.push(resolve));
      return rows;
    });
    const ids = numbered('a', 20);
    bench.add('a', ids);
    bench.runner.wake(0, 'a');
    await turn();
    answers.shift()?.();
    await turn();
    // The shard is lost for a moment while the next claim is under way: what waited is let go of.
    while (answers.length === 0) {
      bench.calls[0]?.finish();
      await turn();
    }
    bench.owned.delete(0);
    bench.calls[0]?.finish();
    await turn();
    bench.owned.add(0);
    bench.runner.wake(0, 'a');
    for (let turns = 0; turns < 60; turns += 1) {
      answers.shift()?.();
      bench.calls[0]?.finish();
      await turn();
    }
    expect(bench.started).toEqual(ids);
  });
});
