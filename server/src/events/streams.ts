import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { limitReached } from '../access/limits.ts';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Consequences } from '../engine/sequencer.ts';
import type { Notifier } from '../engine/wakeups.ts';
import { subscribeToAnnouncements } from './announce.ts';
import { findEventsAfter, findKeptRange, findNewestNumbers, type KeptRange } from './event.ts';
import { createFeed, type Feed } from './feed.ts';
import { requireKept, type StreamRequest } from './filter.ts';
import { limitConcurrency } from './limit-concurrency.ts';
import { type Loaders, receiveAnnouncements } from './receive-announcements.ts';
import { createEventStream, type EventStream } from './stream.ts';

/** How many reads of the database all streams of the process may have running: the API needs connections, too. */
const CONCURRENT_READS = 4;
const NUMBERED_TOPIC = 'numbered';

/** How often new events and tokens are checked, in case a notification is lost, and after how long a heartbeat is sent. */
const INTERVALS = { checkMs: 1_000, heartbeatMs: 15_000 };

export interface EventStreams {
  /**
   * Opens a stream of a tenant's events, of which this process may have so many. `isWelcome` is called every second; when
   * it returns false the stream ends.
   */
  open(
    tenantId: string,
    maxStreams: number,
    request: StreamRequest,
    isWelcome: () => boolean | Promise<boolean>,
  ): Promise<Readable>;
  /** Ends every stream and opens no more. */
  end(): void;
  /** How many are open. */
  readonly count: number;
}

interface StreamsDeps {
  db: Database;
  wakeUps: Notifier;
  log: Logger;
  loaders: Loaders;
  /** Shorter in tests. */
  intervals?: typeof INTERVALS;
}

interface TenantStreams {
  streams: Set<EventStream>;
  /** How many streams are open or about to be. */
  taken: number;
  /** Created with the first stream, when the newest number is known. */
  feed?: Feed;
}

/** Subscriber of all events: notifies every process, once the numbers are committed, that a tenant has new events. */
export async function announceEvents(
  { wakeUps }: { wakeUps: Notifier },
  tx: TenantTx,
): Promise<Consequences> {
  return { rows: 0, write: () => tx.afterCommit(() => wakeUps.notify(NUMBERED_TOPIC, tx.tenantId)) };
}

/** All streams of this process. */
export function eventStreams({
  db,
  wakeUps,
  log,
  loaders,
  intervals = INTERVALS,
}: StreamsDeps): EventStreams {
  const tenants = new Map<string, TenantStreams>();
  const welcomeChecks = new Map<EventStream, () => boolean | Promise<boolean>>();
  const readInTurn = limitConcurrency(CONCURRENT_READS);
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const advance = (feed: Feed | undefined, newest?: number): void =>
    void feed
      ?.advance(newest)
      .catch((error) => log.debug({ err: error }, 'could not read new events, will try again'));

  wakeUps.subscribe((topic, tenantId) => {
    if (topic === NUMBERED_TOPIC) advance(tenants.get(tenantId)?.feed);
  });

  const receive = receiveAnnouncements({
    db,
    log,
    loaders,
    readInTurn,
    streamsOf: (tenantId) => tenants.get(tenantId)?.streams ?? [],
  });
  subscribeToAnnouncements(wakeUps, (tenantId) => tenants.has(tenantId), receive);

  function release(tenantId: string, tenant: TenantStreams): void {
    tenant.taken -= 1;
    if (tenant.taken === 0) tenants.delete(tenantId);
    if (tenants.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  function checkStreams(): void {
    for (const [stream, isWelcome] of welcomeChecks) {
      stream.sendHeartbeat(intervals.heartbeatMs);
      void stream.pump();
      Promise.resolve(isWelcome()).then((yes) => {
        if (!yes) stream.end('the token is no longer valid');
      });
    }
    for (const tenant of tenants.values()) tenant.feed?.dropOld();
    findNewestNumbers(db, [...tenants.keys()])
      .then((rows) => {
        for (const { tenant_id, sequence } of rows) {
          const feed = tenants.get(tenant_id)?.feed;
          if (feed && sequence > feed.upTo) advance(feed, sequence);
        }
      })
      .catch((error) => log.debug({ err: error }, 'could not look for new events, will try again'));
  }

  function feedOf(tenantId: string, tenant: TenantStreams, { newest, epoch }: KeptRange): Feed {
    tenant.feed ??= createFeed({
      epoch,
      from: newest,
      read: (last, limit) => readInTurn(() => findEventsAfter(db.forTenant(tenantId), last, limit)),
      wake: () => {
        for (const stream of tenant.streams) void stream.pump();
      },
    });
    return tenant.feed;
  }

  async function openStream(
    tenantId: string,
    tenant: TenantStreams,
    { filter, userId, show, last }: StreamRequest,
  ): Promise<EventStream> {
    const range = await findKeptRange(db.forTenant(tenantId));
    if (isOver) throw new ApiError('service_unavailable', { detail: 'the server is shutting down' });
    if (last !== undefined) requireKept(last, range);
    const stream = createEventStream({
      epoch: range.epoch,
      feed: feedOf(tenantId, tenant, range),
      filter,
      userId,
      show,
      last: last?.sequence ?? range.newest,
      onClose: () => {
        tenant.streams.delete(stream);
        welcomeChecks.delete(stream);
        release(tenantId, tenant);
      },
    });
    tenant.streams.add(stream);
    return stream;
  }

  return {
    async open(tenantId, maxStreams, request, isWelcome) {
      const tenant = tenants.get(tenantId) ?? { streams: new Set(), taken: 0 };
      if (tenant.taken >= maxStreams) throw limitReached('streams', maxStreams);
      tenants.set(tenantId, tenant);
      tenant.taken += 1;
      timer ??= setInterval(checkStreams, intervals.checkMs);
      try {
        const stream = await openStream(tenantId, tenant, request);
        welcomeChecks.set(stream, isWelcome);
        return stream.readable;
      } catch (error) {
        release(tenantId, tenant);
        throw error;
      }
    },
    end() {
      isOver = true;
      for (const stream of welcomeChecks.keys()) stream.end('the server is shutting down');
    },
    get count() {
      return welcomeChecks.size;
    },
  };
}
