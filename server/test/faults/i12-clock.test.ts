import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { startDatabase, withConnection } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient } from './load.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { answerAtOnce, useFaultReceiver } from './receiver.ts';

const HOUR_MS = 3600_000;
const SKEWED = fileURLToPath(new URL('./skewed-clock.mjs', import.meta.url));

const pool = useProcessPool();
const call = useApiClient(4);
const receiver = await useFaultReceiver(answerAtOnce);
const database = await startDatabase(pool);

/** A server whose clock is wrong by so much, until `setSkew`. */
async function startSkewed(skewMs: number, role: 'all' | 'worker' = 'all') {
  const file = join(await pool.makeFolder(), 'skew');
  const setSkew = (ms: number): void => writeFileSync(file, String(ms));
  setSkew(skewMs);
  const server = pool.launchServer({
    dataDir: await pool.makeDataDir(),
    role,
    env: { DATABASE_URL: database.url, NODE_OPTIONS: `--import=${SKEWED}`, SKEW_FILE: file },
  });
  await until(() => server.url !== '' || !server.isRunning(), 60_000);
  return { server, setSkew };
}

const readiness = (server: ServerProcess) => call(server.url, '/readyz', { token: '' });
const shardsOwned = async (): Promise<number> =>
  withConnection(database.url, async (query) =>
    Number((await query('select count(*)::int as owned from shards where owner is not null'))[0]?.owned),
  );

describe('a process whose clock differs from that of the database', () => {
  it('I12, X25: by 30 seconds says so, and works by the time of the database', async () => {
    const { server, setSkew } = await startSkewed(-30_000);
    const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [
      FaultTenant,
    ];
    const send = (text: string) =>
      call(server.url, `/v3/sandbox/${tenant.channels[0]}/inbound`, {
        token: tenant.token,
        body: { from: '+15550001111', text },
      });
    expect((await readiness(server)).status).toBe(200);
    expect(server.log.map(({ msg }) => msg).join()).toMatch(
      /differs from that of the database by more than 5 s/,
    );
    await send('message 1');
    await until(() => [...receiver.byId.values()].some(({ event }) => event.data.text === 'message 1'));
    const [row] = await withConnection(database.url, (query) =>
      query(
        `select abs(extract(epoch from now() - created_at))::int as age from messages where tenant_id = $1`,
        [tenant.id],
      ),
    );
    expect(row?.age).toBeLessThan(25);
    setSkew(0);
    await until(() => server.log.some(({ msg }) => /agree again/.test(msg)));
    // It gives its shards back.
    server.signal('SIGTERM');
    await server.ended;
  });

  it('I12, X25: by an hour takes no work and is not ready, with both times, until the clocks agree', async () => {
    const { server, setSkew } = await startSkewed(HOUR_MS);
    expect(await shardsOwned()).toBe(0);
    const answer = await readiness(server);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBeDefined();
    const [ofProcess = 0, ofDatabase = 0] = [...answer.body.error.message.matchAll(/\d{4}-[\d:T.-]+Z/g)].map(
      ([time]) => Date.parse(time),
    );
    expect(Math.round((ofProcess - ofDatabase) / HOUR_MS)).toBe(1);

    setSkew(0);
    await until(async () => (await readiness(server)).status === 200);
    await until(async () => (await shardsOwned()) === 65);
    // While it runs, too.
    setSkew(-2 * HOUR_MS);
    await until(async () => (await readiness(server)).status === 503);
    await until(async () => (await shardsOwned()) === 0);
    await server.kill();
  });
});
