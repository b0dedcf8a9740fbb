import { expect, it } from 'vitest';
import { fillTenant } from '../kit/bulk.ts';
import { until } from '../kit/until.ts';
import { check, print } from './checker.ts';
import { embeddedUrl, withConnection } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient, useLoad } from './load.ts';
import { OPERATOR_TOKEN, type ServerProcess, useProcessPool } from './processes.ts';
import { useFaultReceiver } from './receiver.ts';

const CHATS = 4_000;
/** It is killed when so much of the work is done. */
const KILL_AT = [0, 0.15, 0.35, 0.6];
const TIMEOUT_MS = 600_000;

const pool = useProcessPool();
const call = useApiClient(2);

it('I10 kill −9 of the server while a large tenant is deleted: nothing of it is left, and others lose nothing', async () => {
  const since = performance.now();
  const dataDir = await pool.makeDataDir();
  const receiver = await useFaultReceiver();
  let server: ServerProcess | undefined = await pool.startServer({ dataDir });
  const [deleted, other] = (await createFixtures(server.url, receiver, {
    tenants: 2,
    channels: 1,
  })) as [FaultTenant, FaultTenant];
  await withConnection(embeddedUrl(dataDir), async (query) => {
    await fillTenant(query, deleted.id, deleted.channels[0] as string, CHATS);
    await query(
      `insert into deliveries (id, tenant_id, webhook_id, event_id, event_type, sequence, status, shard, due_at, created_at, updated_at)
       select gen_random_uuid(), tenant_id, $2, id, type, sequence, 'pending', 0, now() + interval '1 hour', now(), now()
         from events where tenant_id = $1 limit 10000`,
      [deleted.id, deleted.webhookId],
    );
  });
  const load = useLoad({ tenants: [other], target: () => server?.url, writers: 2, pauseMs: 30 });

  const operator = { token: OPERATOR_TOKEN, timeoutMs: 120_000 };
  const answer = await call(server.url, `/admin/tenants/${deleted.id}`, { ...operator, method: 'DELETE' });
  const { jobId } = answer.body.data;
  expect([answer.status, jobId]).toEqual([200, expect.any(String)]);
  const readJob = async () =>
    (await call((server as ServerProcess).url, `/admin/jobs/${jobId}`, operator)).body.data;
  expect((await call(server.url, '/v3/me', { token: deleted.token })).status).toBe(401);

  const killedAt: number[] = [];
  for (const share of KILL_AT) {
    const isFarEnough = async (): Promise<boolean> => {
      const { status, done, total } = await readJob();
      return status === 'completed' || (status === 'running' && done >= share * (total ?? 0));
    };
    await until(isFarEnough, TIMEOUT_MS);
    const victim: ServerProcess = server;
    server = undefined;
    await victim.kill();
    const [row] = await withConnection(embeddedUrl(dataDir), (query) =>
      query('select status, done from jobs where id = $1', [jobId]),
    );
    killedAt.push(row?.status === 'completed' ? Number.NaN : Number(row?.done));
    server = await pool.startServer({ dataDir });
  }
  await until(async () => (await readJob()).status === 'completed', TIMEOUT_MS);
  const job = await readJob();
  await load.stop();

  const databaseUrl = embeddedUrl(dataDir);
  const left = await withConnection(databaseUrl, async (query) => {
    const tables = await query(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and c.relname <> 'jobs'`,
    );
    expect(tables.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await query(`select 1 from ${name} where tenant_id = $1 limit 1`, [deleted.id]);
      if (rows.length > 0) found.push(`there is something left in ${name}`);
    }
    if ((await query('select 1 from tenants where id = $1', [deleted.id])).length > 0)
      found.push('the tenant is left');
    if ((await query('select 1 from removals')).length > 0) found.push('something is still hidden');
    return found;
  });
  const report = await check({
    title: `I10 deletion of ${job.done} rows, killed at ${killedAt.join(', ')}`,
    load,
    receiver,
    databaseUrl,
    kills: KILL_AT.length,
    since,
  });
  print(report);
  expect(left).toEqual([]);
  expect(report.problems).toEqual([]);
  expect(killedAt.filter((done) => Number.isNaN(done))).toEqual([]);
  expect(load.calls.ok).toBeGreaterThan(0);
});
