import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSettled, type LanesBench, lanesBench, numbered, turn } from '../../kit/scheduler.ts';

afterEach(() => {
  vi.useRealTimers();
});
const fakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

/** Ends calls, oldest first, until none is left. */
async function runDry({ calls }: LanesBench): Promise<void> {
  await turn();
  while (calls.length > 0) {
    calls[0]?.finish();
    await turn();
  }
}

describe('a lane', () => {
  it('starts its rows in order, up to its limit at once', async () => {
    const bench = lanesBench({ perLane: 3 });
    const ids = numbered('a', 10);
    bench.add('a', ids);
    bench.lanes.wake(0, 'a');
    await turn();
    expect(bench.started).toEqual(ids.slice(0, 3));
    bench.calls[1]?.finish();
    await turn();
    expect(bench.started).toEqual(ids.slice(0, 4));
    await runDry(bench);
    expect(bench.started).toEqual(ids);
    expect(bench.errors).toEqual([]);
  });

  it('hands rows over in batches and never more than a batch', async () => {
    const bench = lanesBench({ batch: 4, perLane: 1 });
    bench.add('a', numbered('a', 10));
    bench.lanes.wake(0, 'a');
    const sizes: number[] = [];
    await turn();
    while (bench.calls.length > 0) {
      expect(bench.calls).toHaveLength(1);
      sizes.push(bench.calls[0]?.ids.length ?? 0);
      bench.calls[0]?.finish();
      await turn();
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10);
    expect(Math.max(...sizes)).toBe(4);
  });

  it('is only probed after three failures in a row, and is itself again after one success', async () => {
    const bench = lanesBench({ perLane: 4 });
    bench.add('a', numbered('a', 20));
    bench.lanes.wake(0, 'a');
    await turn();
    expect(bench.calls).toHaveLength(4);
    for (const call of bench.calls.slice(0, 3)) call.finish('failing');
    await turn();
    expect(bench.calls).toHaveLength(1);
    bench.calls[0]?.finish('failing');
    await turn();
    expect(bench.calls).toHaveLength(1);
    bench.calls[0]?.finish('ok');
    await turn();
    expect(bench.calls).toHaveLength(4);
    expect(bench.lanes.failures).toBe(4);
  });

  it('reads each row only when its turn has come while it is probed', async () => {
    const bench = lanesBench({ perLane: 4 });
    bench.add('a', numbered('a', 8));
    bench.lanes.wake(0, 'a');
    await turn();
    for (const call of [...bench.calls]) call.finish('failing');
    await turn();
    expect(bench.started.at(-1)).toBe('a0004');
    // Someone cancels a row that the first claims had already shown.
    bench.remove('a0005');
    await runDry(bench);
    expect(bench.started).toEqual(numbered('a', 8).filter((id) => id !== 'a0005'));
  });

  it('stays a probe when it comes back after it had run empty', async () => {
    const bench = lanesBench({ perLane: 4 });
    bench.add('a', numbered('a', 3));
    bench.lanes.wake(0, 'a');
    await turn();
    for (const call of [...bench.calls]) call.finish('failing');
    await bench.lanes.idle();
    bench.add('a', numbered('b', 3));
    bench.lanes.wake(0, 'a');
    await turn();
    expect(bench.calls).toHaveLength(1);
  });

  it('does not run again what finished while it was being claimed', async () => {
    const answers: (() => void)[] = [];
    const bench = lanesBench({ perLane: 2 }, (claim) => async (...asked) => {
      const rows = await claim(...asked);
      await new Promise<void>((resolve) => answers.push(resolve));
      return rows;
    });
    bench.add('a', ['a1', 'a2']);
    bench.lanes.wake(0, 'a');
    await turn();
    answers.shift()?.();
    await turn();
    expect(bench.started).toEqual(['a1', 'a2']);
    // The next claim sees both as due, because they finish only after it has looked.
    bench.lanes.wake(0, 'a');
    await turn();
    for (const call of [...bench.calls]) call.finish();
    await turn();
    while (!(await isSettled(bench.lanes.idle()))) for (const answer of answers.splice(0)) answer();
    expect(bench.started).toEqual(['a1', 'a2']);
  });
});

