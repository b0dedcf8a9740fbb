import { setTimeout as delay } from 'node:timers/promises';
import { isLockTimeout } from './errors.ts';

/** Everybody else waits behind a change of the schema that waits for its lock: for this long at most. */
export const LOCK_TIMEOUT_MS = 1_000;
/** As long as it waited: half of the time the table belongs to the others. */
const PAUSE_MS = 1_000;

/**
 * Repeats a change of the schema that did not get its lock in time, with a pause in which the queries behind it run.
 * `work` sets `lock_timeout` to {@link LOCK_TIMEOUT_MS}.
 */
export async function withLockRetries<T>(attempts: number, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || attempt >= attempts) throw error;
      await delay(PAUSE_MS);
    }
}
