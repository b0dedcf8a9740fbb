import { expect, it } from 'vitest';
import { fillTenant } from '../kit/bulk.ts';
import { until } from '../kit/until.ts';
import { embeddedUrl, withConnection } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient } from './load.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { useFaultReceiver } from './receiver.ts';

const CHATS = 3_000;
/** It is killed when so many are done. */
const KILL_AT = [1, 500, 1_500];
const TIMEOUT_MS = 600_000;

const pool = useProcessPool();
const call = useApiClient(2);

it('kill −9 in the middle of a bulk action: every chat is changed once, with one event', async () => {
  const dataDir = await pool.makeDataDir();
  const receiver = await useFaultReceiver();
  let server: ServerProcess = await pool.startServer({ dataDir });
  const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [FaultTenant];
  const channelId = tenant.channels[0] as string;
  await withConnection(embeddedUrl(dataDir), async (query) => {
    await fillTenant(query, tenant.id, channelId, CHATS);
    // What was filled in is numbered already: the counter goes on behind it.
    await query('update tenant_counters set sequence = $2 where tenant_id = $1', [
      tenant.id,
      CHATS * 20 + 20,
    ]);
  });
  const started = await call(server.url, '/v3/chats/bulk', {
    token: tenant.token,
    body: { query: 'eq(status,"open")', action: { type: 'status', status: 'closed' } },
  });
  expect([started.status, started.body.data.total]).toEqual([200, CHATS]);
  const readJob = async () =>
    (await call(server.url, `/v3/jobs/${started.body.data.jobId}`, { token: tenant.token })).body.data;

  const killedAt: number[] = [];
  for (const count of KILL_AT) {
    await until(async () => {
      const { done, endedAt } = await readJob();
      return done >= count || endedAt !== null;
    }, TIMEOUT_MS);
    await server.kill();
    const [job] = await withConnection(embeddedUrl(dataDir), (query) =>
      query('select done from jobs where id = $1', [started.body.data.jobId]),
    );
    killedAt.push(Number(job?.done));
    server = await pool.startServer({ dataDir });
  }
  await until(async () => (await readJob()).endedAt !== null, TIMEOUT_MS);
  expect(await readJob()).toMatchObject({ status: 'completed', done: CHATS, total: CHATS, failed: 0 });
  expect(killedAt[0]).toBeLessThan(CHATS);

  await withConnection(embeddedUrl(dataDir), async (query) => {
    const [chats] = await query(
      `select count(*)::int as total, count(*) filter (where status = 'closed')::int as closed from chats where tenant_id = $1`,
      [tenant.id],
    );
    expect(chats).toEqual({ total: CHATS, closed: CHATS });
    const [events] = await query(
      `select count(*)::int as total, count(distinct chat_id)::int as different from events
        where tenant_id = $1 and type = 'chat.status_changed'`,
      [tenant.id],
    );
    expect(events).toEqual({ total: CHATS, different: CHATS });
    const jobs = await query(`select 1 from events where tenant_id = $1 and type = 'job.completed'`, [
      tenant.id,
    ]);
    expect(jobs).toHaveLength(1);
  });
});