describe('a lane whose handler threw', () => {
  it('rests a second and then goes on', async () => {
    fakeTimers();
    const bench = lanesBench({ perLane: 1 });
    bench.add('a', ['a1', 'a2']);
    bench.lanes.wake(0, 'a');
    await turn();
    bench.calls[0]?.fail();
    await turn();
    bench.lanes.wake(0, 'a');
    await turn();
    expect(bench.started).toEqual(['a1']);
    vi.advanceTimersByTime(999);
    await turn();
    expect(bench.started).toEqual(['a1']);
    vi.advanceTimersByTime(1);
    await runDry(bench);
    expect(bench.started.toSorted()).toEqual(['a1', 'a1', 'a2']);
    expect(bench.errors).toHaveLength(1);
  });

  it('rests a second from the last throw, when several calls threw one after another', async () => {
    fakeTimers();
    const bench = lanesBench({ perLane: 2 });
    bench.add('a', ['a1', 'a2']);
    bench.lanes.wake(0, 'a');
    await turn();
    bench.calls[0]?.fail();
    await turn();
    vi.advanceTimersByTime(600);
    bench.calls[0]?.fail();
    await turn();
    vi.advanceTimersByTime(600);
    await turn();
    expect(bench.calls).toHaveLength(0);
    vi.advanceTimersByTime(400);
    await turn();
    expect(bench.calls).toHaveLength(2);
  });

  it('rests when its claim threw as well', async () => {
    fakeTimers();
    let broken = true;
    const bench = lanesBench({}, (claim) => async (...given) => {
      if (broken) throw new Error('no database');
      return claim(...given);
    });
    bench.add('a', ['a1']);
    bench.lanes.wake(0, 'a');
    await turn();
    broken = false;
    expect(bench.errors).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    await runDry(bench);
    expect(bench.started).toEqual(['a1']);
  });
});

describe('places', () => {
  it('are never more than the process has, and one tenant has half of them', async () => {
    const bench = lanesBench({ perLane: 4, atOnce: 8 });
    for (const lane of ['a', 'b', 'c']) {
      bench.add(lane, numbered(lane, 10), 'big');
      bench.lanes.wake(0, lane);
    }
    await turn();
    expect(bench.calls).toHaveLength(4);
    bench.add('x', numbered('x', 10), 'small');
    bench.add('y', numbered('y', 10), 'other');
    bench.lanes.wake(0, 'x');
    bench.lanes.wake(0, 'y');
    await turn();
    expect(bench.calls).toHaveLength(8);
    expect(new Set(bench.calls.slice(4).map((call) => call.lane))).toEqual(new Set(['x', 'y']));
    await runDry(bench);
    expect(bench.started).toHaveLength(50);
  });

  it('go to the other lanes of a tenant when one of its calls ends', async () => {
    const bench = lanesBench({ perLane: 2, atOnce: 4 });
    for (const lane of ['a', 'b', 'c']) {
      bench.add(lane, numbered(lane, 3));
      bench.lanes.wake(0, lane);
    }
    await runDry(bench);
    await bench.lanes.idle();
    expect(bench.started).toHaveLength(9);
  });

  it('R6: while a tenant has all of its own, nothing is read for its other lanes, however often they are woken', async () => {
    let claims = 0;
    const bench = lanesBench({ perLane: 4, atOnce: 4 }, (claim) => (...given) => {
      claims += 1;
      return claim(...given);
    });
    const ids = numbered('lane', 50);
    for (const id of ids) bench.add(id, [`row of ${id}`]);
    const wakeAll = async (): Promise<void> => {
      for (const id of ids) bench.lanes.wake(0, id);
      await turn();
    };
    await wakeAll();
    expect(bench.calls).toHaveLength(2);
    const read = claims;
    for (let scan = 0; scan < 10; scan += 1) await wakeAll();
    expect(claims).toBe(read);
    await runDry(bench);
    expect(bench.started).toHaveLength(50);
    expect(bench.errors).toEqual([]);
  });
});
