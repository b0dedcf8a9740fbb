import { payloadOf } from '../webhooks/payload.ts';
import type { EventRow } from './event.ts';
import { limitConcurrency } from './limit-concurrency.ts';
import { positionText } from './position.ts';

/** An event as streams send it, encoded once for all of them, with the fields that filters use. */
interface FeedEvent {
  sequence: number;
  type: string;
  channel_id: string | null;
  bytes: Buffer;
}

/** Events in order, and the number up to which there are no others. */
export interface EventRange {
  events: readonly FeedEvent[];
  upTo: number;
}

/** The events of one tenant for its streams: the last ones in memory, the older ones in the database. */
export interface Feed {
  /** The number up to which it has read. */
  readonly upTo: number;
  /** The events after a number; undefined if memory does not reach back that far. */
  after(last: number): EventRange | undefined;
  /** The events after a number, from the database: for a stream that has fallen behind what memory holds. */
  readAfter(last: number): Promise<EventRange>;
  /** Reads new events and wakes the streams. `newest` is a number that is known to exist. */
  advance(newest?: number): Promise<void>;
  /** Drops the events that were in memory at the last call: what is erased in the database must not stay in memory. */
  dropOld(): void;
}

interface FeedOptions {
  epoch: number;
  /** The newest number: where it starts. */
  from: number;
  read: (last: number, limit: number) => Promise<EventRow[]>;
  wake: () => void;
}

const BATCH = 200;
/** The limits of what is kept in memory: enough for a stream that waits for its socket. */
const KEPT_EVENTS = 1_000;
const KEPT_BYTES = 4 * 1024 * 1024;

/** Encodes one event. JSON contains no line breaks, so the payload is one line. */
const frame = (row: EventRow, epoch: number): FeedEvent => ({
  sequence: row.sequence,
  type: row.type,
  channel_id: row.channel_id,
  bytes: Buffer.from(
    `id: ${positionText(epoch, row.sequence)}\nevent: ${row.type}\ndata: ${payloadOf({
      id: row.id,
      type: row.type,
      createdAt: row.created_at,
      tenantId: row.tenant_id,
      channelId: row.channel_id,
      sequence: row.sequence,
      data: row.data,
    })}\n\n`,
  ),
});

/**
 * Memory holds every event with a number from `from` (exclusive) to `to`. The newest events are read once for all
 * streams. A slow stream costs no memory: it reads older events from the database.
 */
export function createFeed({ epoch, from: start, read, wake }: FeedOptions): Feed {
  const kept: FeedEvent[] = [];
  let keptBytes = 0;
  let [from, to, known, old] = [start, start, start, start];
  let advancing = false;
  let again = false;
  /** One stream of the tenant reads at a time, so that a hundred of them do not delay other tenants. */
  const readOneAtATime = limitConcurrency(1);

  function keep(events: FeedEvent[]): void {
    for (const event of events) keptBytes += event.bytes.length;
    kept.push(...events);
    while (kept.length > KEPT_EVENTS || (keptBytes > KEPT_BYTES && kept.length > 1)) drop(1);
  }
  function drop(count: number): void {
    for (const { bytes, sequence } of kept.splice(0, count)) {
      keptBytes -= bytes.length;
      from = sequence;
    }
  }

  /** Fewer events than the limit are all there are: then every number known before the read has been reached. */
  const reach = (last: number, count: number, before: number): number =>
    count < BATCH ? Math.max(last, before) : last;

  return {
    get upTo() {
      return to;
    },
    after(last) {
      if (last < from) return undefined;
      let first = kept.length;
      while (first > 0 && (kept[first - 1] as FeedEvent).sequence > last) first -= 1;
      return { events: kept.slice(first), upTo: Math.max(last, to) };
    },
    readAfter: (last) =>
      readOneAtATime(async () => {
        const before = to;
        const events = (await read(last, BATCH)).map((row) => frame(row, epoch));
        return { events, upTo: reach(events.at(-1)?.sequence ?? last, events.length, before) };
      }),
    async advance(newest = 0) {
      known = Math.max(known, newest);
      again = true;
      if (advancing) return;
      advancing = true;
      try {
        while (again) {
          again = false;
          const before = known;
          const events = (await read(to, BATCH)).map((row) => frame(row, epoch));
          keep(events);
          to = reach(events.at(-1)?.sequence ?? to, events.length, before);
          if (events.length === BATCH) again = true;
          if (events.length > 0) wake();
        }
      } finally {
        advancing = false;
      }
    },
    dropOld() {
      drop(kept.filter(({ sequence }) => sequence <= old).length);
      old = to;
    },
  };
}
