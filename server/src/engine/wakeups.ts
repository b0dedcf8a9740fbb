import pg from 'pg';
import type { Queryable } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { realShardOf } from './queue.ts';

const NOTIFY_CHANNEL = 'parley_work';
/** NOTIFY inside a transaction serializes every commit of the database, so wake-ups are collected and sent outside. */
const COLLECT_MS = 20;
/** PostgreSQL takes payloads of up to 8000 bytes; an entry has about 60. */
const ENTRIES_PER_PAYLOAD = 100;
const RECONNECT_MS = 1_000;

const notify = systemStatement<[payload: string]>(
  'wakeups.notify',
  `select pg_notify('${NOTIFY_CHANNEL}', $1)`,
);

export type Wake = (queue: string, shard: number, orderingKey: string) => void;
type Listener = (topic: string, id: string) => void;

export interface WakeUps {
  /** After a commit: wakes the owner of the shard, because an ordering key has new rows. If a wake-up is lost, a scan finds the rows within a second. */
  wake: Wake;
  /** Sets the worker of this process. Its shards need no notification. */
  attach(worker: { wake: Wake; owns(shard: number): boolean }): void;
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
  /** Whether there are no other processes to notify. */
  isSoleProcess: boolean;
}

export function createWakeUps({ db, isSoleProcess }: WakeUpOptions): WakeUps & Notifier {
  let local: { wake: Wake; owns(shard: number): boolean } | undefined;
  const listeners: Listener[] = [];
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();

  async function send(): Promise<void> {
    timer = undefined;
    const entries = [...pending];
    pending.clear();
    for (let from = 0; from < entries.length; from += ENTRIES_PER_PAYLOAD)
      await db()
        .run(notify, [entries.slice(from, from + ENTRIES_PER_PAYLOAD).join(' ')])
        .catch(() => {});
  }

  function sendSoon(topic: string, shard: number, id: string): void {
    pending.add(`${topic}:${shard}:${id}`);
    timer ??= setTimeout(() => {
      sending = send();
    }, COLLECT_MS);
  }
  const relay: Listener = (topic, id) => {
    for (const listen of listeners) listen(topic, id);
  };

  return {
    wake(queue, shard, orderingKey) {
      if (local?.owns(shard)) local.wake(queue, shard, orderingKey);
      else sendSoon(queue, shard, orderingKey);
    },
    attach(worker) {
      local = worker;
    },
    notify(topic, id) {
      relay(topic, id);
      if (!isSoleProcess) sendSoon(topic, realShardOf(id), id);
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
export function listenForWakeUps(config: pg.ClientConfig, wake: Wake): { close(): Promise<void> } {
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
      for (const entry of payload?.split(' ') ?? []) {
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
