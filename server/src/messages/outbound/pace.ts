import { setTimeout as delay } from 'node:timers/promises';
import { createCache } from '../../base/cache.ts';

/** How fast a vendor lets a channel send. */
export interface Rate {
  perSecond: number | null;
  perContactMs: number;
}

export interface Pace {
  /** Resolves when a message to this contact may be sent. */
  waitForTurn(channelId: string, contact: string, rate: Rate): Promise<void>;
}

/** Real time, also for test tenants: vendors count by their own clocks. */
interface Time {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}
const realTime: Time = { now: () => performance.now(), sleep: (ms) => delay(ms) };

const MAX_KEYS = 100_000;

/**
 * Limits how fast the channels of this process send. Turns are assigned ahead, each a fixed time after the one before:
 * a late timer delays one message, and not all that follow.
 */
export function createPace(time: Time = realTime): Pace {
  /** When the next turn is, by channel and by contact. An evicted key has been free for long. */
  const nextTurns = createCache<string, number>(MAX_KEYS);

  async function waitFor(key: string, intervalMs: number): Promise<void> {
    const now = time.now();
    const turnAt = Math.max(now, nextTurns.get(key) ?? 0);
    nextTurns.set(key, turnAt + intervalMs);
    if (turnAt > now) await time.sleep(turnAt - now);
  }

  return {
    async waitForTurn(channelId, contact, { perSecond, perContactMs }) {
      if (perContactMs > 0) await waitFor(`${channelId} ${contact}`, perContactMs);
      if (perSecond !== null) await waitFor(channelId, 1000 / perSecond);
    },
  };
}
