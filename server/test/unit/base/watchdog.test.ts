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
  let interval = 0;
  let isMonitored = false;
  let tick = (): void => {};
  const monitor = {
    max: 0,
    enable: () => (isMonitored = true),
    disable: () => (isMonitored = false),
    reset() {
      monitor.max = 0;
    },
  };
  const watchdog = startWatchdog({
    log,
    activity,
    now: () => time,
    cpu: () => cpu,
    every(ms, given) {
      interval = ms;
      tick = given;
      return () => {};
    },
    monitor,
  });
  /** The next timer comes this late, because the process computes for all of this time by default, and a little otherwise. */
  const pass = (lateMs: number, cpuMs = Math.max(lateMs, 3)): void => {
    time += interval + lateMs;
    cpu += cpuMs;
    tick();
  };
  /** Passes a second in which the process computes next to nothing. */
  const rest = (): void => {
    for (let count = 0; count < 40; count += 1) pass(0, 1);
  };
  /** Before the next timer comes, another one was this late. */
  const monitorDelay = (ms: number): void => {
    if (isMonitored) monitor.max = Math.max(monitor.max, (25 + ms) * 1e6);
  };
  return { logged, activity, watchdog, pass, rest, monitorDelay, interval: () => interval };
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

it('has fewer timers at rest, and again many as soon as the process computes', () => {
  const { pass, rest, interval } = watch();
  pass(0);
  expect(interval()).toBe(25);
  rest();
  expect(interval()).toBe(200);
  pass(0, 19);
  expect(interval()).toBe(200);
  pass(0, 20);
  expect(interval()).toBe(25);
});

it('reports and logs delays between two timers at rest, each once', () => {
  const { logged, activity, watchdog, pass, rest, monitorDelay, interval } = watch();
  rest();
  activity.begin('queue inbound');
  monitorDelay(230);
  pass(80, 250);
  expect(watchdog.delay().max).toBe(230);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { delayMs: 230, cpuMs: 250, running: { 'queue inbound': 1 } },
  ]);
  // The machine does not run it, which costs nothing, and only the next timer shows what the monitor measured.
  rest();
  pass(500, 1);
  monitorDelay(500);
  expect(interval()).toBe(25);
  rest();
  pass(0, 1);
  expect(logged).toHaveLength(2);
  monitorDelay(60);
  pass(0, 1);
  expect(watchdog.delay().max).toBe(500);
  for (let count = 0; count < 300; count += 1) pass(0, 1);
  expect(watchdog.delay()).toEqual({ p50: 0, p99: 0, max: 0 });
});

it('is stuck when one delay after another follows a rest', () => {
  const { watchdog, pass, rest } = watch();
  rest();
  for (let count = 0; count < 6; count += 1) pass(900);
  expect(watchdog.findStall()).toBe('the event loop was blocked for 5.4 of the last 10 seconds');
});

it('forgets a small delay at rest after a minute', () => {
  const { watchdog, rest, monitorDelay, pass } = watch();
  for (let count = 0; count < 3; count += 1) rest();
  monitorDelay(4);
  for (let count = 0; count < 600; count += 1) pass(0, 1);
  expect(watchdog.delay()).toEqual({ p50: 0, p99: 0, max: 0 });
});
