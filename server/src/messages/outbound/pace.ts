import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** How fast a vendor lets a channel send. */
export interface Rate {
  perSecond: number | null;
  perContactMs: number;
}

export interface Pace {
  /** Resolves when it is the turn of a message to this person. */
  turn(channelId: string, contact: string, rate: Rate): Promise<void>;
}

/** Real time, whatever the clock of the domain says: vendors count by theirs. */
interface Time {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}
const realTime: Time = { now: () => performance.now(), sleep: (ms) => delay(ms) };

const REMEMBERED = 100_000;

/**
 * Keeps the pace of the channels that this process owns. Turns are given out ahead, each a fixed time after the one
 * before: a timer that is late makes one message late, and not all that follow.
 */
export function pace(time: Time = realTime): Pace {
  /** When the next turn is, by channel and by person. What was forgotten has long been free again. */
  const next = new LRUCache<string, number>({ max: REMEMBERED });

  async function waitFor(key: string, apartMs: number): Promise<void> {
    const now = time.now();
    const at = Math.max(now, next.get(key) ?? 0);
    next.set(key, at + apartMs);
    if (at > now) await time.sleep(at - now);
  }

  return {
    async turn(channelId, contact, { perSecond, perContactMs }) {
      if (perContactMs > 0) await waitFor(`${channelId} ${contact}`, perContactMs);
      if (perSecond !== null) await waitFor(channelId, 1000 / perSecond);
    },
  };
}
