import { expect, it } from 'vitest';
import { createActivity } from '../../../src/base/activity.ts';
import { createLog } from '../../../src/base/log.ts';
import { startWatchdog } from '../../../src/base/watchdog.ts';

function watch() {
  const logged: string[] = [];
  const log = createLog({
    level: 'warn',
    json: true,
    destination: { write: (line) => void logged.push(line) },
  });
  const activity = createActivity();
  let time = 0;
  let cpu = 0;
  let tick = (): void => {};
  const watchdog = startWatchdog({
    log,
    activity,
    now: () => time,
    cpu: () => cpu,
    every(_ms, given) {
      tick = given;
      return () => {};
    },
  });
  /** The next timer comes this late, because the process computes for all of this time by default. */
  const pass = (lateMs: number, cpuMs = lateMs): void => {
    time += 25 + lateMs;
    cpu += cpuMs;
    tick();
  };
  return { logged, activity, watchdog, pass };
}

it('reports the median, the 99th part and the longest delay of the last minute', () => {
  const { watchdog, pass } = watch();
  expect(watchdog.delay()).toEqual({ p50: 0, p99: 0, max: 0 });
  for (let count = 0; count < 1000; count += 1) pass(count % 100 === 99 ? 30 : 1);
  pass(150);
  expect(watchdog.delay()).toEqual({ p50: 1, p99: 30, max: 150 });
  for (let count = 0; count < 2400; count += 1) pass(2);
  expect(watchdog.delay()).toEqual({ p50: 2, p99: 2, max: 2 });
});

it('logs a delay above 200 ms with what ran meanwhile, and with nothing that had ended before', () => {
  const { logged, activity, pass } = watch();
  activity.begin('GET /v3/me');
  activity.end('GET /v3/me');
  pass(199);
  expect(logged).toEqual([]);
  activity.begin('queue inbound');
  activity.begin('queue inbound');
  activity.begin('POST /v3/chats/search');
  activity.end('POST /v3/chats/search');
  pass(250);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { delayMs: 250, cpuMs: 250, running: { 'queue inbound': 2, 'POST /v3/chats/search': 0 } },
  ]);
  expect(JSON.parse(logged[0] as string).running).not.toHaveProperty('GET /v3/me');
});

it('says that the process is stuck while the event loop was blocked for half of the last ten seconds', () => {
  const { watchdog, pass } = watch();
  pass(4_900);
  expect(watchdog.findStall()).toBeUndefined();
  pass(1_000);
  expect(watchdog.findStall()).toBe('the event loop was blocked for 5.9 of the last 10 seconds');
  for (let count = 0; count < 400; count += 1) pass(0);
  expect(watchdog.findStall()).toBeUndefined();
});

it('is not stuck because it was stopped, or not run by a busy machine', () => {
  const { logged, watchdog, pass } = watch();
  pass(12_000, 0);
  for (let count = 0; count < 10; count += 1) pass(900, 300);
  expect(watchdog.findStall()).toBeUndefined();
  expect(logged).toHaveLength(11);
  for (let count = 0; count < 10; count += 1) pass(900, 600);
  expect(watchdog.findStall()).toMatch(/the event loop was blocked for [56]\.\d of the last 10 seconds/);
});
