import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { startExports } from './exports.ts';
import { startInbound } from './inbound.ts';
import { startChats, startMe } from './reads.ts';
import { startSending } from './sending.ts';
import { startWebhooks } from './webhooks.ts';
import { startWhatsapp } from './whatsapp.ts';
import { startBroadcasts, startLabels, startTrigger } from './writes.ts';

/**
 * The bare counterparts, each run as a program of its own: what one would write to have this one thing and nothing else. No
 * tokens, limits, request ids, metrics or error handling.
 */
const readSetting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
};

const POOL_SIZE = 20;
/** Times in the database's JSON are in UTC, as in ours; JIT would only slow small statements down. */
const createPool = (): pg.Pool =>
  new pg.Pool({
    connectionString: readSetting('BENCH_DATABASE_URL'),
    options: '-c timezone=UTC -c jit=off',
    max: POOL_SIZE,
  });

/** Accepts webhooks and counts them. `GET /1000` is answered with the count as soon as it is at least 1000. */
async function startReceiver(): Promise<number> {
  let count = 0;
  const waiting = new Map<number, () => void>();
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const answer = (): void => void response.end(String(count));
      const wanted = Number(request.url?.slice(1));
      if (count >= wanted) answer();
      else waiting.set(wanted, answer);
      return;
    }
    request.resume();
    request.on('end', () => {
      count += 1;
      response.end();
      waiting.get(count)?.();
      waiting.delete(count);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const programs: Record<string, () => Promise<number>> = {
  me: () => startMe(JSON.parse(readSetting('BENCH_ANSWER'))),
  chats: () => startChats(createPool(), readSetting('BENCH_TENANT')),
  exports: () => startExports(createPool(), readSetting('BENCH_TENANT')),
  inbound: () => startInbound(createPool(), readSetting('BENCH_RECEIVER')),
  whatsapp: () => startWhatsapp(createPool(), readSetting('BENCH_SECRET'), false),
  'whatsapp-visible': () => startWhatsapp(createPool(), readSetting('BENCH_SECRET'), true),
  sending: () => startSending(createPool()),
  webhooks: () => startWebhooks(readSetting('BENCH_RECEIVER')),
  labels: () =>
    startLabels(createPool(), readSetting('BENCH_TENANT'), JSON.parse(readSetting('BENCH_ANSWER'))),
  trigger: () => startTrigger(createPool(), readSetting('BENCH_TENANT'), readSetting('BENCH_VERSION')),
  broadcasts: () =>
    startBroadcasts(createPool(), readSetting('BENCH_TENANT'), {
      label: readSetting('BENCH_LABEL'),
      attribute: readSetting('BENCH_ATTRIBUTE'),
    }),
  receiver: startReceiver,
};

const start = programs[process.argv[2] ?? ''];
if (!start) throw new Error(`There is no program "${process.argv[2]}".`);
console.log(`listening on ${await start()}`);
