import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numbered, type SchedulerBench, schedulerBench, turn } from '../../kit/scheduler.ts';

/** Ordering keys are named by their tenant: `a.1`. */
const tenantOf = (orderingKey: string): string => orderingKey.split('.')[0] as string;
const runningOf = ({ calls }: SchedulerBench, tenant: string): number =>
  calls.filter((call) => tenantOf(call.orderingKey) === tenant).length;

function bench(limits: Parameters<typeof schedulerBench>[0]) {
  const made = schedulerBench(limits);
  let rows = 0;
  return {
    ...made,
    /** Makes rows of a tenant's key due. */
    arrive(orderingKey: string, count: number, isRead = false): void {
      rows += 1;
      made.add(
        orderingKey,
        numbered(`${orderingKey}:${String(rows).padStart(4, '0')}.`, count),
        tenantOf(orderingKey),
      );
      if (isRead) made.commit(orderingKey);
      else made.runner.wake(0, orderingKey);
      for (const read of [...made.following]) read.answer();
    },
  };
}

describe('places that are free again soon', () => {
  it('I5: all belong to a tenant that is alone, and half of them when another one has work', async () => {
    const made = bench({ callsPerKey: 8, callsPerProcess: 8 });
    made.arrive('big.1', 40);
    await turn();
    expect(runningOf(made, 'big')).toBe(8);
    made.arrive('small.1', 40);
    await turn();
    for (let calls = 0; calls < 4; calls += 1) {
      made.calls.find((call) => tenantOf(call.orderingKey) === 'big')?.finish();
      await turn();
    }
    expect([runningOf(made, 'big'), runningOf(made, 'small')]).toEqual([4, 4]);
  });

  it('I5: go in turns to more tenants than there are places', async () => {
    const made = bench({ callsPerKey: 1, callsPerProcess: 2 });
    for (let key = 0; key < 20; key += 1) made.arrive(`big.${key}`, 5);
    await turn();
    for (const tenant of ['a', 'b', 'c', 'd']) made.arrive(`${tenant}.1`, 3);
    await turn();
    for (let calls = 0; calls < 6; calls += 1) {
      made.calls[0]?.finish();
      await turn();
    }
    const begun = new Set(made.started.map((id) => tenantOf(id)));
    expect(begun).toEqual(new Set(['big', 'a', 'b', 'c', 'd']));
  });
});

describe('places of calls that wait for others', () => {
  it('X8: two tenants, then ten, whose calls never end leave places for the next one', async () => {
    const made = bench({ callsPerKey: 4, callsPerProcess: 24, waitsOutside: true });
    const hang = async (tenant: string): Promise<void> => {
      for (let key = 0; key < 30; key += 1) made.arrive(`${tenant}.${key}`, 20);
      await turn();
    };
    for (const tenant of ['bad0', 'bad1']) await hang(tenant);
    made.arrive('third.1', 1);
    await turn();
    expect(runningOf(made, 'third')).toBe(1);
    for (let tenant = 2; tenant < 10; tenant += 1) await hang(`bad${tenant}`);
    made.arrive('good.1', 50);
    await turn();
    // One after another without a pause, though no other call has ended.
    for (let calls = 0; calls < 50; calls += 1) {
      const call = made.calls.find(({ orderingKey }) => orderingKey === 'good.1');
      expect(call).toBeDefined();
      call?.finish();
      await turn();
    }
    expect(made.due('good.1')).toEqual([]);
  });

  it('I5: are used by failing ordering keys to an eighth, by tenants in turns', async () => {
    const made = bench({ callsPerKey: 2, callsPerProcess: 32, waitsOutside: true });
    for (const tenant of ['a', 'b'])
      for (let key = 0; key < 20; key += 1) made.arrive(`${tenant}.${key}`, 10);
    await turn();
    // Each key fails three times.
    while (
      made.calls.some((call) => made.started.filter((id) => id.startsWith(`${call.orderingKey}:`)).length < 4)
    ) {
      for (const call of [...made.calls]) call.finish('failing');
      await turn();
      if (made.started.length > 150) break;
    }
    for (let calls = 0; calls < 200; calls += 1) {
      made.calls[0]?.finish('failing');
      await turn();
      expect(made.calls.length).toBeLessThanOrEqual(32);
    }
    expect(made.calls).toHaveLength(4);
    expect([runningOf(made, 'a'), runningOf(made, 'b')]).toEqual([2, 2]);
    // A healthy tenant has its share at once.
    made.arrive('good.1', 2);
    await turn();
    expect(runningOf(made, 'good')).toBe(2);
  });
});

