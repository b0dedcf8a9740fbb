import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { Reaction } from '../engine/sequencer.ts';
import type { Notifier } from '../engine/wakeups.ts';
import { findEventsAfter, findKeptRange, findNewestNumbers } from './event.ts';
import { type Feed, feed } from './feed.ts';
import { requireKept, type StreamWish } from './filter.ts';
import { places } from './places.ts';
import { type EventStream, eventStream } from './stream.ts';

/** How many streams a tenant may have open at one process. */
export const STREAMS_PER_TENANT = 100;
/** How many reads of the database all streams of the process have under way: the API needs its connections, too. */
const READS_AT_ONCE = 4;
const NUMBERED = 'numbered';

/** How often what no hint told is looked for and tokens are asked about, and the silence after which a sign of life is sent. */
const PACE = { lookMs: 1_000, aliveMs: 15_000 };

export interface EventStreams {
  /** Opens a stream of a tenant's events. `isWelcome` is asked every second; without its consent the stream ends. */
  open(tenantId: string, wish: StreamWish, isWelcome: () => boolean | Promise<boolean>): Promise<Readable>;
  /** Ends every stream, and opens none any more. */
  end(): void;
  /** How many are open. */
  readonly count: number;
}

interface StreamsDeps {
  db: Database;
  wakeUps: Notifier;
  log: Logger;
  /** Tests have less time. */
  pace?: typeof PACE;
}

interface Tenant {
  streams: Set<EventStream>;
  /** Streams that are open or about to be. */
  taken: number;
  /** Made with the first stream, when it is known where the events have got to. */
  feed?: Feed;
}

/** Tells every process that a tenant has events to read, once their numbers are committed. */
export const announceEvents =
  (wakeUps: Notifier): Reaction =>
  async (tx, tenantId) =>
    tx.afterCommit(() => wakeUps.tell(NUMBERED, tenantId));

/** All streams of this process. */
export function eventStreams({ db, wakeUps, log, pace = PACE }: StreamsDeps): EventStreams {
  const tenants = new Map<string, Tenant>();
  const welcomes = new Map<EventStream, () => boolean | Promise<boolean>>();
  const inTurn = places(READS_AT_ONCE);
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const advance = (one: Feed | undefined, newest?: number): void =>
    void one
      ?.advance(newest)
      .catch((error) => log.debug({ err: error }, 'events could not be read, will be tried again'));

  wakeUps.hear((topic, tenantId) => {
    if (topic === NUMBERED) advance(tenants.get(tenantId)?.feed);
  });

  function release(tenantId: string, tenant: Tenant): void {
    tenant.taken -= 1;
    if (tenant.taken === 0) tenants.delete(tenantId);
    if (tenants.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  /** The net under the hints, and everything else that is a matter of time. */
  function look(): void {
    for (const [stream, isWelcome] of welcomes) {
      stream.beat(pace.aliveMs);
      void stream.pump();
      Promise.resolve(isWelcome()).then((yes) => {
        if (!yes) stream.end('the token is no longer valid');
      });
    }
    for (const tenant of tenants.values()) tenant.feed?.forget();
    findNewestNumbers(db, [...tenants.keys()])
      .then((rows) => {
        for (const { tenant_id, sequence } of rows) {
          const found = tenants.get(tenant_id)?.feed;
          if (found && sequence > found.upTo) advance(found, sequence);
        }
      })
      .catch((error) => log.debug({ err: error }, 'events could not be looked for, will be tried again'));
  }

  function feedOf(tenantId: string, tenant: Tenant, newest: number): Feed {
    tenant.feed ??= feed({
      from: newest,
      read: (last, limit) => inTurn(() => findEventsAfter(db, tenantId, last, limit)),
      wake: () => {
        for (const stream of tenant.streams) void stream.pump();
      },
    });
    return tenant.feed;
  }

  async function openOf(tenantId: string, tenant: Tenant, { filter, last }: StreamWish) {
    const range = await findKeptRange(db, tenantId);
    if (isOver) throw new ApiError('service_unavailable', { detail: 'the server is shutting down' });
    if (last !== undefined) requireKept(last, range);
    const stream = eventStream({
      feed: feedOf(tenantId, tenant, range.newest),
      filter,
      last: last ?? range.newest,
      onClose: () => {
        tenant.streams.delete(stream);
        welcomes.delete(stream);
        release(tenantId, tenant);
      },
    });
    tenant.streams.add(stream);
    return stream;
  }

  return {
    async open(tenantId, wish, isWelcome) {
      const tenant = tenants.get(tenantId) ?? { streams: new Set(), taken: 0 };
      if (tenant.taken >= STREAMS_PER_TENANT)
        throw new ApiError('conflict', {
          detail: `${STREAMS_PER_TENANT} event streams are open already, close one first`,
        });
      tenants.set(tenantId, tenant);
      tenant.taken += 1;
      timer ??= setInterval(look, pace.lookMs);
      try {
        const stream = await openOf(tenantId, tenant, wish);
        welcomes.set(stream, isWelcome);
        return stream.readable;
      } catch (error) {
        release(tenantId, tenant);
        throw error;
      }
    },
    end() {
      isOver = true;
      for (const stream of welcomes.keys()) stream.end('the server is shutting down');
    },
    get count() {
      return welcomes.size;
    },
  };
}
