import pg from 'pg';
import type { Queryable } from '../db/queryable.ts';
import { systemStatement } from '../db/statement.ts';
import type { FollowUp } from '../db/tenant.ts';
import { realShardOf } from './queue.ts';

const NOTIFY_CHANNEL = 'parley_work';
/**
 * NOTIFY inside a transaction serializes every commit of the database, so wake-ups are sent outside: after a pause the first
 * few at once, and under load those of some milliseconds together.
 */
const COLLECT_MS = 20;
const SENT_AT_ONCE = 10;
/** Notifications, which only streams and clocks at other processes wait for, are sent with the next wake-up or after this. */
const NOTIFY_MS = 100;
/** PostgreSQL takes payloads of up to 8000 bytes; most entries have about 60. The sender comes first. */
const MAX_PAYLOAD = 7_900;
/** An entry that is longer is not sent. */
export const MAX_ENTRY = 4_000;
const RECONNECT_MS = 1_000;

const notify = systemStatement<[payload: string]>(
  'wakeups.notify',
  // Nothing is stored, so the commit need not wait for the disk.
  `select set_config('synchronous_commit', 'off', true), pg_notify('${NOTIFY_CHANNEL}', $1)`,
);

export type Wake = (queue: string, shard: number, orderingKey: string) => void;
type Follow = (queue: string, shard: number, orderingKey: string) => FollowUp | undefined;

/** The worker of this process. */
interface LocalWorker {
  wake: Wake;
  follow: Follow;
  owns(shard: number): boolean;
}
type Listener = (topic: string, id: string) => void;

export interface WakeUps {
  /** After a commit: wakes the owner of the shard, because an ordering key has new rows. If a wake-up is lost, a scan finds the rows within a second. */
  wake: Wake;
  /**
   * Instead of `wake`, with the commit: how the worker of this process reads the new rows, or the owner of the shard is
   * notified. Undefined if the worker has enough to do, or others were notified a moment ago.
   */
  follow: Follow;
  /** Sets the worker of this process. Its shards need no notification. */
  attach(worker: LocalWorker): void;
  close(): Promise<void>;
}

/** Notifications for every process, such as that a tenant has new numbered events. */
export interface Notifier {
  /** Notifies every process, and the listeners of this process immediately. Called after a commit. */
  notify: Listener;
  /** Adds a listener for notifications of all processes. */
  subscribe(listener: Listener): void;
  /** Passes a notification of another process to the listeners of this process. */
  relay: Listener;
}

interface WakeUpOptions {
  db: () => Pick<Queryable, 'run'>;
  /** Names this process, so that it does not listen to itself. */
  sender: string;
  /** Whether there are no other processes to notify. */
  isSoleProcess: boolean;
}

/** As few payloads as the entries need. Entries are ASCII. */
function payloadsOf(entries: readonly string[], sender: string): string[] {
  const payloads: string[] = [];
  let payload = sender;
  for (const entry of entries) {
    if (payload.length + entry.length >= MAX_PAYLOAD) {
      payloads.push(payload);
      payload = sender;
    }
    payload += ` ${entry}`;
  }
  return payload === sender ? payloads : [...payloads, payload];
}

export function createWakeUps({ db, sender, isSoleProcess }: WakeUpOptions): WakeUps & Notifier {
  let local: LocalWorker | undefined;
  const listeners: Listener[] = [];
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  /** When the next are sent, by `performance.now`. */
  let sendsAt = Number.POSITIVE_INFINITY;
  /** Up to when the sent ones would have been collected, one after another. */
  let collectedUntil = Number.NEGATIVE_INFINITY;
  let sending = Promise.resolve();

  async function send(): Promise<void> {
    sendsAt = Number.POSITIVE_INFINITY;
    collectedUntil = Math.max(collectedUntil, performance.now()) + COLLECT_MS;
    const entries = [...pending];
    pending.clear();
    for (const payload of payloadsOf(entries, sender))
      await db()
        .run(notify, [payload])
        .catch(() => {});
  }

  /** Sends an entry with the others that are pending, `afterMs` at the latest. */
  function sendWithin(afterMs: number, topic: string, shard: number, id: string): void {
    pending.add(`${topic}:${shard}:${id}`);
    const now = performance.now();
    const at = Math.max(now + afterMs, collectedUntil - (SENT_AT_ONCE - 1) * COLLECT_MS);
    if (at >= sendsAt) return;
    clearTimeout(timer);
    sendsAt = at;
    const start = (): void => {
      sending = send();
    };
    // At the end of the tick, so that all wake-ups of a commit are sent together.
    if (at <= now) setImmediate(start);
    else timer = setTimeout(start, at - now);
  }
  /**
   * Sends an entry with the commit that it is about, together with those that are pending, which saves the owner of the shard a
   * round trip of this process. Undefined if too many were sent a moment ago.
   */
  function sendWithCommit(topic: string, shard: number, id: string): FollowUp | undefined {
    const now = performance.now();
    if (collectedUntil - (SENT_AT_ONCE - 1) * COLLECT_MS > now) return undefined;
    const own = `${topic}:${shard}:${id}`;
    const entries = [own, ...[...pending].filter((entry) => entry !== own)];
    const [payload, ...more] = payloadsOf(entries, sender);
    if (payload === undefined || more.length > 0) return undefined;
    collectedUntil = Math.max(collectedUntil, now) + COLLECT_MS;
    pending.clear();
    clearTimeout(timer);
    sendsAt = Number.POSITIVE_INFINITY;
    return {
      statement: notify,
      parameters: [payload],
      answered() {},
      failed: () => sendWithin(0, topic, shard, id),
    };
  }
  const relay: Listener = (topic, id) => {
    for (const listen of listeners) listen(topic, id);
  };

  return {
    wake(queue, shard, orderingKey) {
      if (local?.owns(shard)) local.wake(queue, shard, orderingKey);
      else sendWithin(0, queue, shard, orderingKey);
    },
    follow: (queue, shard, orderingKey) =>
      local?.owns(shard)
        ? local.follow(queue, shard, orderingKey)
        : sendWithCommit(queue, shard, orderingKey),
    attach(worker) {
      local = worker;
    },
    notify(topic, id) {
      relay(topic, id);
      if (!isSoleProcess) sendWithin(NOTIFY_MS, topic, realShardOf(id), id);
    },
    subscribe: (listener) => void listeners.push(listener),
    relay,
    async close() {
      clearTimeout(timer);
      await sending;
    },
  };
}

/** Listens for the wake-ups of other processes on a connection of its own, and reconnects when it breaks. */
export function listenForWakeUps(
  config: pg.ClientConfig,
  self: string,
  wake: Wake,
): { close(): Promise<void> } {
  let isClosed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const reconnectLater = (): void => {
    if (!isClosed) timer = setTimeout(connect, RECONNECT_MS);
  };
  function connect(): void {
    const made = new pg.Client(config);
    client = made;
    made.on('error', () => {});
    made.on('end', reconnectLater);
    made.on('notification', ({ payload }) => {
      const [sender, ...entries] = payload?.split(' ') ?? [];
      if (sender === self) return;
      for (const entry of entries) {
        const [topic, shard, id] = entry.split(':');
        if (topic && shard && id) wake(topic, Number(shard), id);
      }
    });
    made
      .connect()
      .then(() => made.query(`listen ${NOTIFY_CHANNEL}`))
      .catch(() => void made.end().catch(() => {}));
  }
  connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
