import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Activity } from './activity.ts';

/** How often the delay of the event loop is measured. */
const INTERVAL_MS = 25;
/** Longer delays are logged. */
const LOGGED_MS = 200;
/**
 * At rest Node measures as often, and this timer reads the longest delay. On x64, 40 timers in JavaScript take 3.8 ms of CPU a
 * second, and these 1.9. It is not longer than a delay that is logged, so that none hides another.
 */
const REST_INTERVAL_MS = LOGGED_MS;
/** A process rests while it uses less than this part of a core, for a second. */
const REST_CPU = 0.1;
const CALM_TICKS = 1_000 / INTERVAL_MS;
/** Smaller delays that Node has measured are left in its histogram: to reset it takes 60 µs. */
const MIN_RESET_MS = 5;
/** The metric covers the last minute. */
const SAMPLES = 60_000 / INTERVAL_MS;
/** The process is not ready while it blocked its event loop for half of this time. */
const READY_WINDOW_MS = 10_000;

/** How late timers were in the last minute, in milliseconds. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

export interface Watchdog {
  delay(): LoopDelay;
  /** Says why the process cannot work at the moment; undefined if it can. */
  findStall(): string | undefined;
  stop(): void;
}

interface WatchdogOptions {
  log: Logger;
  activity: Activity;
  /** The milliseconds since the start of the process. */
  now?: () => number;
  /** The CPU time that the process has taken, in milliseconds. */
  cpu?: () => number;
  /** Calls a function repeatedly, and returns how to stop that. */
  every?: (ms: number, tick: () => void) => () => void;
  /** Measures at rest; `max` is the longest interval in nanoseconds. */
  monitor?: { readonly max: number; enable(): boolean; disable(): boolean; reset(): void };
}

const repeatedly = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms).unref();
  return () => clearInterval(timer);
};

const cpuOfProcess = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Measures how long the event loop is blocked, and logs what ran when it was blocked for long. */
export function startWatchdog({
  log,
  activity,
  now = () => performance.now(),
  cpu = cpuOfProcess,
  every = repeatedly,
  monitor = monitorEventLoopDelay({ resolution: INTERVAL_MS }),
}: WatchdogOptions): Watchdog {
  const samples = new Float64Array(SAMPLES);
  let count = 0;
  let last = now();
  let lastCpu = cpu();
  /**
   * The long delays of the last seconds: when they ended, and how long the process computed meanwhile. A process that was
   * stopped, or that a busy machine did not run, can work as soon as it runs again.
   */
  let stalls: { endedAt: number; ms: number }[] = [];
  let intervalMs = INTERVAL_MS;
  let calmTicks = 0;
  let stopTimer = every(INTERVAL_MS, tick);

  function tick(): void {
    const time = now();
    const lateMs = Math.max(0, time - last - intervalMs);
    last = time;
    const cpuMs = cpu() - lastCpu;
    lastCpu += cpuMs;
    const monitoredMs = monitor.max / 1e6 - INTERVAL_MS;
    if (monitoredMs > MIN_RESET_MS) monitor.reset();
    const ms = monitoredMs > MIN_RESET_MS ? Math.max(lateMs, monitoredMs) : lateMs;
    record(ms);
    for (let more = intervalMs / INTERVAL_MS; more > 1; more -= 1) record(lateMs);
    // After a long delay the monitor is reset: it may count the same delay after this timer has.
    calmTicks = cpuMs < REST_CPU * intervalMs && ms < LOGGED_MS ? calmTicks + 1 : 0;
    restOrWork(calmTicks >= CALM_TICKS);
    if (ms < LOGGED_MS) {
      activity.forgetEnded();
      return;
    }
    stalls = [
      ...stalls.filter(({ endedAt }) => endedAt > time - READY_WINDOW_MS),
      { endedAt: time, ms: Math.min(ms, cpuMs) },
    ];
    log.warn(
      { delayMs: Math.round(ms), cpuMs: Math.round(cpuMs), running: activity.sinceLastCall() },
      'the event loop was blocked: all requests and queues of this process waited',
    );
  }

  function record(ms: number): void {
    samples[count % SAMPLES] = ms;
    count += 1;
  }

  function restOrWork(isResting: boolean): void {
    const nextMs = isResting ? REST_INTERVAL_MS : INTERVAL_MS;
    if (nextMs === intervalMs) return;
    intervalMs = nextMs;
    stopTimer();
    stopTimer = every(nextMs, tick);
    if (isResting) monitor.enable();
    else {
      monitor.disable();
      monitor.reset();
    }
  }

  return {
    stop() {
      stopTimer();
      monitor.disable();
    },
    delay() {
      const sorted = samples.slice(0, Math.min(count, SAMPLES)).sort();
      const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
      return { p50: at(0.5), p99: at(0.99), max: at(1) };
    },
    findStall() {
      const since = now() - READY_WINDOW_MS;
      const blockedMs = stalls.filter(({ endedAt }) => endedAt > since).reduce((sum, { ms }) => sum + ms, 0);
      return blockedMs >= READY_WINDOW_MS / 2
        ? `the event loop was blocked for ${Math.round(blockedMs / 100) / 10} of the last ${READY_WINDOW_MS / 1000} seconds`
        : undefined;
    },
  };
}
