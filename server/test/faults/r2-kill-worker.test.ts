import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTcpServer } from '../kit/listeners.ts';
import { until } from '../kit/until.ts';
import { type OwnDatabase, startDatabase, withConnection } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient } from './load.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { answerAtOnce, type Delivered, type FaultReceiver, useFaultReceiver } from './receiver.ts';

/** The lease, the heartbeat at which another worker that runs notices its end, the scan, and three seconds to send. */
const TAKEN_OVER_MS = 15_000 + 3_000 + 1_000 + 3_000;

const pool = useProcessPool();
const call = useApiClient(4);
let database: OwnDatabase;
beforeAll(async () => {
  database = await startDatabase(pool);
});

interface Fixtures {
  databaseUrl: string;
  receiver: FaultReceiver;
  tenant: FaultTenant;
  startWorker(): Promise<ServerProcess>;
  write(): Promise<void>;
  /** Waits until the message has arrived so many times, and returns it. */
  waitForArrivals(count: number): Promise<Delivered>;
}

/** A database with one API process, on which tests start and kill workers. */
async function createWorkerFixtures(): Promise<Fixtures> {
  const databaseUrl = await database.createDatabase(`r2_${randomUUID().replaceAll('-', '')}`);
  const receiver = await useFaultReceiver(answerAtOnce);
  const env = { DATABASE_URL: databaseUrl };
  const start = async (role: 'api' | 'worker') =>
    pool.startServer({ dataDir: await pool.makeDataDir(), role, env });
  const server = await start('api');
  const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [FaultTenant];
  const messages = (): Delivered[] =>
    [...receiver.byId.values()].filter(({ event }) => event.type === 'message.received');
  return {
    databaseUrl,
    receiver,
    tenant,
    startWorker: () => start('worker'),
    async write() {
      const path = `/v3/sandbox/${tenant.channels[0]}/inbound`;
      const body = { from: '+15550001111', text: 'message 1' };
      expect((await call(server.url, path, { token: tenant.token, body })).status).toBe(200);
    },
    async waitForArrivals(count) {
      await until(() => messages()[0]?.at.length === count, TAKEN_OVER_MS + 20_000);
      expect(messages()).toHaveLength(1);
      return messages()[0] as Delivered;
    },
  };
}

/** Waits until the delivery of the message is recorded, and returns it. */
async function waitForRecord(databaseUrl: string): Promise<unknown> {
  const readDeliveries = () =>
    withConnection(databaseUrl, (query) =>
      query(`select d.status, d.attempts, (select count(*)::int from attempts a where a.delivery_id = d.id) as recorded
               from deliveries d where d.event_type = 'message.received'`),
    );
  await until(async () => (await readDeliveries())[0]?.status === 'delivered');
  return readDeliveries();
}

describe('R2 kill −9 of a worker', () => {
  it.concurrent('before it has sent: another worker delivers within the lease', async () => {
    const { databaseUrl, receiver, startWorker, write, waitForArrivals, tenant } =
      await createWorkerFixtures();
    // The worker is killed when it has connected and sent nothing yet.
    let killedAt = 0;
    let worker: ServerProcess | undefined;
    const trap = await useTcpServer((socket) => {
      socket.destroy();
      if (killedAt > 0) return;
      killedAt = performance.now();
      worker?.signal('SIGKILL');
    });
    const pointTo = (url: string) =>
      withConnection(databaseUrl, (query) => query('update webhooks set url = $1', [url]));
    await pointTo(trap.url);
    worker = await startWorker();
    await write();
    await until(() => killedAt > 0);
    await pointTo(receiver.url(tenant.name));
    await trap.close();
    await startWorker();
    const startedAt = performance.now();
    const delivered = await waitForArrivals(1);
    expect((delivered.at[0] as number) - startedAt).toBeLessThan(TAKEN_OVER_MS);
    expect(await waitForRecord(databaseUrl)).toEqual([{ status: 'delivered', attempts: 1, recorded: 1 }]);
  });

  it.concurrent('after it has sent: delivered again with the same id and body', async () => {
    const { databaseUrl, receiver, startWorker, write, waitForArrivals } = await createWorkerFixtures();
    const worker = await startWorker();
    receiver.behave((delivered, response, request) => {
      if (delivered.event.type !== 'message.received' || delivered.at.length > 1)
        return answerAtOnce(delivered, response, request);
      worker.signal('SIGKILL');
    });
    await write();
    await worker.ended;
    await startWorker();
    const startedAt = performance.now();
    const { at } = await waitForArrivals(2);
    expect((at[1] as number) - startedAt).toBeLessThan(TAKEN_OVER_MS);
    expect(receiver.issues).toEqual([]);
    expect(await waitForRecord(databaseUrl)).toEqual([{ status: 'delivered', attempts: 1, recorded: 1 }]);
  });

  it.concurrent('after the 2xx and before the commit: delivered again with the same id and body', async () => {
    const { databaseUrl, receiver, startWorker, write, waitForArrivals } = await createWorkerFixtures();
    const worker = await startWorker();
    const held: { answer(): void }[] = [];
    receiver.behave((delivered, response, request) => {
      if (delivered.event.type !== 'message.received' || delivered.at.length > 1)
        return answerAtOnce(delivered, response, request);
      held.push({ answer: () => response.writeHead(200).end() });
    });
    await write();
    await until(() => held.length === 1);
    // The row is locked by the test, so the result is on its way and cannot be committed when the worker is killed.
    await withConnection(databaseUrl, async (query) => {
      await query('begin');
      await query('select id from deliveries for update');
      held[0]?.answer();
      const waiting = `select distinct pid from pg_locks where not granted and locktype = 'transactionid'`;
      await until(async () => (await query(waiting)).length === 1);
      await worker.kill();
      // Its session would still commit what it was sent, as if the worker had been killed a moment later.
      await query(`select pg_terminate_backend(pid) from (${waiting}) as session`);
      await until(async () => (await query(waiting)).length === 0);
      await query('rollback');
    });
    await startWorker();
    const startedAt = performance.now();
    const { at } = await waitForArrivals(2);
    expect((at[1] as number) - startedAt).toBeLessThan(TAKEN_OVER_MS);
    expect(receiver.issues).toEqual([]);
    expect(await waitForRecord(databaseUrl)).toEqual([{ status: 'delivered', attempts: 1, recorded: 1 }]);
  });
});
