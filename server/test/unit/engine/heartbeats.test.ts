import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createActivity } from '../../../src/base/activity.ts';
import { createLog } from '../../../src/base/log.ts';
import type { Shards } from '../../../src/engine/shards.ts';
import { createWorker } from '../../../src/engine/worker.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A worker without queues, and when it has sent heartbeats and checked whether shards can be released. */
async function startWorker() {
  const beats: number[] = [];
  const checks: number[] = [];
  let isHandingOver = false;
  let isFailing = false;
  const shards: Shards = {
    owns: () => false,
    owned: () => [],
    ownsAll: () => false,
    isHandingOver: () => isHandingOver,
    async beat() {
      beats.push(performance.now());
      if (isFailing) throw new Error('the database is unavailable');
    },
    handOver: async () => void checks.push(performance.now()),
    acquireAll: async () => {},
    release: async () => {},
  };
  const worker = createWorker({
    shards,
    queues: [],
    timers: true,
    log: createLog({ level: 'silent', json: true }),
    activity: createActivity(),
    wakeUps: { attach() {} },
    clock: { real: () => new Date() },
    db: {},
  } as unknown as Parameters<typeof createWorker>[0]);
  await worker.start({ isSoleProcess: false });
  return {
    worker,
    beats,
    checks,
    handOver: (value: boolean) => (isHandingOver = value),
    failBeats: () => (isFailing = true),
  };
}

const longestPause = (times: number[]): number =>
  Math.max(...times.slice(1).map((time, index) => time - (times[index] as number)));

it('sends a heartbeat every three seconds, and checks nothing while no shard is handed over', async () => {
  const { worker, beats, checks } = await startWorker();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(beats).toHaveLength(11);
  expect(longestPause(beats)).toBe(3_000);
  expect(checks).toEqual([]);
  await worker.stop(0);
});

it('checks every half second while shards are handed over, and goes on with its heartbeats', async () => {
  const { worker, beats, checks, handOver } = await startWorker();
  handOver(true);
  await vi.advanceTimersByTimeAsync(31_200);
  expect(longestPause(beats)).toBe(3_000);
  expect(longestPause([...beats.slice(1), ...checks].sort((a, b) => a - b))).toBe(500);
  handOver(false);
  const { length } = checks;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(longestPause(beats)).toBe(3_000);
  expect(checks.length).toBeLessThanOrEqual(length + 1);
  await worker.stop(0);
});

it('waits as long after a heartbeat that could not be stored', async () => {
  const { worker, beats, failBeats } = await startWorker();
  failBeats();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(beats).toHaveLength(11);
  expect(worker.heartbeatAgeMs()).toBe(30_000);
  await worker.stop(0);
});
