import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { startDatabase, withDatabaseAt } from './database.ts';
import { client, createFixtures, type FaultTenant } from './load.ts';
import { until } from './postmaster.ts';
import { processPool } from './processes.ts';
import { answerAtOnce, startReceiver } from './receiver.ts';

const MESSAGES = 6;
const shop = processPool();
const api = client(4);
const receiver = await startReceiver(answerAtOnce);
afterAll(async () => {
  await api.close();
  await shop.end();
  await receiver.close();
});

describe('R5 a worker that was stopped past its lease and continued', () => {
  it('counts its late results for nothing', async () => {
    const database = await startDatabase(shop);
    const env = { DATABASE_URL: database.url };
    const start = async (role: 'api' | 'worker') =>
      shop.start({ dataDir: join(await shop.folder(), 'data'), role, env });
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
      // The one who takes over fails with half of them at first, so that they are pending when the late result comes.
      else if (delivered.at.length === 2 && (number as number) % 2 === 1) response.writeHead(500).end();
      else answerAtOnce(delivered, response, request);
    });
    for (let number = 1; number <= MESSAGES; number += 1)
      await api.call(server.url, `/v3/sandbox/${tenant.channels[0]}/inbound`, {
        token: tenant.token,
        body: { from: '+15550001111', text: `message ${number}` },
      });
    await until(() => held.length === MESSAGES);
    stopped.signal('SIGSTOP');

    await start('worker');
    const messages = () =>
      [...receiver.byId.values()].filter(({ event }) => event.type === 'message.received');
    await until(() => messages().every(({ at }) => at.length >= 2), 40_000);
    // Everything was received by the first worker too: its results say "delivered", with an attempt number of the past.
    for (const response of held) response.writeHead(200).end();
    await delay(200);
    stopped.signal('SIGCONT');

    const ask = () =>
      withDatabaseAt(database.url, (query) =>
        query(`select e.data::json->>'text' as text, d.status, d.attempts, d.due_at is null as done,
                      (select array_agg(a.response_status order by a.number) from attempts a where a.delivery_id = d.id) as answers,
                      (select array_agg(a.number order by a.number) from attempts a where a.delivery_id = d.id) as numbers
                 from deliveries d join events e on e.id = d.event_id
                where d.event_type = 'message.received' order by e.sequence`),
      );
    await until(async () => (await ask()).every((row) => row.status === 'delivered'), 20_000);
    // Time for a late result that would do harm.
    await delay(1_500);
    expect(await ask()).toEqual(
      Array.from({ length: MESSAGES }, (_, at) => {
        const failedOnce = (at + 1) % 2 === 1;
        return {
          text: `message ${at + 1}`,
          status: 'delivered',
          done: true,
          attempts: failedOnce ? 2 : 1,
          answers: failedOnce ? [500, 204] : [204],
          numbers: failedOnce ? [1, 2] : [1],
        };
      }),
    );
    expect(receiver.faults).toEqual([]);
    // The worker that was stopped is of use again.
    expect(stopped.isRunning()).toBe(true);
    receiver.behave(answerAtOnce);
    await until(async () => {
      const owners = await withDatabaseAt(database.url, (query) =>
        query('select count(*)::int as shards from shards where owner is not null group by owner order by 1'),
      );
      return owners.map((row) => row.shards).join() === '32,33';
    }, 30_000);
  });
});
