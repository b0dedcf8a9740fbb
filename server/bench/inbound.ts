import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { type LoadResult, requestBytes, runLoad, times } from './load.ts';
import { startBare } from './processes.ts';
import type { Effort } from './reads.ts';
import { type Comparison, measure } from './rounds.ts';
import { callApi, type World } from './world.ts';

const PEOPLE = 50;
const IN_FLIGHT = 64;
const WARM_UP_MESSAGES = 1000;
const GOAL = 0.5;
const POLL_MS = 5;
/** Something is lost or stuck when nothing is left to be done after this long. */
const PATIENCE_MS = 60_000;

interface Message {
  from: string;
  text: string;
}

/** Sends messages to our server and waits until the webhook has each of them and the database says so. */
async function oursWith(world: World, receiver: number, messages: Message[]) {
  const { data: channel } = await world.call<{ data: { id: string } }>('POST', '/v3/channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Inbound',
    address: '+15550009998',
  });
  const { data: webhook } = await world.call<{ data: { id: string } }>('POST', '/v3/api_webhooks', {
    url: `http://127.0.0.1:${receiver}/hook`,
    events: [{ type: 'message.received' }],
  });
  const requests = messages.map((body) =>
    requestBytes('POST', `/v3/sandbox/${channel.id}/inbound`, { token: world.token, body }),
  );
  const received = async (): Promise<number> =>
    Number(await (await request(`http://127.0.0.1:${receiver}/`)).body.text());
  const isPending = async (): Promise<boolean> =>
    (
      await world.db.query('select 1 from deliveries where webhook_id = $1 and due_at is not null limit 1', [
        webhook.id,
      ])
    ).rows.length > 0;
  const delivered = async (): Promise<number> =>
    (
      await world.db.query<{ count: number }>(
        `select count(*)::int as count from deliveries where webhook_id = $1 and status = 'delivered'`,
        [webhook.id],
      )
    ).rows[0]?.count ?? 0;

  let expected = 0;
  return async (count: number): Promise<LoadResult> => {
    const before = await received();
    expected += count;
    const begun = performance.now();
    await runLoad({ port: world.server.port, connections: IN_FLIGHT, next: times(count, requests) });
    // Counting rows costs PostgreSQL time that would be ours, so it is asked only when the receiver has them all.
    const until = begun + PATIENCE_MS;
    while ((await received()) - before < count && performance.now() < until) await delay(POLL_MS);
    while ((await isPending()) && performance.now() < until) await delay(POLL_MS);
    const seconds = (performance.now() - begun) / 1000;
    const recorded = await delivered();
    if (recorded !== expected) throw new Error(`${recorded} of ${expected} deliveries were recorded.`);
    return { operations: count, seconds };
  };
}

/** From a customer's message to the delivered and recorded webhook. */
export async function inboundFigure(world: World, effort: Effort): Promise<Comparison[]> {
  const receiver = await startBare('receiver', {});
  const bare = await startBare('inbound', {
    BENCH_DATABASE_URL: world.databaseUrl,
    BENCH_RECEIVER: `http://127.0.0.1:${receiver.port}`,
  });
  const messages = Array.from({ length: PEOPLE }, (_, person) => ({
    from: `+1444${String(person).padStart(7, '0')}`,
    text: 'Is this still available? I would like to come by on Saturday and have a look at it.',
  }));
  const ours = await oursWith(world, receiver.port, messages);
  const requests = messages.map((body) => requestBytes('POST', '/message', { body }));
  const runs = {
    program: async (count: number): Promise<LoadResult> => {
      const body = { count, messages };
      const { seconds } = await callApi<{ seconds: number }>(bare.port, 'POST', '/run', { body });
      return { operations: count, seconds };
    },
    server: (count: number) =>
      runLoad({ port: bare.port, connections: IN_FLIGHT, next: times(count, requests) }),
    ours,
  };

  // Twice: the first run makes the people, connections and plans; the second tells how many are a round's worth.
  for (const run of Object.values(runs)) await run(WARM_UP_MESSAGES);
  await world.db.query('vacuum analyze');
  const rates: number[] = [];
  for (const run of Object.values(runs)) {
    const { operations, seconds } = await run(WARM_UP_MESSAGES);
    rates.push(operations / seconds);
  }
  const count = Math.max(200, Math.round(Math.min(...rates) * effort.seconds));
  const results = await measure(
    [
      { name: 'program', pid: bare.pid, run: () => runs.program(count) },
      { name: 'ours', pid: world.server.pid, run: () => runs.ours(count) },
      { name: 'server', pid: bare.pid, run: () => runs.server(count) },
    ],
    effort.rounds,
    world.postmasterPid,
  );
  await bare.stop();
  const of = (name: string) => results.get(name) ?? [];
  return [
    { figure: 'inbound to recorded webhook', bare: of('program'), ours: of('ours'), goal: GOAL },
    { figure: '  the bare one over HTTP too', bare: of('server'), ours: of('ours'), goal: undefined },
  ];
}
