import type { Logger } from 'pino';

/** Runs a task once in the background. `stop` waits for it; the task checks `isStopping` to end early. */
export function inBackground(
  task: (isStopping: () => boolean) => Promise<void>,
  log: Logger,
): { stop(): Promise<void> } {
  let isStopping = false;
  const running = task(() => isStopping).catch((error) =>
    log.error({ err: error }, 'background task failed, it is retried at the next start'),
  );
  return {
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

/** Runs a task repeatedly, with a pause between two runs, and before the first one. */
export function repeat(
  pause: number | (() => number),
  task: () => Promise<unknown>,
  log: Logger,
  firstPauseMs?: number,
): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const pauseMs = (): number => (typeof pause === 'number' ? pause : pause());
  const schedule = (afterMs: number): void => {
    if (!isStopped) timer = setTimeout(run, afterMs);
  };
  const run = (): void => {
    running = task()
      .catch((error) => log.warn({ err: error }, 'background task failed, it is retried'))
      .then(() => schedule(pauseMs()));
  };
  schedule(firstPauseMs ?? pauseMs());
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
