import type { Logger } from 'pino';
import type { Activity } from './activity.ts';

/** How often the delay of the event loop is measured. 40 timers a second take about 0.4 ms of CPU. */
const INTERVAL_MS = 25;
/** Longer delays are logged. */
const LOGGED_MS = 200;
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

  const stop = every(INTERVAL_MS, () => {
    const time = now();
    const ms = Math.max(0, time - last - INTERVAL_MS);
    last = time;
    const cpuMs = cpu() - lastCpu;
    lastCpu += cpuMs;
    samples[count % SAMPLES] = ms;
    count += 1;
    if (ms < LOGGED_MS) return activity.forgetEnded();
    stalls = [
      ...stalls.filter(({ endedAt }) => endedAt > time - READY_WINDOW_MS),
      { endedAt: time, ms: Math.min(ms, cpuMs) },
    ];
    log.warn(
      { delayMs: Math.round(ms), cpuMs: Math.round(cpuMs), running: activity.sinceLastCall() },
      'the event loop was blocked: all requests and queues of this process waited',
    );
  });

  return {
    stop,
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
