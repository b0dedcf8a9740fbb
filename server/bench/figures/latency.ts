import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Case, RoundResult, Side, Workload } from '../figure.ts';
import { onCleanup, startBare } from '../processes.ts';
import { createResource, createSandboxChannel } from '../target.ts';
import { waitUntil } from '../wait.ts';
import { chargeBare, chargeServer } from '../workload.ts';

const PER_SECOND = 100;
const CONTACTS = 50;
/** A server runs for weeks. By then, all it does a few thousand times has been compiled. */
const WARM_UP = { seconds: 30, perSecond: 300 };
export const CONNECTIONS = 64;
/** A round that takes longer than this many times its arrivals measured a queue. */
const KEPT_UP = 1.2;

export interface Arrivals {
  url: string;
  /** When the first bytes of each numbered message arrived. */
  arrivedAt: Map<number, number>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Arrivals> {
  const arrivedAt = new Map<number, number>();
  const server = createServer((request, response) => {
    const now = performance.now();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const number = Number(/message (\d+)\./.exec(body)?.[1]);
      if (!arrivedAt.has(number)) arrivedAt.set(number, now);
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  onCleanup(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivedAt, close };
}

export const percentile = (numbers: number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * part) - 1] as number;

/** The pause before the next of independent arrivals, so that some come close together. */
const pauseMs = (perSecond: number): number => (-Math.log(1 - Math.random()) * 1000) / perSecond;

let messages = 0;

/** Where messages are sent to. */
export interface Destination {
  pool: Pool;
  path: string;
  token: string;
}

/**
 * Sends messages at a rate to destinations in turn, without waiting for answers, and returns how long the webhook of each
 * took.
 */
export async function sendAtRate(
  destinations: readonly Destination[],
  receiver: Arrivals,
  count: number,
  perSecond: number,
): Promise<{ delays: number[]; sentAt: ReadonlyMap<number, number>; seconds: number }> {
  const sentAt = new Map<number, number>();
  const answers: Promise<unknown>[] = [];
  const startedAt = performance.now();
  let sendAt = startedAt;
  for (let sent = 0; sent < count; sent += 1) {
    sendAt += pauseMs(perSecond);
    await delay(Math.max(0, sendAt - performance.now()));
    messages += 1;
    const from = `+1445${String(messages % CONTACTS).padStart(7, '0')}`;
    const body = JSON.stringify({ from, text: `Is this still available? This is message ${messages}.` });
    sentAt.set(messages, performance.now());
    const { pool, path, token } = destinations[messages % destinations.length] as Destination;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    answers.push(
      pool.request({ path, method: 'POST', headers, body }).then(async (answer) => {
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}.`);
      }),
    );
  }
  await Promise.all(answers);
  await waitUntil(async () => [...sentAt.keys()].every((number) => receiver.arrivedAt.has(number)));
  const delays = [...sentAt].map(([number, at]) => (receiver.arrivedAt.get(number) as number) - at);
  const seconds = (performance.now() - startedAt) / 1000;
  if (seconds > (count / perSecond) * KEPT_UP)
    console.error(`\n${destinations[0]?.path} fell behind: the delays are those of a queue.`);
  return { delays, sentAt, seconds };
}

/** How long after a customer's message its webhook arrives, at a rate that leaves every side time to spare. */
export async function createLatency({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const receiver = await startReceiver();
  const tenant = await target.createTenant();
  const channelId = await createSandboxChannel(tenant, { name: 'Latency', address: '+15550009996' });
  await createResource(tenant, '/v3/api_webhooks', {
    url: `${receiver.url}/hook`,
    events: [{ type: 'message.received' }],
  });

  const sendMessages = (getPort: () => number, path: string): Pick<Workload, 'warmUp' | 'run'> => {
    const send = async (count: number, perSecond: number): Promise<RoundResult> => {
      const origin = `http://127.0.0.1:${getPort()}`;
      const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
      try {
        const { delays, seconds } = await sendAtRate(
          [{ pool, path, token: tenant.token }],
          receiver,
          count,
          perSecond,
        );
        const values = { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) };
        return { operations: count, seconds, values };
      } finally {
        await pool.close();
      }
    };
    return {
      warmUp: async () => void (await send(WARM_UP.seconds * WARM_UP.perSecond, WARM_UP.perSecond)),
      run: (count) => send(count, PER_SECOND),
    };
  };
  return [
    {
      title: `inbound to first byte at the receiver, ${PER_SECOND}/s`,
      warmUp: 0,
      count: (seconds) => Math.round(PER_SECOND * seconds),
      restarts: 'once',
      effort: { seconds: 3 },
      hasRate: false,
      values: {
        p50: { title: '  p50', unit: 'ms', digits: 1, bareGoal: 2 },
        p99: { title: '  p99', unit: 'ms', digits: 1, bareGoal: 4 },
      },
      ours: {
        ...chargeServer(target),
        ...sendMessages(() => target.server.port, `/v3/sandbox/${channelId}/inbound`),
        stop: receiver.close,
      },
      bares: [
        {
          async create() {
            const bare = await startBare('inbound', {
              BENCH_DATABASE_URL: target.databaseUrl,
              BENCH_RECEIVER: receiver.url,
            });
            return { ...chargeBare(bare, target), ...sendMessages(() => bare.port, '/message') };
          },
        },
      ],
    },
  ];
}
