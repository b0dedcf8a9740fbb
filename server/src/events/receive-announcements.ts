import type { Logger } from 'pino';
import type { Announcement } from '../base/events.ts';
import { groupBy } from '../base/group-by.ts';
import type { Database } from '../db/database.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { Announced } from './announce.ts';
import type { EventStream } from './stream.ts';

type StoredAnnouncement = Extract<Announcement, { id: string }>;

/** Reads the data of stream-only events about something that is stored, by its id. What is gone has none. */
export type Loaders = Record<
  StoredAnnouncement['type'],
  (reader: TenantReader, ids: string[]) => Promise<ReadonlyMap<string, object>>
>;

interface ReceiverDeps {
  db: Database;
  log: Logger;
  loaders: Loaders;
  /** Limits how many reads run at the same time. */
  readInTurn<T>(read: () => Promise<T>): Promise<T>;
  streamsOf(tenantId: string): Iterable<EventStream>;
}

/** What is announced within this time is read together. */
const COLLECT_MS = 20;
/** So often something that changes all the time is sent, as it is then. */
const REPEATED_MS = 1_000;
/** More wait for nothing: they are dropped. */
const MAX_WAITING = 500;

/** A stream-only event has no `id` of the protocol, so that a client that reconnects continues after the last stored event. */
const frame = ({ eventId, type, createdAt, tenantId, channelId }: Announced, data: object): Buffer =>
  Buffer.from(
    `event: ${type}\ndata: ${JSON.stringify({ id: eventId, type, createdAt, tenantId, channelId, sequence: null, data })}\n\n`,
  );

/** Sends the stream-only events of all processes to the streams of this one that want them. */
export function receiveAnnouncements({ db, log, loaders, readInTurn, streamsOf }: ReceiverDeps) {
  let waiting: (Announced & StoredAnnouncement)[] = [];
  /** What changes all the time, each thing once. */
  const changing = new Map<string, Announced & StoredAnnouncement>();

  function offer(announced: Announced, data: object): void {
    let bytes: Buffer | undefined;
    for (const stream of streamsOf(announced.tenantId))
      if (stream.wants(announced)) {
        bytes ??= frame(announced, data);
        stream.offer(bytes);
      }
  }

  async function load(all: (Announced & StoredAnnouncement)[]): Promise<void> {
    for (const [, group] of groupBy(all, ({ tenantId, type }) => `${tenantId} ${type}`)) {
      const [{ tenantId, type }] = group as [Announced & StoredAnnouncement];
      const ids = [...new Set(group.map(({ id }) => id))];
      const data = await readInTurn(() => loaders[type](db.forTenant(tenantId), ids));
      for (const one of group) {
        const found = data.get(one.id);
        if (found) offer(one, found);
      }
    }
  }

  const loadAll = (all: (Announced & StoredAnnouncement)[]): void =>
    void load(all).catch((error) => log.debug({ err: error }, 'stream-only events were dropped'));

  function loadWaiting(): void {
    const all = waiting;
    waiting = [];
    loadAll(all);
  }
  function loadChanging(): void {
    const all = [...changing.values()];
    changing.clear();
    loadAll(all);
  }

  function wait(announced: Announced & StoredAnnouncement): void {
    if (announced.type === 'automation.run_progressed') {
      if (changing.size === 0) setTimeout(loadChanging, REPEATED_MS).unref();
      changing.set(announced.id, announced);
    } else {
      waiting.push(announced);
      if (waiting.length === 1) setTimeout(loadWaiting, COLLECT_MS);
    }
  }

  return (announced: Announced): void => {
    const isWanted = (): boolean =>
      [...streamsOf(announced.tenantId)].some((stream) => stream.wants(announced));
    if ('data' in announced) offer(announced, announced.data);
    else if (waiting.length + changing.size < MAX_WAITING && isWanted()) wait(announced);
  };
}
