import pg from 'pg';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { realShardOf } from './queue.ts';

const NOTIFY_CHANNEL = 'parley_work';
/** NOTIFY inside a transaction serializes every commit of the database, so hints are collected and sent outside. */
const COLLECT_MS = 20;
/** PostgreSQL takes payloads of up to 8000 bytes; an entry has about 60. */
const ENTRIES_PER_NOTE = 100;
const RECONNECT_MS = 1_000;

const notify = statement<[payload: string]>('hints.notify', `select pg_notify('${NOTIFY_CHANNEL}', $1)`);

export type Wake = (list: string, shard: number, lane: string) => void;
export type Hear = (topic: string, lane: string) => void;

export interface WakeUps {
  /** Says, after a commit, that a lane has new work. Only a hint: whoever misses it finds the work within a second. */
  give: Wake;
  /** The worker of this process; hints it can use itself go nowhere else. */
  attach(worker: { wake: Wake; owns(shard: number): boolean }): void;
  close(): Promise<void>;
}

/** What is no lane's work: every process may want to know it. As much of a hint as the others are. */
export interface Notifier {
  /** Says something, after a commit, to every process and to this one at once. */
  tell: Hear;
  /** Names whoever wants to know what is told, here or elsewhere. */
  hear(listener: Hear): void;
  /** Passes on what another process told. */
  pass: Hear;
}

/** With `alone`, no other process is told anything, because there is none. */
export function wakeUps(db: Database, isSoleProcess = false): WakeUps & Notifier {
  let local: { wake: Wake; owns(shard: number): boolean } | undefined;
  const listeners: Hear[] = [];
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();

  async function send(): Promise<void> {
    timer = undefined;
    const entries = [...pending];
    pending.clear();
    for (let at = 0; at < entries.length; at += ENTRIES_PER_NOTE)
      // A hint that is lost is found by the next scan.
      await db.run(notify, [entries.slice(at, at + ENTRIES_PER_NOTE).join(' ')]).catch(() => {});
  }

  function sendSoon(list: string, shard: number, lane: string): void {
    pending.add(`${list}:${shard}:${lane}`);
    timer ??= setTimeout(() => {
      sending = send();
    }, COLLECT_MS);
  }
  const pass: Hear = (topic, lane) => {
    for (const hear of listeners) hear(topic, lane);
  };

  return {
    give(list, shard, lane) {
      if (local?.owns(shard)) local.wake(list, shard, lane);
      else sendSoon(list, shard, lane);
    },
    attach(worker) {
      local = worker;
    },
    tell(topic, lane) {
      pass(topic, lane);
      if (!isSoleProcess) sendSoon(topic, realShardOf(lane), lane);
    },
    hear: (listener) => void listeners.push(listener),
    pass,
    async close() {
      clearTimeout(timer);
      await sending;
    },
  };
}

/** Listens for the hints of other processes on a connection of its own, again and again when it breaks. */
export function listenForWakeUps(config: pg.ClientConfig, wake: Wake): { close(): Promise<void> } {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const later = (): void => {
    if (!closed) timer = setTimeout(connect, RECONNECT_MS);
  };
  function connect(): void {
    const made = new pg.Client(config);
    client = made;
    made.on('error', () => {});
    made.on('end', later);
    made.on('notification', ({ payload }) => {
      for (const entry of payload?.split(' ') ?? []) {
        const [list, shard, lane] = entry.split(':');
        if (list && shard && lane) wake(list, Number(shard), lane);
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
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
