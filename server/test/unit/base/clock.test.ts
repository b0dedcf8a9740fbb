import { describe, expect, it } from 'vitest';
import { manualClock, tenantClock, timesOf } from '../../../src/base/clock.ts';
import { isTestTenant, isUuid, newId, newTestTenantId } from '../../../src/base/ids.ts';
import { realShardOf, shardOf, TEST_SHARD } from '../../../src/engine/queue.ts';

const REAL = new Date('2026-11-15T01:02:03.456Z');
const LATER = new Date('2027-01-01T00:00:00.000Z');
const ordinary = newId();
const tested = newTestTenantId();

describe('a test tenant', () => {
  it('is known by its id alone', () => {
    expect([isUuid(tested), isTestTenant(tested), isTestTenant(ordinary)]).toEqual([true, true, false]);
  });

  it('has all its keys in one shard, which no other tenant uses', () => {
    const key = newId();
    expect(shardOf(key, tested)).toBe(TEST_SHARD);
    expect(shardOf(key, ordinary)).toBe(realShardOf(key));
    expect(realShardOf(key)).toBeGreaterThanOrEqual(0);
  });
});

describe('the clock', () => {
  it('shows test tenants their own time as far as it was set, and never an earlier one', () => {
    const clock = tenantClock(manualClock(REAL));
    expect(clock.now(tested)).toEqual(REAL);
    clock.setTime(tested, LATER);
    clock.setTime(tested, REAL);
    expect([clock.now(tested), clock.now(newTestTenantId())]).toEqual([LATER, REAL]);
    expect([clock.now(ordinary), clock.real()]).toEqual([REAL, REAL]);
    expect(timesOf(clock, [ordinary, tested])).toEqual([REAL.toISOString(), LATER.toISOString()]);
  });

  it('gives times away that are the taker’s own', () => {
    const clock = tenantClock(manualClock(REAL));
    clock.setTime(tested, LATER);
    clock.now(tested).setTime(0);
    expect(clock.now(tested)).toEqual(LATER);
  });
});
