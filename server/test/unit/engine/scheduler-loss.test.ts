import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSettled, numbered, schedulerBench, turn } from '../../kit/scheduler.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a shard that is lost', () => {
  it('starts nothing any more, also of what was already claimed', async () => {
    const bench = schedulerBench({ callsPerKey: 2 });
    bench.add('a', numbered('a', 10));
    bench.runner.wake(0, 'a');
    await turn();
    bench.owned.clear();
    for (const call of [...bench.calls]) call.finish();
    await bench.runner.idle();
    expect(bench.started).toHaveLength(2);
    bench.runner.wake(0, 'a');
    expect(await isSettled(bench.runner.idle())).toBe(true);
    expect(bench.started).toHaveLength(2);
  });

  it('starts nothing of a claim that was under way', async () => {
    let answer = () => {};
    const bench = schedulerBench({}, (claim) => async (...given) => {
      const rows = await claim(...given);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return rows;
    });
    bench.add('a', ['a1']);
    bench.runner.wake(0, 'a');
    await turn();
    bench.owned.clear();
    answer();
    await bench.runner.idle();
    expect(bench.started).toEqual([]);
  });

  it('is busy exactly while calls of it are under way', async () => {
    const bench = schedulerBench({ callsPerKey: 1 });
    bench.add('a', ['a1']);
    bench.runner.wake(0, 'a');
    await turn();
    expect([bench.runner.isBusy(0), bench.runner.isBusy(1)]).toEqual([true, false]);
    bench.calls[0]?.finish();
    await turn();
    expect(bench.runner.isBusy(0)).toBe(false);
  });

  it('runs all of its rows when it comes back while something of it was under way', async () => {
    const bench = schedulerBench({ callsPerKey: 2 });
    const ids = numbered('a', 6);
    bench.add('a', ids);
    bench.runner.wake(0, 'a');
    await turn();
    bench.owned.clear();
    // One call ends and one goes on; the rest of the claim is dropped.
    bench.calls[0]?.finish();
    await turn();
    bench.owned.add(0);
    bench.runner.wake(0, 'a');
    await turn();
    expect(bench.started).toEqual(ids.slice(0, 3));
    for (let left = 0; left < 10; left += 1) {
      bench.calls.at(-1)?.finish();
      await turn();
    }
    expect(new Set(bench.started)).toEqual(new Set(ids));
    expect(bench.errors).toEqual([]);
  });

  it('does not run a row twice when an ordering key that was held back is remembered after its shard came back', async () => {
    const bench = schedulerBench({ callsPerKey: 1, callsPerProcess: 4, waitsOutside: true });
    bench.owned.add(1);
    for (const key of ['a', 'c']) {
      bench.add(key, [`${key}1`]);
      bench.runner.wake(0, key);
    }
    await turn();
    // The tenant has its half, so its third ordering key is held back; then the shard of that key goes and comes.
    bench.add('b', ['b1']);
    bench.runner.wake(1, 'b');
    await turn();
    bench.runner.wake(1, 'b');
    bench.owned.delete(1);
    await turn();
    bench.owned.add(1);
    bench.runner.wake(1, 'b');
    await turn();
    for (const call of [...bench.calls]) call.finish();
    await turn();
    expect(bench.errors).toEqual([]);
    expect(bench.started).toEqual(['a1', 'c1', 'b1']);
    expect(await isSettled(bench.runner.idle())).toBe(false);
    bench.calls[0]?.finish();
    expect(await isSettled(bench.runner.idle())).toBe(true);
  });
});

describe('what an ordering key that is gone left behind', () => {
  it('does not touch the ordering key that came after it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const bench = schedulerBench({ callsPerKey: 2 });
    bench.add('a', ['a1', 'a2']);
    bench.runner.wake(0, 'a');
    await turn();
    // Both calls throw, half a second apart, and the rest of the first ends.
    bench.calls[0]?.fail();
    await turn();
    vi.advanceTimersByTime(500);
    bench.calls[0]?.fail();
    await turn();
    vi.advanceTimersByTime(500);
    await turn();
    for (const call of [...bench.calls]) call.finish();
    await turn();
    bench.add('a', ['a3']);
    bench.runner.wake(0, 'a');
    await turn();
    // Now the rest of the second ends too, while a row may be under way.
    vi.advanceTimersByTime(500);
    await turn();
    bench.runner.wake(0, 'a');
    await turn();
    expect(bench.errors.filter((error) => typeof error === 'string')).toEqual([]);
    expect(bench.calls.length).toBeGreaterThan(0);
    expect(await isSettled(bench.runner.idle())).toBe(false);
  });
});

it('forgets every ordering key that has no more work', async () => {
  const bench = schedulerBench({ callsPerKey: 1, callsPerProcess: 50 });
  for (let key = 0; key < 2000; key += 1) {
    bench.add(`key${key}`, [`row${key}`], `tenant${key}`);
    bench.runner.wake(0, `key${key}`);
  }
  const idle = bench.runner.idle();
  await turn();
  while (bench.calls.length > 0) {
    expect(await isSettled(idle)).toBe(false);
    for (const call of [...bench.calls]) call.finish();
    await turn();
  }
  expect(bench.started).toHaveLength(2000);
  expect(await isSettled(idle)).toBe(true);
});

describe('stopping', () => {
  it('starts nothing new, lets go of what was claimed and is idle when the last call has ended', async () => {
    const bench = schedulerBench({ callsPerKey: 2 });
    bench.add('a', numbered('a', 10));
    bench.runner.wake(0, 'a');
    await turn();
    bench.runner.stop();
    bench.runner.wake(0, 'b');
    const idle = bench.runner.idle();
    bench.calls[0]?.finish();
    expect(await isSettled(idle)).toBe(false);
    bench.calls[0]?.finish();
    expect(await isSettled(idle)).toBe(true);
    expect(bench.started).toHaveLength(2);
    expect(bench.due('a')).toHaveLength(8);
  });

  it('does not wait for an ordering key that rests', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const bench = schedulerBench({});
    bench.add('a', ['a1']);
    bench.runner.wake(0, 'a');
    await turn();
    bench.calls[0]?.fail();
    await turn();
    bench.runner.stop();
    expect(await isSettled(bench.runner.idle())).toBe(true);
  });
});
