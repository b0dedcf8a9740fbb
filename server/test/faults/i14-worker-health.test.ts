import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { startDatabase } from './database.ts';
import { OPERATOR_TOKEN, useProcessPool } from './processes.ts';

const pool = useProcessPool();

it('I14: a worker has health checks and metrics, and nothing else; a taken port does not keep it from working', async () => {
  const database = await startDatabase(pool);
  const env = { DATABASE_URL: database.url };
  const api = await pool.startServer({ dataDir: await pool.makeDataDir(), role: 'api', env });
  const { port } = new URL(api.url);
  const worker = await pool.startServer({ dataDir: await pool.makeDataDir(), role: 'worker', port, env });
  expect(worker.url).not.toBe(api.url);
  expect(worker.log.map(({ msg }) => msg).join()).toContain(`port ${port} is taken`);
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const statusOf = async (path: string): Promise<number> =>
    (await fetch(`${worker.url}${path}`, { headers })).status;
  expect(await statusOf('/livez')).toBe(200);
  expect(await statusOf('/readyz')).toBe(200);
  for (const path of ['/admin/tenants', '/admin/held_work', '/docs', '/openapi.json', '/providers/sandbox'])
    expect(await statusOf(path), path).toBe(404);
  const metrics = await (await fetch(`${worker.url}/metrics`)).text();
  expect(metrics).toMatch(/^parley_queue_due\{queue="deliveries"\} 0$/m);
  database.kill();
  await until(async () => (await statusOf('/readyz')) === 503);
  expect(await statusOf('/livez')).toBe(200);
  await database.restart();
  await until(async () => (await statusOf('/readyz')) === 200);
  await Promise.all([api.kill(), worker.kill()]);
});
