import { createHmac, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type Fastify from 'fastify';
import type pg from 'pg';
import { Pool } from 'undici';

export { newId } from '../../src/base/ids.ts';

const IN_FLIGHT = 64;

/** A prepared statement. */
export const prepare = (name: string, text: string) => (on: pg.Pool | pg.PoolClient, values: unknown[]) =>
  on.query({ name, text, values });

export async function inTransaction<T>(db: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

export async function listen(app: ReturnType<typeof Fastify>): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

/** Returns a function that posts a signed webhook over connections that are kept open. */
export function createPoster(receiver: string): (path: string, id: string, body: string) => Promise<void> {
  const http = new Pool(receiver, { connections: IN_FLIGHT, pipelining: 1 });
  const secret = randomBytes(32);
  return async (path, id, body) => {
    const seconds = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
    const answer = await http.request({
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${signature}`,
      },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}.`);
  };
}

/** Does something with so many items of a list, in turn, 64 at once. Returns how long it took. */
export async function runInFlight<T>(
  count: number,
  items: T[],
  work: (item: T) => Promise<void>,
): Promise<{ seconds: number }> {
  let started = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (started < count) await work(items[started++ % items.length] as T);
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000 };
}
