import { Readable } from 'node:stream';
import type { Announced } from './announce.ts';
import type { EventRange, Feed } from './feed.ts';
import type { Filter } from './filter.ts';
import { positionText } from './position.ts';

/** How many bytes are written at once, and how many wait for the socket. */
const CHUNK_BYTES = 64 * 1024;
/** How long a client waits before it reconnects: the `retry` field of the protocol. */
const RETRY_MS = 1_000;
/** How long after the end the client may still read what is buffered. */
const CLOSE_AFTER_MS = 500;

export interface EventStream {
  readonly readable: Readable;
  /** Sends new events, as far as the client reads them. */
  pump(): Promise<void>;
  /** Whether the client gets a stream-only event. */
  wants(announced: Announced): boolean;
  /** Sends a stream-only event; drops it if the client does not read fast enough. */
  offer(bytes: Buffer): void;
  /** Sends a heartbeat if nothing was sent for so long. */
  sendHeartbeat(pauseMs: number): void;
  /** Ends the stream. What the client has not read by then it gets when it reconnects. */
  end(reason: string): void;
}

interface StreamOptions {
  epoch: number;
  feed: Feed;
  filter: Filter;
  /** The user who has logged in; undefined for a token. */
  userId?: string | undefined;
  /** An event as the client sees it. */
  show?: ((bytes: Buffer) => Buffer) | undefined;
  /** The number after which it starts. */
  last: number;
  onClose: () => void;
}

/**
 * The stream of one client: a position in the tenant's events that advances as fast as the client reads. Every heartbeat
 * has the position as its id, and so has the first message: a client that reconnects misses nothing even if it has
 * received no event yet, and a selective filter does not make it fall behind.
 */
export function createEventStream({
  epoch,
  feed,
  filter,
  userId,
  show,
  last,
  onClose,
}: StreamOptions): EventStream {
  let position = last;
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

  /** Returns the events of a range that the filter accepts, up to a chunk, and advances the position. */
  function take({ events, upTo }: EventRange): Buffer[] {
    const taken: Buffer[] = [];
    let size = 0;
    for (const event of events) {
      if (size >= CHUNK_BYTES) return taken;
      position = event.sequence;
      if (!filter(event)) continue;
      const bytes = show ? show(event.bytes) : event.bytes;
      taken.push(bytes);
      size += bytes.length;
    }
    position = upTo;
    return taken;
  }

  async function pump(): Promise<void> {
    if (pumping) return;
    pumping = true;
    try {
      while (isWanted && !isOver) {
        const inMemory = feed.after(position);
        const found = inMemory ?? (await feed.readAfter(position));
        if (isOver) return;
        const taken = take(found);
        if (taken.length > 0) send(taken.length === 1 ? (taken[0] as Buffer) : Buffer.concat(taken));
        else if (inMemory?.events.length === 0) return;
      }
    } catch {
      // The database is unavailable. The timer of all streams pumps again within a second.
    } finally {
      pumping = false;
    }
  }

  send(`retry: ${RETRY_MS}\nid: ${positionText(epoch, position)}\n\n`);
  return {
    readable,
    pump,
    wants: ({ type, channelId, toUserId, exceptUserId }) =>
      !isOver &&
      (toUserId === undefined || toUserId === userId) &&
      (exceptUserId === undefined || exceptUserId !== userId) &&
      filter({ type, channel_id: channelId }),
    offer(bytes) {
      if (isWanted && !isOver) send(show ? show(bytes) : bytes);
    },
    sendHeartbeat(pauseMs) {
      if (isWanted && !isOver && performance.now() - sentAt >= pauseMs)
        send(`: alive\nid: ${positionText(epoch, position)}\n\n`);
    },
    end(reason) {
      if (isOver) return;
      isOver = true;
      readable.push(`: ${reason}\n\n`);
      readable.push(null);
      const timer = setTimeout(() => readable.destroy(), CLOSE_AFTER_MS);
      readable.once('close', () => clearTimeout(timer));
    },
  };
}
