import { createHmac, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { Pool } from 'undici';
import { newId } from '../src/base/ids.ts';

const IN_FLIGHT = 64;

/**
 * `POST /run` posts one body under so many ids of its own, each signed, in turn to the paths, 64 in flight, over
 * connections that are kept. Nothing is read from anywhere and nothing is recorded.
 */
export async function webhooks(receiver: string): Promise<number> {
  const http = new Pool(receiver, { connections: IN_FLIGHT, pipelining: 1 });
  const secret = randomBytes(32);

  async function post(path: string, before: string, after: string): Promise<void> {
    const id = newId();
    const body = before + id + after;
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
  }

  const app = Fastify({ logger: false });
  app.post<{ Body: { count: number; paths: string[]; before: string; after: string } }>(
    '/run',
    async (request) => {
      const { count, paths, before, after } = request.body;
      let at = 0;
      const begun = performance.now();
      await Promise.all(
        Array.from({ length: IN_FLIGHT }, async () => {
          while (at < count) await post(paths[at++ % paths.length] as string, before, after);
        }),
      );
      return { seconds: (performance.now() - begun) / 1000 };
    },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}
