import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { QUIET_DATABASE } from '../compare-commits.ts';
import type { Case, RoundResult, Side, Workload } from '../figure.ts';
import { onCleanup } from '../processes.ts';
import { createResource, createSandboxChannel, startTarget, type Tenant } from '../target.ts';
import { waitUntil } from '../wait.ts';
import { chargeServer } from '../workload.ts';
import { type Arrivals, CONNECTIONS, percentile, sendAtRate, startReceiver } from './latency.ts';

const PER_SECOND = 30;
const WARM_UP = { seconds: 30, perSecond: 60 };
/** How often each hanging tenant gets a message, each for all of its webhooks and a call of its automation. */
const HANGING_MS = 500;
const WEBHOOKS = 20;
const GOAL = 2;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanup(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Servers that accept everything and never answer: one for HTTP and one for mail. */
async function startHanging() {
  const http = createHttpServer((request) => void request.resume());
  const mail = createServer((socket) => void socket.on('error', () => {}).resume());
  const ports = { http: await listen(http), mail: await listen(mail) };
  onCleanup(async () => http.closeAllConnections());
  return { url: `http://127.0.0.1:${ports.http}`, mailPort: ports.mail };
}

async function publish(tenant: Tenant, url: string): Promise<void> {
  const id = await createResource(tenant, '/v3/automations', {
    name: 'Call',
    trigger: { type: 'message_received', parameters: {} },
    steps: [
      {
        id: 'call',
        type: 'http_request',
        parameters: { method: 'POST', url, body: '{{ message.text }}' },
      },
    ],
  });
  await tenant.call('POST', `/v3/automations/${id}/publish`);
}

/** A tenant whose receivers, calls and mailbox hang. Returns the path of its messages. */
async function createHangingTenant(tenant: Tenant, hanging: { url: string; mailPort: number }) {
  const channelId = await createSandboxChannel(tenant, { name: 'Hanging', address: '+15550009994' });
  for (let number = 0; number < WEBHOOKS; number += 1)
    await createResource(tenant, '/v3/api_webhooks', {
      url: `${hanging.url}/${number}`,
      events: [{ type: 'message.received' }],
    });
  await publish(tenant, `${hanging.url}/call`);
  const server = { host: '127.0.0.1', port: hanging.mailPort, secure: false };
  await createResource(tenant, '/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Mail',
    address: 'help@shop.test',
    config: { from: 'help@shop.test', smtp: server, imap: { ...server, user: 'help', password: 'secret' } },
  });
  return `/v3/sandbox/${channelId}/inbound`;
}

/** Messages to one tenant whose receivers answer, beside so many tenants whose receivers hang. */
async function createLoad(serverRoot: string, hangingTenants: number): Promise<Workload> {
  const target = await startTarget({ serverRoot, databaseSettings: QUIET_DATABASE });
  const [webhooks, calls] = [await startReceiver(), await startReceiver()];
  const tenant = await target.createTenant();
  const channelId = await createSandboxChannel(tenant, { name: 'Healthy', address: '+15550009993' });
  await createResource(tenant, '/v3/api_webhooks', {
    url: `${webhooks.url}/hook`,
    events: [{ type: 'message.received' }],
  });
  await publish(tenant, `${calls.url}/call`);
  const hanging = await startHanging();
  const others: { tenant: Tenant; path: string }[] = [];
  for (let number = 0; number < hangingTenants; number += 1) {
    const other = await target.createTenant();
    others.push({ tenant: other, path: await createHangingTenant(other, hanging) });
  }
  let isStopped = false;
  const hang = async (): Promise<void> => {
    for (let number = 0; !isStopped; number += 1) {
      for (const other of others)
        await other.tenant.call('POST', other.path, {
          from: `+1446${String(number % 1000).padStart(7, '0')}`,
          text: 'hello',
        });
      await delay(HANGING_MS);
    }
  };
  const hangs = hang();

  const arrived = async (receiver: Arrivals, sentAt: ReadonlyMap<number, number>): Promise<number[]> => {
    await waitUntil(async () => [...sentAt.keys()].every((number) => receiver.arrivedAt.has(number)));
    return [...sentAt].map(([number, at]) => (receiver.arrivedAt.get(number) as number) - at);
  };
  const send = async (count: number, perSecond: number): Promise<RoundResult> => {
    const pool = new Pool(`http://127.0.0.1:${target.server.port}`, { connections: CONNECTIONS });
    const destination = { pool, path: `/v3/sandbox/${channelId}/inbound`, token: tenant.token };
    try {
      const { delays, sentAt, seconds } = await sendAtRate([destination], webhooks, count, perSecond);
      const ofCalls = await arrived(calls, sentAt);
      return {
        operations: count,
        seconds,
        values: { deliveries: percentile(delays, 0.99), runs: percentile(ofCalls, 0.99) },
      };
    } finally {
      await pool.close();
    }
  };
  return {
    ...chargeServer(target),
    warmUp: async () => void (await send(WARM_UP.seconds * WARM_UP.perSecond, WARM_UP.perSecond)),
    run: (count) => send(count, PER_SECOND),
    async stop() {
      isStopped = true;
      await hangs;
      await target.server.stop();
      await Promise.all([webhooks.close(), calls.close()]);
    },
  };
}

/** How long a tenant waits beside others whose receivers hang, against the same tenant alone. */
export async function createHanging({ serverRoot }: Side): Promise<Case[]> {
  const create = async (hangingTenants: number): Promise<Case> => ({
    title: `R6: beside ${hangingTenants} tenants that hang, ${PER_SECOND}/s`,
    warmUp: 0,
    count: (seconds) => Math.round(PER_SECOND * seconds),
    restarts: 'never',
    effort: { seconds: 15 },
    hasRate: false,
    hasCpu: false,
    values: {
      deliveries: {
        title: `R6: p99 of deliveries beside ${hangingTenants} hanging tenants, against alone`,
        unit: 'ms',
        digits: 1,
        bareGoal: GOAL,
        betweenCommits: 'shown',
      },
      runs: {
        title: '  p99 of calls of runs',
        unit: 'ms',
        digits: 1,
        bareGoal: GOAL,
        betweenCommits: 'shown',
      },
    },
    ours: await createLoad(serverRoot, hangingTenants),
    bares: [{ title: '  alone', create: () => createLoad(serverRoot, 0) }],
  });
  return [await create(2), await create(10)];
}
