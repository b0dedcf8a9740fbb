import { get, type IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import type { EventType } from '../../src/base/events.ts';
import type { Database } from '../../src/db/database.ts';
import { cleanUp } from './clean-up.ts';
import { listen } from './wire.ts';

/** One event as it arrived. */
export interface Heard {
  id: string;
  event: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  data: any;
}

export interface StreamClient {
  status: number;
  headers: Record<string, string>;
  heard: Heard[];
  /** Everything that has arrived. */
  text(): string;
  /** The id with which a client would reconnect. */
  lastId(): string;
  /** Waits until so many events have arrived. */
  until(count: number): Promise<Heard[]>;
  /** Stops to read from the socket. */
  pause(): void;
  resume(): void;
  /** True if the server has ended the stream, false if the connection broke. */
  ended: Promise<boolean>;
  close(): void;
}

interface ClientOptions {
  token?: string;
  query?: string;
  headers?: Record<string, string>;
}

/** Opens a stream over a real connection. An answer that is no stream is read to its end. */
export async function useEventStream(app: FastifyInstance, options: ClientOptions): Promise<StreamClient> {
  const port = await listen(app);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(
      {
        host: '127.0.0.1',
        port,
        path: `/v3/events/stream${options.query ?? ''}`,
        headers: {
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...options.headers,
        },
        agent: false,
      },
      resolve,
    );
    request.on('error', reject);
  });
  const heard: Heard[] = [];
  let all = '';
  let rest = '';
  let lastId = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    all += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const fields: Record<string, string> = Object.fromEntries(
        block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]),
      );
      if (fields.id !== undefined) lastId = fields.id;
      if (fields.data !== undefined)
        heard.push({
          id: String(fields.id),
          event: String(fields.event),
          text: fields.data,
          data: JSON.parse(fields.data),
        });
    }
  });
  response.on('error', () => {});
  cleanUp(() => response.destroy());
  const ended = new Promise<boolean>((resolve) => response.once('close', () => resolve(response.complete)));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    heard,
    text: () => all,
    lastId: () => lastId,
    async until(count) {
      await expect.poll(() => heard.length, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(count);
      return heard;
    },
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    ended,
    close: () => void response.destroy(),
  };
}

/** Publishes events of a tenant, many at once, each with its number as data. They get their sequence when work is done. */
export async function publishMany(
  db: Database,
  tenantId: string,
  events: { type?: EventType; channelId?: string | null; data?: unknown }[],
): Promise<void> {
  const BATCH = 500;
  for (let from = 0; from < events.length; from += BATCH)
    await db.forTenant(tenantId).transaction(async (tx) =>
      tx.publish(
        ...events.slice(from, from + BATCH).map(({ type = 'chat.read', channelId = null, data }, index) => ({
          type,
          channelId,
          contactId: null,
          chatId: null,
          data: data ?? { number: from + index + 1 },
        })),
      ),
    );
}
