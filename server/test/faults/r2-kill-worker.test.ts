import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnDatabase, startDatabase, withDatabaseAt } from './database.ts';
import { client, createFixtures, type FaultTenant } from './load.ts';
import { until } from './postmaster.ts';
import { processPool, type ServerProcess } from './processes.ts';
import { answerAtOnce, type Delivered, type FaultReceiver, startReceiver } from './receiver.ts';

/** The lease, the heartbeat at which another worker sees that it has ended, the scan, and what starting costs. */
const TAKEN_OVER_MS = 15_000 + 3_000 + 1_000 + 3_000;

const shop = processPool();
const api = client(4);
const receivers: FaultReceiver[] = [];
let database: OwnDatabase;
beforeAll(async () => {
  database = await startDatabase(shop);
});
afterAll(async () => {
  await api.close();
  await shop.end();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

interface Stage {
  databaseUrl: string;
  receiver: FaultReceiver;
  tenant: FaultTenant;
  startWorker(): Promise<ServerProcess>;
  write(): Promise<void>;
  /** The one message that was written, once it has arrived `times` times. */
  arrived(times: number): Promise<Delivered>;
}

/** One process that answers, and workers that come and go, on a database of their own. */
async function stage(): Promise<Stage> {
  const databaseUrl = await database.another(`r2_${randomUUID().replaceAll('-', '')}`);
  const receiver = await startReceiver(answerAtOnce);
  receivers.push(receiver);
  const env = { DATABASE_URL: databaseUrl };
  const start = async (role: 'api' | 'worker') =>
    shop.start({ dataDir: join(await shop.folder(), 'data'), role, env });
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
      expect((await api.call(server.url, path, { token: tenant.token, body })).status).toBe(200);
    },
    async arrived(times) {
      await until(() => messages()[0]?.at.length === times, TAKEN_OVER_MS + 20_000);
      expect(messages()).toHaveLength(1);
      return messages()[0] as Delivered;
    },
  };
}

/** Waits until the delivery of the message is recorded, and tells what is. */
async function recorded(databaseUrl: string): Promise<unknown> {
  const ask = () =>
    withDatabaseAt(databaseUrl, (query) =>
      query(`select d.status, d.attempts, (select count(*)::int from attempts a where a.delivery_id = d.id) as recorded
               from deliveries d where d.event_type = 'message.received'`),
    );
  await until(async () => (await ask())[0]?.status === 'delivered');
  return ask();
}

describe('R2 kill −9 of a worker', () => {
  it.concurrent('before it has sent: another worker delivers within the lease', async () => {
    const { databaseUrl, receiver, startWorker, write, arrived, tenant } = await stage();
    // A connection is made before anything is sent over it: this is the moment.
    let killedAt = 0;
    let worker: ServerProcess | undefined;
    const trap = createServer((socket) => {
      socket.on('error', () => {});
      socket.destroy();
      if (killedAt > 0) return;
      killedAt = performance.now();
      worker?.signal('SIGKILL');
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const { port } = trap.address() as { port: number };
    const pointTo = (url: string) =>
      withDatabaseAt(databaseUrl, (ask) => ask('update webhooks set url = $1', [url]));
    await pointTo(`http://127.0.0.1:${port}/`);
    worker = await startWorker();
    await write();
    await until(() => killedAt > 0);
    await pointTo(receiver.url(tenant.name));
    trap.close();
    await startWorker();
    const delivered = await arrived(1);
    expect((delivered.at[0] as number) - killedAt).toBeLessThan(TAKEN_OVER_MS);
    expect(await recorded(databaseUrl)).toEqual([{ status: 'delivered', attempts: 1, recorded: 1 }]);
  });

  it.concurrent('after it has sent: delivered again with the same id and body', async () => {
    const { databaseUrl, receiver, startWorker, write, arrived } = await stage();
    const worker = await startWorker();
    receiver.behave((delivered, response, request) => {
      if (delivered.event.type !== 'message.received' || delivered.at.length > 1)
        return answerAtOnce(delivered, response, request);
      worker.signal('SIGKILL');
    });
    await write();
    await worker.ended;
    await startWorker();
    const { at } = await arrived(2);
    expect((at[1] as number) - (at[0] as number)).toBeLessThan(TAKEN_OVER_MS);
    expect(receiver.faults).toEqual([]);
    expect(await recorded(databaseUrl)).toEqual([{ status: 'delivered', attempts: 1, recorded: 1 }]);
  });

  it.concurrent('after the 2xx and before the commit: delivered again with the same id and body', async () => {
    const { databaseUrl, receiver, startWorker, write, arrived } = await stage();
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
    await withDatabaseAt(databaseUrl, async (ask) => {
      await ask('begin');
      await ask('select id from deliveries for update');
      held[0]?.answer();
      const waiting = `select distinct pid from pg_locks where not granted and locktype = 'transactionid'`;
      await until(async () => (await ask(waiting)).length === 1);
      await worker.kill();
      // Its session would still commit what it was sent, as if the worker had been killed a moment later.
      await ask(`select pg_terminate_backend(pid) from (${waiting}) as session`);
      await until(async () => (await ask(waiting)).length === 0);
      await ask('rollback');
    });
    await startWorker();
    const { at } = await arrived(2);
    expect((at[1] as number) - (at[0] as number)).toBeLessThan(TAKEN_OVER_MS);
    expect(receiver.faults).toEqual([]);
    expect(await recorded(databaseUrl)).toEqual([{ status: 'delivered', attempts: 1, recorded: 1 }]);
  });
});
