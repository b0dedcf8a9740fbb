import { Pool } from 'undici';
import { QUIET_DATABASE } from '../compare-commits.ts';
import { readCpuSeconds } from '../cpu.ts';
import type { Case, RoundResult, Side, Workload } from '../figure.ts';
import type { Program } from '../processes.ts';
import { createResource, createSandboxChannel, startTarget, type Target } from '../target.ts';
import { waitUntil } from '../wait.ts';
import { type Arrivals, CONNECTIONS, percentile, sendAtRate, startReceiver } from './latency.ts';

const PER_SECOND = 30;
/** Each with a channel and a webhook, so that both processes have a part of the work. */
const TENANTS = 8;
const WARM_UP = { seconds: 40, perSecond: 150 };
const P50_GOAL = 1.3;
const CPU_GOAL = 1.15;

/** Waits until every process has its share of the shards. */
const waitForShares = (target: Target, processes: number): Promise<void> =>
  waitUntil(async () => {
    const { rows } = await target.db.query<{ count: number }>(
      `select count(*)::int from ${target.shardColumn}s where owner is not null group by owner`,
    );
    return rows.length === processes && rows.every(({ count }) => count <= Math.ceil(65 / processes));
  });

/** Sends messages to some processes on one PostgreSQL, to each in turn. */
async function createLoad(target: Target, others: Program[], receiver: Arrivals): Promise<Workload> {
  const servers = () => [target.server, ...others];
  await waitForShares(target, servers().length);
  const channels: { path: string; token: string }[] = [];
  for (let number = 0; number < TENANTS; number += 1) {
    const tenant = await target.createTenant();
    const channelId = await createSandboxChannel(tenant, { name: 'Two', address: '+15550009997' });
    await createResource(tenant, '/v3/api_webhooks', {
      url: `${receiver.url}/hook`,
      events: [{ type: 'message.received' }],
    });
    channels.push({ path: `/v3/sandbox/${channelId}/inbound`, token: tenant.token });
  }
  const processes = () => ({
    server: servers().map(({ pid }) => pid),
    postmaster: target.postmasterPid,
  });
  const send = async (count: number, perSecond: number): Promise<RoundResult> => {
    const pools = servers().map(
      ({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 }),
    );
    try {
      const before = await readCpuSeconds(processes());
      const destinations = pools.flatMap((pool) => channels.map((channel) => ({ pool, ...channel })));
      const { delays, seconds } = await sendAtRate(destinations, receiver, count, perSecond);
      const after = await readCpuSeconds(processes());
      const used = after.server + after.postgres - before.server - before.postgres;
      const values = { p50: percentile(delays, 0.5), cpu: (used / count) * 1000 };
      return { operations: count, seconds, values };
    } finally {
      for (const pool of pools) await pool.close();
    }
  };
  return {
    processes,
    warmUp: async () => void (await send(WARM_UP.seconds * WARM_UP.perSecond, WARM_UP.perSecond)),
    run: (count) => send(count, PER_SECOND),
    stop: () => target.server.stop(),
  };
}

/** Inbound messages to two processes on one PostgreSQL, against the same to one. */
export async function createTwoProcesses({ serverRoot }: Side): Promise<Case[]> {
  const receiver = await startReceiver();
  const start = (): Promise<Target> => startTarget({ serverRoot, databaseSettings: QUIET_DATABASE });
  const target = await start();
  const other = await target.startAnother();
  const ours = await createLoad(target, [other], receiver);
  return [
    {
      title: `inbound to first byte at the receiver, ${PER_SECOND}/s, two processes`,
      warmUp: 0,
      count: (seconds) => Math.round(PER_SECOND * seconds),
      restarts: 'never',
      effort: { seconds: 10 },
      hasRate: false,
      hasCpu: false,
      values: {
        p50: { title: '  p50, two processes against one', unit: 'ms', digits: 1, bareGoal: P50_GOAL },
        cpu: { title: '  CPU per message', unit: 'ms', digits: 1, bareGoal: CPU_GOAL },
      },
      ours: {
        ...ours,
        async stop() {
          await other.stop();
          await ours.stop?.();
          await receiver.close();
        },
      },
      bares: [
        { title: '  the same to one process', create: async () => createLoad(await start(), [], receiver) },
      ],
    },
  ];
}
