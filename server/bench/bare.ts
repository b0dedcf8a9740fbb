import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';
import { Me } from '../src/access/schema.ts';
import { Chat } from '../src/chats/schema.ts';
import { data } from '../src/http/route.ts';
import { inbound } from './bare-inbound.ts';
import { sending } from './bare-sending.ts';
import { webhooks } from './bare-webhooks.ts';
import { whatsapp } from './bare-whatsapp.ts';
import { broadcasts, labels, trigger } from './bare-writes.ts';
import { chatJson, chatStatement } from './chat-json.ts';

/**
 * The bare counterparts, each run as a program of its own: what someone would write who wants this one thing and
 * nothing else. No token, no limits, no request ids, no metrics, no errors.
 */
const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
};

const POOL_SIZE = 20;
/** Times in the database's JSON are in UTC, as in ours; JIT would only slow small statements down. */
const pool = (): pg.Pool =>
  new pg.Pool({
    connectionString: setting('BENCH_DATABASE_URL'),
    options: '-c timezone=UTC -c jit=off',
    max: POOL_SIZE,
  });

const programs: Record<string, () => Promise<number>> = {
  async me() {
    const app = Fastify({ logger: false });
    const answer: unknown = JSON.parse(setting('BENCH_ANSWER'));
    app.get('/v3/me', { schema: { response: { 200: data(Me).schema } } }, (_request, reply) => {
      reply.send(answer);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },

  async chats() {
    const app = Fastify({ logger: false });
    const db = pool();
    const tenantId = setting('BENCH_TENANT');
    const { name, text } = chatStatement();
    app.get<{ Params: { chatId: string } }>(
      '/v3/chats/:chatId',
      { schema: { response: { 200: data(Chat).schema } } },
      async (request) => {
        const { rows } = await db.query({ name, text, values: [request.params.chatId, tenantId] });
        return { success: true, data: chatJson(rows[0]) };
      },
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },

  inbound: () => inbound(pool(), setting('BENCH_RECEIVER')),

  whatsapp: () => whatsapp(pool(), setting('BENCH_SECRET'), false),

  'whatsapp-visible': () => whatsapp(pool(), setting('BENCH_SECRET'), true),

  sending: () => sending(pool()),

  webhooks: () => webhooks(setting('BENCH_RECEIVER')),

  labels: () => labels(pool(), setting('BENCH_TENANT'), JSON.parse(setting('BENCH_ANSWER'))),

  trigger: () => trigger(pool(), setting('BENCH_TENANT'), setting('BENCH_VERSION')),

  broadcasts: () =>
    broadcasts(pool(), setting('BENCH_TENANT'), {
      label: setting('BENCH_LABEL'),
      attribute: setting('BENCH_ATTRIBUTE'),
    }),

  /** Takes webhooks of either side, and tells how many it took: `GET /` at once, `GET /1000` when they are so many. */
  async receiver() {
    let count = 0;
    const waiting = new Map<number, () => void>();
    const server = createServer((request, response) => {
      if (request.method === 'GET') {
        const tell = (): void => void response.end(String(count));
        const wanted = Number(request.url?.slice(1));
        if (count >= wanted) tell();
        else waiting.set(wanted, tell);
        return;
      }
      request.resume();
      request.on('end', () => {
        count += 1;
        response.end();
        waiting.get(count)?.();
      });
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
};

const start = programs[process.argv[2] ?? ''];
if (!start) throw new Error(`There is no program "${process.argv[2]}".`);
console.log(`listening on ${await start()}`);
