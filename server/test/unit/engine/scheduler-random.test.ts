import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type SchedulerBench, schedulerBench, turn } from '../../kit/scheduler.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Step =
  | { do: 'add'; key: number; count: number; wake: boolean }
  | { do: 'wake'; key: number }
  | { do: 'answer'; which: number }
  | { do: 'finish'; which: number; outcome: 'ok' | 'failing' }
  | { do: 'throw'; which: number }
  | { do: 'end'; which: number; outcome: 'ok' | 'failing' }
  | { do: 'store'; which: number; fails: boolean }
  | { do: 'pass'; ms: number }
  | { do: 'lose' | 'regain'; shard: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    key: fc.nat(4),
    count: fc.integer({ min: 1, max: 12 }),
    wake: fc.boolean(),
  }),
  fc.record({ do: fc.constant('wake' as const), key: fc.nat(4) }),
  fc.record({ do: fc.constant('answer' as const), which: fc.nat(9) }),
  fc.record({
    do: fc.constant('finish' as const),
    which: fc.nat(9),
    outcome: fc.constantFrom('ok' as const, 'failing' as const),
  }),
  fc.record({ do: fc.constant('throw' as const), which: fc.nat(9) }),
  fc.record({
    do: fc.constant('end' as const),
    which: fc.nat(9),
    outcome: fc.constantFrom('ok' as const, 'failing' as const),
  }),
  fc.record({ do: fc.constant('store' as const), which: fc.nat(9), fails: fc.boolean() }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(300, 700, 1000) }),
  fc.record({ do: fc.constantFrom('lose' as const, 'regain' as const), shard: fc.nat(1) }),
);
const limits = fc.record({
  rowsPerCall: fc.integer({ min: 1, max: 3 }),
  callsPerKey: fc.integer({ min: 1, max: 4 }),
  callsPerProcess: fc.integer({ min: 1, max: 6 }),
  skipsTaken: fc.boolean(),
});
interface Limits {
  rowsPerCall: number;
  callsPerKey: number;
  callsPerProcess: number;
  skipsTaken: boolean;
}
const KEYS = [0, 1, 2, 3, 4];
const shardOf = (key: number): number => key % 2;

/** Claims read at once and answer later: the most outdated answer that a database could give. */
function benchWithSlowClaims(given: Limits) {
  const answers: (() => void)[] = [];
  const bench = schedulerBench(given, (claim) => async (...asked) => {
    const rows = await claim(...asked);
    await new Promise<void>((resolve) => answers.push(resolve));
    return rows;
  });
  bench.owned.add(1);
  return { bench, answers };
}

function requireLimits({ calls, storing }: SchedulerBench, { callsPerKey, callsPerProcess }: Limits): void {
  expect(calls.length).toBeLessThanOrEqual(callsPerProcess);
  expect(calls.length + storing.length).toBeLessThanOrEqual(4 * callsPerProcess);
  for (const key of new Set(calls.map((call) => call.orderingKey)))
    expect(calls.filter((call) => call.orderingKey === key).length).toBeLessThanOrEqual(callsPerKey);
}

it('runs every due row and none twice, in whatever order wake-ups, claims, ends and losses come', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (given, steps) => {
      const { bench, answers } = benchWithSlowClaims(given);
      const { runner, calls, storing, owned } = bench;
      const added: string[] = [];
      const wake = (key: number): void => runner.wake(shardOf(key), `key${key}`);
      for (const one of steps) {
        if (one.do === 'add') {
          const ids = Array.from({ length: one.count }, (_, at) => `${added.length}.${at}`);
          added.push(...ids);
          // Two tenants, so that one of them may be held back.
          bench.add(`key${one.key}`, ids, `tenant${one.key % 3}`);
          if (one.wake) wake(one.key);
        } else if (one.do === 'wake') wake(one.key);
        else if (one.do === 'answer') answers.splice(one.which % Math.max(answers.length, 1), 1)[0]?.();
        else if (one.do === 'finish') calls[one.which % Math.max(calls.length, 1)]?.finish(one.outcome);
        else if (one.do === 'throw') calls[one.which % Math.max(calls.length, 1)]?.fail();
        else if (one.do === 'end') calls[one.which % Math.max(calls.length, 1)]?.end(one.outcome);
        else if (one.do === 'store') {
          const outcome = storing[one.which % Math.max(storing.length, 1)];
          if (one.fails) outcome?.fail();
          else outcome?.store();
        } else if (one.do === 'pass') vi.advanceTimersByTime(one.ms);
        else if (one.do === 'lose') owned.delete(one.shard);
        else owned.add(one.shard);
        const before = bench.started.length;
        await turn();
        requireLimits(bench, given);
        if (owned.size === 0) expect(bench.started.length).toBe(before);
      }
      // Then the shards are ours again and scans go on, as they do in life.
      owned.add(0).add(1);
      for (let scans = 0; KEYS.some((key) => bench.due(`key${key}`).length > 0); scans += 1) {
        expect(scans).toBeLessThan(1000);
        for (const key of KEYS) if (bench.due(`key${key}`).length > 0) wake(key);
        await turn();
        for (const answer of answers.splice(0)) answer();
        await turn();
        for (const call of [...calls]) call.finish();
        for (const outcome of [...storing]) outcome.store();
        vi.advanceTimersByTime(1000);
      }
      let idle = false;
      void runner.idle().then(() => {
        idle = true;
      });
      for (let turns = 0; turns < 20 && !idle; turns += 1) {
        for (const answer of answers.splice(0)) answer();
        vi.advanceTimersByTime(1000);
        await turn();
      }
      expect(idle).toBe(true);
      expect(bench.errors.filter((error) => typeof error === 'string')).toEqual([]);
      expect(new Set(bench.started)).toEqual(new Set(added));
    }),
    { numRuns: 150 },
  );
});

it('starts the rows of an ordering key in order when nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(fc.nat(5), { maxLength: 40 }), async (given, choices) => {
      const { bench, answers } = benchWithSlowClaims(given);
      const ids = Array.from({ length: 30 }, (_, at) => String(at).padStart(2, '0'));
      for (const [at, id] of ids.entries()) {
        bench.add('key', [id]);
        bench.runner.wake(0, 'key');
        const choice = choices[at];
        if (choice === 1) answers.shift()?.();
        if (choice === 2) bench.calls.at(-1)?.finish();
        if (choice === 3) bench.calls[0]?.finish('failing');
        if (choice === 4) bench.calls[0]?.end();
        if (choice === 5) bench.storing.at(-1)?.store();
        await turn();
      }
      for (let turns = 0; turns < 200 && bench.due('key').length > 0; turns += 1) {
        for (const answer of answers.splice(0)) answer();
        for (const call of [...bench.calls]) call.finish();
        for (const outcome of [...bench.storing]) outcome.store();
        await turn();
      }
      expect(bench.started).toEqual(ids);
    }),
    { numRuns: 60 },
  );
});
