import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { startDatabase } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient } from './load.ts';
import { OPERATOR_TOKEN, useProcessPool } from './processes.ts';
import { answerAtOnce, useFaultReceiver } from './receiver.ts';

const pool = useProcessPool();
const call = useApiClient(4);

it('I13, X25: a start with --after-restore sends nothing of the past until "parley release", over a restart, too', async () => {
  const receiver = await useFaultReceiver(answerAtOnce);
  const database = await startDatabase(pool);
  const env = { DATABASE_URL: database.url };
  const dataDir = await pool.makeDataDir();
  // The backup was made while messages waited: no worker runs.
  const before = await pool.startServer({ dataDir, role: 'api', env });
  const [tenant] = (await createFixtures(before.url, receiver, { tenants: 1, channels: 1 })) as [FaultTenant];
  const send = (url: string, text: string) =>
    call(url, `/v3/sandbox/${tenant.channels[0]}/inbound`, {
      token: tenant.token,
      body: { from: '+15550001111', text },
    });
  for (let number = 1; number <= 5; number += 1) await send(before.url, `old ${number}`);
  await before.kill();

  const arrived = (): string[] =>
    [...receiver.byId.values()].flatMap(({ event }) =>
      event.type === 'message.received' ? [event.data.text as string] : [],
    );
  for (const start of [1, 2]) {
    const server = await pool.startServer({ dataDir, args: ['--after-restore'], env });
    await send(server.url, `new ${start}`);
    await until(() => arrived().includes(`new ${start}`));
    expect(arrived().filter((text) => text.startsWith('old'))).toEqual([]);
    server.signal('SIGTERM');
    await server.ended;
  }
  const server = await pool.startServer({ dataDir, env });
  expect(server.log.map(({ msg }) => msg).join()).toContain('parley release');
  const released = await pool.runProgram(['release', '--url', server.url], {
    PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN,
  });
  expect(released).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Released .*5 in inbound/) });
  await until(() => arrived().filter((text) => text.startsWith('old')).length === 5);
  const again = await pool.runProgram(['release', '--url', server.url, '--token', OPERATOR_TOKEN]);
  expect(again.stdout).toBe('Nothing is held.\n');
  const without = await pool.runProgram(['release', '--url', server.url, '--data-dir', '/nowhere']);
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('PARLEY_ADMIN_TOKEN') });
  await server.kill();
});
