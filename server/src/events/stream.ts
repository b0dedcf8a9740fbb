import { Readable } from 'node:stream';
import type { EventRange, Feed } from './feed.ts';
import type { Filter } from './filter.ts';

/** How much is put together for one write, and how much waits for the socket. */
const CHUNK_BYTES = 64 * 1024;
/** How long a client waits before it comes again, in its own words. */
const RETRY_MS = 1_000;
/** What a client has not taken so long after the end, it never may. */
const LINGER_MS = 500;

export interface EventStream {
  readonly readable: Readable;
  /** Sends what there is, as far as the client takes it. */
  pump(): Promise<void>;
  /** Sends a sign of life when there was none for so long. */
  beat(pauseMs: number): void;
  /** Ends in order; what the client has not taken by then it asks for when it comes again. */
  end(reason: string): void;
}

interface StreamOptions {
  feed: Feed;
  filter: Filter;
  /** The number after which it begins. */
  last: number;
  onClose: () => void;
}

/**
 * One client's stream: a place among the tenant's events that moves on as fast as the client reads. Every sign of life
 * names that place as the last id, also the first: a client that comes again misses nothing even if it has seen
 * nothing yet, and a filter that lets little through does not make it fall behind.
 */
export function eventStream({ feed, filter, last, onClose }: StreamOptions): EventStream {
  let place = last;
  let isWanted = false;
  let isOver = false;
  let pumping = false;
  let sentAt = performance.now();
  const readable = new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      isWanted = true;
      void pump();
    },
    destroy(error, done) {
      isOver = true;
      onClose();
      done(error);
    },
  });

  function send(bytes: Buffer | string): void {
    sentAt = performance.now();
    isWanted = readable.push(bytes);
  }

  /** What of a stretch is wanted, up to a chunk of it; the place moves behind what was looked at. */
  function take({ events, upTo }: EventRange): Buffer[] {
    const taken: Buffer[] = [];
    let size = 0;
    for (const event of events) {
      if (size >= CHUNK_BYTES) return taken;
      place = event.sequence;
      if (!filter(event)) continue;
      taken.push(event.bytes);
      size += event.bytes.length;
    }
    place = upTo;
    return taken;
  }

  async function pump(): Promise<void> {
    if (pumping) return;
    pumping = true;
    try {
      while (isWanted && !isOver) {
        const inMemory = feed.after(place);
        const found = inMemory ?? (await feed.readAfter(place));
        if (isOver) return;
        const taken = take(found);
        if (taken.length > 0) send(taken.length === 1 ? (taken[0] as Buffer) : Buffer.concat(taken));
        else if (inMemory?.events.length === 0) return;
      }
    } catch {
      // The database is out of reach; whoever looks after the streams pumps again in a moment.
    } finally {
      pumping = false;
    }
  }

  send(`retry: ${RETRY_MS}\nid: ${place}\n\n`);
  return {
    readable,
    pump,
    beat(pauseMs) {
      if (isWanted && !isOver && performance.now() - sentAt >= pauseMs) send(`: alive\nid: ${place}\n\n`);
    },
    end(reason) {
      if (isOver) return;
      isOver = true;
      readable.push(`: ${reason}\n\n`);
      readable.push(null);
      const timer = setTimeout(() => readable.destroy(), LINGER_MS);
      readable.once('close', () => clearTimeout(timer));
    },
  };
}
