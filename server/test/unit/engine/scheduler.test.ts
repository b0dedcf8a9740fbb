import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSettled, numbered, type SchedulerBench, schedulerBench, turn } from '../../kit/scheduler.ts';

afterEach(() => {
  vi.useRealTimers();
});
const fakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

/** Ends calls, oldest first, until none is left. */
async function runDry({ calls }: SchedulerBench): Promise<void> {
  await turn();
  while (calls.length > 0) {
    calls[0]?.finish();
    await turn();
  }
}

describe('an ordering key', () => {
  it('starts its rows in order, up to its limit at once', async () => {
    const bench = schedulerBench({ callsPerKey: 3 });
    const ids = numbered('a', 10);
    bench.add('a', ids);
    bench.runner.wake(0, 'a');
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
    const bench = schedulerBench({ rowsPerCall: 4, callsPerKey: 1 });
    bench.add('a', numbered('a', 10));
    bench.runner.wake(0, 'a');
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
    const bench = schedulerBench({ callsPerKey: 4 });
    bench.add('a', numbered('a', 20));
    bench.runner.wake(0, 'a');
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
    expect(bench.runner.failures).toBe(4);
  });

  it('reads each row only when its turn has come while it is probed', async () => {
    const bench = schedulerBench({ callsPerKey: 4 });
    bench.add('a', numbered('a', 8));
    bench.runner.wake(0, 'a');
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
    const bench = schedulerBench({ callsPerKey: 4 });
    bench.add('a', numbered('a', 3));
    bench.runner.wake(0, 'a');
    await turn();
    for (const call of [...bench.calls]) call.finish('failing');
    await bench.runner.idle();
    bench.add('a', numbered('b', 3));
    bench.runner.wake(0, 'a');
    await turn();
    expect(bench.calls).toHaveLength(1);
  });

  it('does not run again what finished while it was being claimed', async () => {
    const answers: (() => void)[] = [];
    const bench = schedulerBench({ callsPerKey: 2 }, (claim) => async (...asked) => {
      const rows = await claim(...asked);
      await new Promise<void>((resolve) => answers.push(resolve));
      return rows;
    });
    bench.add('a', ['a1', 'a2']);
    bench.runner.wake(0, 'a');
    await turn();
    answers.shift()?.();
    await turn();
    expect(bench.started).toEqual(['a1', 'a2']);
    // The next claim sees both as due, because they finish only after it has looked.
    bench.runner.wake(0, 'a');
    await turn();
    for (const call of [...bench.calls]) call.finish();
    await turn();
    while (!(await isSettled(bench.runner.idle()))) for (const answer of answers.splice(0)) answer();
    expect(bench.started).toEqual(['a1', 'a2']);
  });
});

describe('an ordering key whose handler threw', () => {
  it('rests a second and then goes on', async () => {
    fakeTimers();
    const bench = schedulerBench({ callsPerKey: 1 });
    bench.add('a', ['a1', 'a2']);
    bench.runner.wake(0, 'a');
    await turn();
    bench.calls[0]?.fail();
    await turn();
    bench.runner.wake(0, 'a');
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
    const bench = schedulerBench({ callsPerKey: 2 });
    bench.add('a', ['a1', 'a2']);
    bench.runner.wake(0, 'a');
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
    const bench = schedulerBench({}, (claim) => async (...given) => {
      if (broken) throw new Error('no database');
      return claim(...given);
    });
    bench.add('a', ['a1']);
    bench.runner.wake(0, 'a');
    await turn();
    broken = false;
    expect(bench.errors).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    await runDry(bench);
    expect(bench.started).toEqual(['a1']);
  });
});

describe('places', () => {
  it('are never more than the process has, and half of them are left for the next tenant', async () => {
    const bench = schedulerBench({ callsPerKey: 4, callsPerProcess: 8, waitsOutside: true });
    for (const key of ['a', 'b', 'c']) {
      bench.add(key, numbered(key, 10), 'big');
      bench.runner.wake(0, key);
    }
    await turn();
    expect(bench.calls).toHaveLength(4);
    bench.add('x', numbered('x', 10), 'small');
    bench.add('y', numbered('y', 10), 'other');
    bench.runner.wake(0, 'x');
    bench.runner.wake(0, 'y');
    await turn();
    expect(bench.calls).toHaveLength(8);
    expect(new Set(bench.calls.slice(4).map((call) => call.orderingKey))).toEqual(new Set(['x', 'y']));
    await runDry(bench);
    expect(bench.started).toHaveLength(50);
  });

  it('go to the other ordering keys of a tenant when one of its calls ends', async () => {
    const bench = schedulerBench({ callsPerKey: 2, callsPerProcess: 4 });
    for (const key of ['a', 'b', 'c']) {
      bench.add(key, numbered(key, 3));
      bench.runner.wake(0, key);
    }
    await runDry(bench);
    await bench.runner.idle();
    expect(bench.started).toHaveLength(9);
  });

  it('R6: while a tenant has all of its own, nothing is read for its other ordering keys, however often they are woken', async () => {
    let claims = 0;
    const limits = { callsPerKey: 4, callsPerProcess: 4, waitsOutside: true } as const;
    const bench = schedulerBench(limits, (claim) => (...given) => {
      claims += 1;
      return claim(...given);
    });
    const ids = numbered('key', 50);
    for (const id of ids) bench.add(id, [`row of ${id}`]);
    const wakeAll = async (): Promise<void> => {
      for (const id of ids) bench.runner.wake(0, id);
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
