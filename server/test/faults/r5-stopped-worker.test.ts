import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { startDatabase, withConnection } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient } from './load.ts';
import { useProcessPool } from './processes.ts';
import { answerAtOnce, useFaultReceiver } from './receiver.ts';

const MESSAGES = 6;
const pool = useProcessPool();
const call = useApiClient(4);
const receiver = await useFaultReceiver(answerAtOnce);

describe('R5 a worker that was stopped past its lease and continued', () => {
  it('does not record its late results', async () => {
    const database = await startDatabase(pool);
    const env = { DATABASE_URL: database.url };
    const start = async (role: 'api' | 'worker') =>
      pool.startServer({ dataDir: await pool.makeDataDir(), role, env });
    const server = await start('api');
    const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [
      FaultTenant,
    ];
    const stopped = await start('worker');
    const held: ServerResponse[] = [];
    receiver.behave((delivered, response, request) => {
      const [, number] = String(delivered.event.data.text).split(' ').map(Number);
      if (delivered.event.type !== 'message.received') answerAtOnce(delivered, response, request);
      else if (delivered.at.length === 1) held.push(response);
      // For the next worker half of them fail at first, so that they are pending when the late result arrives.
      else if (delivered.at.length === 2 && (number as number) % 2 === 1) response.writeHead(500).end();
      else answerAtOnce(delivered, response, request);
    });
    for (let number = 1; number <= MESSAGES; number += 1)
      await call(server.url, `/v3/sandbox/${tenant.channels[0]}/inbound`, {
        token: tenant.token,
        body: { from: '+15550001111', text: `message ${number}` },
      });
    await until(() => held.length === MESSAGES);
    stopped.signal('SIGSTOP');

    await start('worker');
    const messages = () =>
      [...receiver.byId.values()].filter(({ event }) => event.type === 'message.received');
    await until(() => messages().every(({ at }) => at.length >= 2), 40_000);
    // The first worker gets its answers too: its results are "delivered", with an old attempt number.
    for (const response of held) response.writeHead(200).end();
    await delay(200);
    stopped.signal('SIGCONT');

    const readDeliveries = () =>
      withConnection(database.url, (query) =>
        query(`select e.data::json->>'text' as text, d.status, d.attempts, d.due_at is null as done,
                      (select array_agg(a.response_status order by a.number) from attempts a where a.delivery_id = d.id) as answers,
                      (select array_agg(a.number order by a.number) from attempts a where a.delivery_id = d.id) as numbers
                 from deliveries d join events e on e.id = d.event_id
                where d.event_type = 'message.received' order by e.sequence`),
      );
    await until(async () => (await readDeliveries()).every((row) => row.status === 'delivered'), 20_000);
    // Time for the late results.
    await delay(1_500);
    expect(await readDeliveries()).toEqual(
      Array.from({ length: MESSAGES }, (_, index) => {
        const failedOnce = (index + 1) % 2 === 1;
        return {
          text: `message ${index + 1}`,
          status: 'delivered',
          done: true,
          attempts: failedOnce ? 2 : 1,
          answers: failedOnce ? [500, 204] : [204],
          numbers: failedOnce ? [1, 2] : [1],
        };
      }),
    );
    expect(receiver.issues).toEqual([]);
    // The worker that was stopped has work again.
    expect(stopped.isRunning()).toBe(true);
    receiver.behave(answerAtOnce);
    await until(async () => {
      const owners = await withConnection(database.url, (query) =>
        query('select count(*)::int as shards from shards where owner is not null group by owner order by 1'),
      );
      return owners.map((row) => row.shards).join() === '32,33';
    }, 30_000);
  });
});
