import { setTimeout as delay } from 'node:timers/promises';

/** Waits until a condition is true. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not true after ${timeoutMs} ms: ${condition}`);
    await delay(10);
  }
}