type Step =
  | { do: 'arrive'; tenant: number; key: number; count: number; isRead: boolean }
  | { do: 'finish'; which: number; outcome: 'ok' | 'failing' };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('arrive' as const),
    tenant: fc.nat(4),
    key: fc.nat(3),
    count: fc.integer({ min: 1, max: 12 }),
    /** Read with the commit, or after a wake-up. */
    isRead: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('finish' as const),
    which: fc.nat(20),
    outcome: fc.constantFrom('ok' as const, 'failing' as const),
  }),
);
const limits = fc.record({
  rowsPerCall: fc.integer({ min: 1, max: 2 }),
  callsPerKey: fc.integer({ min: 1, max: 4 }),
  callsPerProcess: fc.integer({ min: 1, max: 16 }),
  skipsTaken: fc.boolean(),
});

/** Follows what starts: how often each tenant started a call while another one waited for its first. */
function follow(made: ReturnType<typeof bench>, failures: ReadonlyMap<string, number>) {
  const started = new Map<string, Map<string, number>>();
  let seen = 0;
  const isFailing = (orderingKey: string): boolean => (failures.get(orderingKey) ?? 0) >= 3;
  return {
    isFailing,
    /** Tenants with a due row of a healthy key and without a call wait. */
    note(keys: readonly string[]): void {
      for (const orderingKey of made.started.slice(seen).map((id) => id.split(':')[0] as string))
        for (const [tenant, by] of started)
          if (tenant !== tenantOf(orderingKey))
            by.set(tenantOf(orderingKey), (by.get(tenantOf(orderingKey)) ?? 0) + 1);
      seen = made.started.length;
      for (const tenant of new Set(keys.map(tenantOf))) {
        const isWaiting =
          runningOf(made, tenant) === 0 &&
          keys.some((key) => tenantOf(key) === tenant && !isFailing(key) && made.due(key).length > 0);
        if (!isWaiting) started.delete(tenant);
        else if (!started.has(tenant)) started.set(tenant, new Map());
      }
    },
    waiting: started,
  };
}

it('I5: no tenant waits longer than for one call of each other tenant, whatever arrives', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 80 }), async (given, steps) => {
      const made = bench(given);
      const failures = new Map<string, number>();
      const keys: string[] = [];
      const { note, waiting } = follow(made, failures);
      for (const one of steps) {
        if (one.do === 'arrive') {
          const key = `${one.tenant}.${one.key}`;
          if (!keys.includes(key)) keys.push(key);
          made.arrive(key, one.count, one.isRead);
        } else {
          const call = made.calls[one.which % Math.max(made.calls.length, 1)];
          if (call) {
            const before = failures.get(call.orderingKey) ?? 0;
            failures.set(call.orderingKey, one.outcome === 'ok' ? 0 : before + 1);
            call.finish(one.outcome);
          }
        }
        await turn();
        note(keys);
        // Rows of one call count as one start.
        for (const [tenant, by] of waiting)
          for (const [other, count] of by)
            expect(count, `${tenant} waits for ${other}`).toBeLessThanOrEqual(given.rowsPerCall);
      }
    }),
    { numRuns: 400 },
  );
});

it('I5: a tenant never has more than its share when it starts a call, and failing keys never more than an eighth', async () => {
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.boolean(),
      fc.array(step, { maxLength: 80 }),
      async (given, outside, steps) => {
        const made = bench({ ...given, ...(outside ? { waitsOutside: true as const } : {}) });
        const failures = new Map<string, number>();
        const keys: string[] = [];
        const probes = new Set<object>();
        for (const one of steps) {
          const before = new Set<object>(made.calls);
          if (one.do === 'arrive') {
            const key = `${one.tenant}.${one.key}`;
            if (!keys.includes(key)) keys.push(key);
            made.arrive(key, one.count, one.isRead);
          } else {
            const call = made.calls[one.which % Math.max(made.calls.length, 1)];
            if (call) {
              const count = failures.get(call.orderingKey) ?? 0;
              failures.set(call.orderingKey, one.outcome === 'ok' ? 0 : count + 1);
              call.finish(one.outcome);
            }
          }
          await turn();
          for (const call of made.calls)
            if (!before.has(call) && (failures.get(call.orderingKey) ?? 0) >= 3) probes.add(call);
          const probing = made.calls.filter((call) => probes.has(call)).length;
          expect(probing).toBeLessThanOrEqual(Math.max(1, Math.floor(given.callsPerProcess / 8)));
          expect(made.calls.length).toBeLessThanOrEqual(given.callsPerProcess + (outside ? 5 : 0));
          const isNew = made.calls.filter((call) => !before.has(call));
          const sharing = new Set(
            keys.filter((key) => (failures.get(key) ?? 0) < 3 && made.due(key).length > 0).map(tenantOf),
          ).size;
          for (const call of isNew) {
            const share = Math.floor(given.callsPerProcess / Math.max(1, sharing + (outside ? 1 : 0)));
            expect(runningOf(made, tenantOf(call.orderingKey))).toBeLessThanOrEqual(Math.max(1, share));
          }
        }
      },
    ),
    { numRuns: 400 },
  );
});
