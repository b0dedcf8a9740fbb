import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSettled, lanesBench, numbered, turn } from '../../kit/scheduler.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a shard that is lost', () => {
  it('starts nothing any more, also of what was already claimed', async () => {
    const bench = lanesBench({ perLane: 2 });
    bench.add('a', numbered('a', 10));
    bench.lanes.wake(0, 'a');
    await turn();
    bench.owned.clear();
    for (const call of [...bench.calls]) call.finish();
    await bench.lanes.idle();
    expect(bench.started).toHaveLength(2);
    bench.lanes.wake(0, 'a');
    expect(await isSettled(bench.lanes.idle())).toBe(true);
    expect(bench.started).toHaveLength(2);
  });

  it('starts nothing of a claim that was under way', async () => {
    let answer = () => {};
    const bench = lanesBench({}, (claim) => async (...given) => {
      const rows = await claim(...given);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return rows;
    });
    bench.add('a', ['a1']);
    bench.lanes.wake(0, 'a');
    await turn();
    bench.owned.clear();
    answer();
    await bench.lanes.idle();
    expect(bench.started).toEqual([]);
  });

  it('is busy exactly while calls of it are under way', async () => {
    const bench = lanesBench({ perLane: 1 });
    bench.add('a', ['a1']);
    bench.lanes.wake(0, 'a');
    await turn();
    expect([bench.lanes.isBusy(0), bench.lanes.isBusy(1)]).toEqual([true, false]);
    bench.calls[0]?.finish();
    await turn();
    expect(bench.lanes.isBusy(0)).toBe(false);
  });

  it('runs all of its rows when it comes back while something of it was under way', async () => {
    const bench = lanesBench({ perLane: 2 });
    const ids = numbered('a', 6);
    bench.add('a', ids);
    bench.lanes.wake(0, 'a');
    await turn();
    bench.owned.clear();
    // One call ends and one goes on; the rest of the claim is dropped.
    bench.calls[0]?.finish();
    await turn();
    bench.owned.add(0);
    bench.lanes.wake(0, 'a');
    await turn();
    expect(bench.started).toEqual(ids.slice(0, 3));
    for (let left = 0; left < 10; left += 1) {
      bench.calls.at(-1)?.finish();
      await turn();
    }
    expect(new Set(bench.started)).toEqual(new Set(ids));
    expect(bench.errors).toEqual([]);
  });

  it('does not run a row twice when a lane that was held back is remembered after its shard came back', async () => {
    const bench = lanesBench({ perLane: 1, atOnce: 4 });
    bench.owned.add(1);
    for (const lane of ['a', 'c']) {
      bench.add(lane, [`${lane}1`]);
      bench.lanes.wake(0, lane);
    }
    await turn();
    // The tenant has its half, so its third lane is held back; then that lane's shard goes and comes.
    bench.add('b', ['b1']);
    bench.lanes.wake(1, 'b');
    await turn();
    bench.lanes.wake(1, 'b');
    bench.owned.delete(1);
    await turn();
    bench.owned.add(1);
    bench.lanes.wake(1, 'b');
    await turn();
    for (const call of [...bench.calls]) call.finish();
    await turn();
    expect(bench.errors).toEqual([]);
    expect(bench.started).toEqual(['a1', 'c1', 'b1']);
    expect(await isSettled(bench.lanes.idle())).toBe(false);
    bench.calls[0]?.finish();
    expect(await isSettled(bench.lanes.idle())).toBe(true);
  });
});

describe('what a lane that is gone left behind', () => {
  it('does not touch the lane that came after it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const bench = lanesBench({ perLane: 2 });
    bench.add('a', ['a1', 'a2']);
    bench.lanes.wake(0, 'a');
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
    bench.lanes.wake(0, 'a');
    await turn();
    // Now the rest of the second ends too, while a row may be under way.
    vi.advanceTimersByTime(500);
    await turn();
    bench.lanes.wake(0, 'a');
    await turn();
    expect(bench.errors.filter((error) => typeof error === 'string')).toEqual([]);
    expect(bench.calls.length).toBeGreaterThan(0);
    expect(await isSettled(bench.lanes.idle())).toBe(false);
  });
});

it('forgets every lane that has no more work', async () => {
  const bench = lanesBench({ perLane: 1, atOnce: 50 });
  for (let lane = 0; lane < 2000; lane += 1) {
    bench.add(`lane${lane}`, [`row${lane}`], `tenant${lane}`);
    bench.lanes.wake(0, `lane${lane}`);
  }
  const idle = bench.lanes.idle();
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
    const bench = lanesBench({ perLane: 2 });
    bench.add('a', numbered('a', 10));
    bench.lanes.wake(0, 'a');
    await turn();
    bench.lanes.stop();
    bench.lanes.wake(0, 'b');
    const idle = bench.lanes.idle();
    bench.calls[0]?.finish();
    expect(await isSettled(idle)).toBe(false);
    bench.calls[0]?.finish();
    expect(await isSettled(idle)).toBe(true);
    expect(bench.started).toHaveLength(2);
    expect(bench.due('a')).toHaveLength(8);
  });

  it('does not wait for a lane that rests', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const bench = lanesBench({});
    bench.add('a', ['a1']);
    bench.lanes.wake(0, 'a');
    await turn();
    bench.calls[0]?.fail();
    await turn();
    bench.lanes.stop();
    expect(await isSettled(bench.lanes.idle())).toBe(true);
  });
});
