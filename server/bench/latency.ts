import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { LoadResult } from './load.ts';
import { onCleanup, startBare } from './processes.ts';
import type { Effort } from './reads.ts';
import { measure, median, type Side, spread } from './rounds.ts';
import type { World } from './world.ts';

const PER_SECOND = 100;
const PEOPLE = 50;
/** A server runs for weeks. What it does a few thousand times has been compiled by then, however much it is. */
const WARM_UP = { seconds: 30, perSecond: 300 };
const CONNECTIONS = 64;
const PATIENCE_MS = 60_000;
/** A round that takes longer than this many times its arrivals measured a queue. */
const KEPT_UP = 1.2;

/** Notes when the first bytes of each numbered message come in. */
async function startReceiver(): Promise<{ url: string; arrived: Map<number, number> }> {
  const arrived = new Map<number, number>();
  const server = createServer((request, response) => {
    const at = performance.now();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const number = Number(/message (\d+)\./.exec(body)?.[1]);
      if (!arrived.has(number)) arrived.set(number, at);
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

const percentile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] as number;

/** Pauses between arrivals that know nothing of each other, so that some come close together. */
const pauseMs = (perSecond: number): number => (-Math.log(1 - Math.random()) * 1000) / perSecond;

export const latencyHead = ['inbound to first byte at the receiver', 'bare', 'ours', 'ratio (range)', 'goal'];

/**
 * How long after a customer's message its webhook comes in, at a pace at which both sides have time to spare. Whoever
 * sends does not wait for an answer before the next message, so a side that falls behind shows it.
 */
export async function latencyFigure(world: World, effort: Effort): Promise<string[][]> {
  const { url, arrived } = await startReceiver();
  const bare = await startBare('inbound', { BENCH_DATABASE_URL: world.databaseUrl, BENCH_RECEIVER: url });
  const { call, token } = await world.newTenant();
  const { data: channel } = await call<{ data: { id: string } }>('POST', '/v3/channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Latency',
    address: '+15550009996',
  });
  await call('POST', '/v3/api_webhooks', { url: `${url}/hook`, events: [{ type: 'message.received' }] });

  let number = 0;
  /** Sends messages for so long and gives the time that each was under way, in milliseconds. */
  async function send(
    pool: Pool,
    path: string,
    seconds: number,
    perSecond: number,
  ): Promise<{ took: number[] } & LoadResult> {
    const sent = new Map<number, number>();
    const answers: Promise<unknown>[] = [];
    const begun = performance.now();
    for (let at = pauseMs(perSecond); at < seconds * 1000; at += pauseMs(perSecond)) {
      await delay(Math.max(0, begun + at - performance.now()));
      number += 1;
      const from = `+1445${String(number % PEOPLE).padStart(7, '0')}`;
      const body = JSON.stringify({ from, text: `Is this still available? This is message ${number}.` });
      sent.set(number, performance.now());
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      answers.push(
        pool.request({ path, method: 'POST', headers, body }).then(async (answer) => {
          await answer.body.dump();
          if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}.`);
        }),
      );
    }
    await Promise.all(answers);
    const until = performance.now() + PATIENCE_MS;
    while ([...sent.keys()].some((one) => !arrived.has(one))) {
      if (performance.now() > until) throw new Error('Not every message came in at the receiver.');
      await delay(5);
    }
    const took = [...sent].map(([one, at]) => (arrived.get(one) as number) - at);
    return { took, operations: sent.size, seconds: (performance.now() - begun) / 1000 };
  }

  const rounds = { bare: [] as number[][], ours: [] as number[][] };
  const behind = new Set<string>();
  const side = async (name: 'bare' | 'ours', program: { pid: number; port: number }, path: string) => {
    const pool = new Pool(`http://127.0.0.1:${program.port}`, { connections: CONNECTIONS, pipelining: 1 });
    onCleanup(() => pool.close());
    await send(pool, path, WARM_UP.seconds, WARM_UP.perSecond);
    const run = async (): Promise<LoadResult> => {
      const { took, ...done } = await send(pool, path, effort.seconds, PER_SECOND);
      rounds[name].push(took);
      if (done.seconds > effort.seconds * KEPT_UP) behind.add(name);
      return done;
    };
    return { name, pid: program.pid, run } satisfies Side;
  };
  const sides = [
    await side('bare', bare, '/message'),
    await side('ours', world.server, `/v3/sandbox/${channel.id}/inbound`),
  ];
  await world.db.query('vacuum analyze');
  const measured = await measure(sides, effort.rounds, world.postmasterPid);
  await bare.stop();

  const row = (title: string, unit: string, of: { bare: number[]; ours: number[] }, goal?: number) => {
    const ratios = of.ours.map((one, at) => one / (of.bare[at] as number));
    const decision = goal === undefined ? '' : `≤ ${goal} ${median(ratios) <= goal ? 'met' : 'missed'}`;
    const shown = (values: number[]): string => `${median(values).toFixed(unit === 'ms' ? 1 : 0)} ${unit}`;
    return [title, shown(of.bare), shown(of.ours), spread(ratios), decision];
  };
  const at = (part: number) => ({
    bare: rounds.bare.map((took) => percentile(took, part)),
    ours: rounds.ours.map((took) => percentile(took, part)),
  });
  const cpuOf = (part: 'cpu' | 'serverCpu') => ({
    bare: (measured.get('bare') ?? []).map((round) => round[part]),
    ours: (measured.get('ours') ?? []).map((round) => round[part]),
  });
  if (behind.size > 0)
    console.error(`\n${[...behind].join(' and ')} fell behind: the delays are those of a queue.`);
  return [
    row('  p50', 'ms', at(0.5), 2),
    row('  p99', 'ms', at(0.99), 4),
    row(`  CPU per message at ${PER_SECOND}/s`, 'µs', cpuOf('cpu')),
    row('  of it the server', 'µs', cpuOf('serverCpu')),
  ];
}
