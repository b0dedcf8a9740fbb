import type { LoadResult } from './load.ts';
import { type Program, startBare } from './processes.ts';
import type { Effort } from './reads.ts';
import { type Comparison, type Measured, measure, type Side } from './rounds.ts';
import { bodyOf, makeEndpoints, type Published, publishing } from './webhook-load.ts';
import { callApi, type Tenant, type World } from './world.ts';

export const WARM_UP_EVENTS = 3000;
const LEAST_EVENTS = 1000;
const ONE_GOAL = 0.45;
const MANY_GOAL = 0.35;
const TENANTS = 10;
const WEBHOOKS_EACH = 100;

export const newTenants = (world: World, count: number): Promise<Tenant[]> =>
  Promise.all(Array.from({ length: count }, () => world.newTenant()));

/** So many events that a round takes about as long as it should, once everything is compiled and planned. */
export async function eventsOfRound(world: World, ours: Published, seconds: number): Promise<number> {
  let rate = 0;
  for (let time = 0; time < 3; time += 1) {
    await ours.prepare(WARM_UP_EVENTS);
    const done = await ours.run();
    await ours.check();
    rate = done.operations / done.seconds;
    // What is counted by the planner now is what it knows for the rest of the run.
    await world.db.query('vacuum analyze');
  }
  return Math.max(LEAST_EVENTS, Math.round(rate * seconds));
}

async function compare(
  figure: string,
  world: World,
  effort: Effort,
  goal: number,
  endpoints: (receiver: Program) => ReturnType<typeof makeEndpoints>,
): Promise<Comparison> {
  const receiver = await startBare('receiver', {});
  const bare = await startBare('webhooks', { BENCH_RECEIVER: `http://127.0.0.1:${receiver.port}` });
  const made = await endpoints(receiver);
  const ours = await publishing(world, made, receiver);
  const { before, after } = bodyOf();
  const runBare = async (count: number): Promise<LoadResult> => {
    const body = { count, paths: made.map(({ path }) => path), before, after };
    const { seconds } = await callApi<{ seconds: number }>(bare.port, 'POST', '/run', { body });
    return { operations: count, seconds };
  };
  const count = await eventsOfRound(world, ours, effort.seconds);
  await runBare(count);
  const sides: Side[] = [
    { name: 'bare', pid: bare.pid, hasDatabase: false, run: () => runBare(count) },
    { name: 'ours', pid: world.server.pid, ...ours, prepare: () => ours.prepare(count) },
  ];
  const results = await measure(sides, effort.rounds, world.postmasterPid);
  await bare.stop();
  await receiver.stop();
  const of = (name: string): Measured[] => results.get(name) ?? [];
  return { figure, bare: of('bare'), ours: of('ours'), goal };
}

/** From published events to recorded deliveries at one receiver. */
export const endpointFigure = (world: World, effort: Effort): Promise<Comparison> =>
  compare('1 kB events to one endpoint', world, effort, ONE_GOAL, async (receiver) =>
    makeEndpoints(await newTenants(world, 1), 1, receiver),
  );

/** The same, spread over a thousand of them. */
export const endpointsFigure = (world: World, effort: Effort): Promise<Comparison> =>
  compare('1 kB events to 1000 endpoints', world, effort, MANY_GOAL, async (receiver) =>
    makeEndpoints(await newTenants(world, TENANTS), WEBHOOKS_EACH, receiver),
  );
