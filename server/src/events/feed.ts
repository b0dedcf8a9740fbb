import { payloadOf } from '../webhooks/payload.ts';
import type { EventRow } from './event.ts';
import { places } from './places.ts';

/** An event as a stream sends it, made once for all streams, with what filters look at. */
export interface FeedEvent {
  sequence: number;
  type: string;
  channel_id: string | null;
  bytes: Buffer;
}

/** Events in their order, and the number up to which there are no others. */
export interface EventRange {
  events: readonly FeedEvent[];
  upTo: number;
}

/** One tenant's events as its streams see them: the last ones in memory, the older ones in the database. */
export interface Feed {
  /** The number up to which it has read. */
  readonly upTo: number;
  /** What comes after a number, as far as memory reaches back; undefined where it does not. */
  after(last: number): EventRange | undefined;
  /** What comes after a number that memory does not reach: a stream that has fallen behind reads for itself. */
  readAfter(last: number): Promise<EventRange>;
  /** Reads on, and wakes the streams. `newest` is a number that is known to be given. */
  advance(newest?: number): Promise<void>;
  /** Forgets what it knew when it was last told to: what is erased in the database must not live on in memory. */
  forget(): void;
}

interface FeedOptions {
  /** Where it begins: the newest number. */
  from: number;
  read: (last: number, limit: number) => Promise<EventRow[]>;
  wake: () => void;
}

const BATCH = 200;
/** What is kept in memory, whichever is less: enough for a stream that waits for its socket. */
const KEPT_EVENTS = 1_000;
const KEPT_BYTES = 4 * 1024 * 1024;

/** The text of one event. JSON has no line ends of its own, so the payload is one line. */
const frame = (row: EventRow): FeedEvent => ({
  sequence: row.sequence,
  type: row.type,
  channel_id: row.channel_id,
  bytes: Buffer.from(
    `id: ${row.sequence}\nevent: ${row.type}\ndata: ${payloadOf({
      id: row.id,
      type: row.type,
      createdAt: row.created_at,
      tenantId: row.tenant_id,
      channelId: row.channel_id,
      sequence: row.sequence,
      data: row.data,
      v2Type: null,
    })}\n\n`,
  ),
});

/**
 * Memory holds every event with a number from `from` (exclusive) to `to`. However many streams there are, the newest
 * events are read once, and however slow one is, it costs no memory: it finds its place in the database again.
 */
export function feed({ from: start, read, wake }: FeedOptions): Feed {
  const kept: FeedEvent[] = [];
  let keptBytes = 0;
  let [from, to, known, old] = [start, start, start, start];
  let advancing = false;
  let again = false;
  /** One of the tenant's streams reads at a time, so that a hundred of them do not keep everyone else waiting. */
  const inTurn = places(1);

  function keep(events: FeedEvent[]): void {
    for (const event of events) keptBytes += event.bytes.length;
    kept.push(...events);
    while (kept.length > KEPT_EVENTS || (keptBytes > KEPT_BYTES && kept.length > 1)) letGo(1);
  }
  function letGo(count: number): void {
    for (const { bytes, sequence } of kept.splice(0, count)) {
      keptBytes -= bytes.length;
      from = sequence;
    }
  }

  /** Fewer than asked for are all there were; numbers known before the reading are then behind it, used or not. */
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
      inTurn(async () => {
        const before = to;
        const events = (await read(last, BATCH)).map(frame);
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
          const events = (await read(to, BATCH)).map(frame);
          keep(events);
          to = reach(events.at(-1)?.sequence ?? to, events.length, before);
          if (events.length === BATCH) again = true;
          if (events.length > 0) wake();
        }
      } finally {
        advancing = false;
      }
    },
    forget() {
      letGo(kept.filter(({ sequence }) => sequence <= old).length);
      old = to;
    },
  };
}
