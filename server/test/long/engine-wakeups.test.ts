import { describe, expect, it } from 'vitest';
import { clientConfig } from '../../src/db/client-config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createWakeUps, listenForWakeUps } from '../../src/engine/wakeups.ts';
import { cleanUp } from '../kit/clean-up.ts';
import { useReceiver } from '../kit/receiver.ts';
import { freshDatabase, useServer } from '../kit/server.ts';

async function twoSides() {
  const options = {
    connection: { connectionString: await freshDatabase() },
    applicationName: 'wake-up test',
    poolSize: 3,
    readers: 0,
  };
  const db = openDatabase(options);
  const heard: string[] = [];
  const listener = listenForWakeUps(
    clientConfig({ ...options, applicationName: 'listener' }),
    'listener',
    (...wakeUp) => heard.push(wakeUp.join(' ')),
  );
  const wakeUps = createWakeUps({ db: () => db, sender: 'sender', isSoleProcess: false });
  for (const opened of [db, wakeUps, listener]) cleanUp(() => opened.close());
  /** LISTEN is done when PostgreSQL says so, on another connection than the one that was cut. */
  const listening = async (cut = 0): Promise<number> => {
    let pid = cut;
    await expect
      .poll(async () => {
        const { rows } = await db.query(
          `select pid from pg_stat_activity where datname = current_database() and pid <> $1
                and application_name = 'listener' and state = 'idle' and query like 'listen%'`,
          [cut],
        );
        pid = Number(rows[0]?.pid);
        return rows.length;
      })
      .toBe(1);
    return pid;
  };
  return { db, wakeUps, heard, listening };
}

describe('wake-ups', () => {
  it('reach another process, each ordering key once however often it was woken', async () => {
    const { wakeUps, heard, listening } = await twoSides();
    await listening();
    const keys = Array.from({ length: 250 }, (_, index) => `key-${index}`);
    for (const key of [...keys, ...keys]) wakeUps.wake('inbound', 5, key);
    await expect.poll(() => heard.length).toBe(250);
    expect(new Set(heard)).toEqual(new Set(keys.map((key) => `inbound 5 ${key}`)));
  });

  it('stay in the process whose worker can use them', async () => {
    const { wakeUps, heard, listening } = await twoSides();
    await listening();
    const own: string[] = [];
    wakeUps.attach({
      wake: (...wakeUp) => void own.push(wakeUp.join(' ')),
      follow: () => undefined,
      owns: (shard) => shard === 1,
    });
    wakeUps.wake('inbound', 1, 'mine');
    wakeUps.wake('inbound', 2, 'theirs');
    await expect.poll(() => heard).toEqual(['inbound 2 theirs']);
    expect(own).toEqual(['inbound 1 mine']);
  });

  it('are sent with the commit that they are about, a few at once, and repeated if that fails', async () => {
    const { db, wakeUps, heard, listening } = await twoSides();
    await listening();
    wakeUps.notify('numbered', 'tenant-0a');
    const followUps = Array.from({ length: 12 }, (_, index) => wakeUps.follow('inbound', 5, `key-${index}`));
    // After ten, the others are collected.
    expect(followUps.map((one) => one !== undefined)).toEqual([...Array(10).fill(true), false, false]);
    const [first, second] = followUps;
    if (!first || !second) throw new Error('The first are sent at once.');
    first.answered(await db.all(first.statement, first.parameters as never));
    // What waited for the next wake-up goes with it.
    await expect.poll(() => heard).toEqual(['inbound 5 key-0', 'numbered 10 tenant-0a']);
    second.failed(new Error('the connection is lost'));
    await expect.poll(() => heard.slice(2)).toEqual(['inbound 5 key-1']);
  });

  it('are heard again after the connection of the listener broke', async () => {
    const { db, wakeUps, heard, listening } = await twoSides();
    const cut = await listening();
    await db.query('select pg_terminate_backend($1)', [cut]);
    await listening(cut);
    wakeUps.wake('inbound', 5, 'after');
    await expect.poll(() => heard).toContain('inbound 5 after');
  });
});

it('lets a worker process do at once what another process took in', async () => {
  const api = await useServer({ role: 'api', isSoleProcess: false, timers: true });
  await useServer({
    role: 'worker',
    isSoleProcess: false,
    timers: true,
    clock: api.clock,
    connection: { connectionString: api.databaseUrl },
  });
  const receiver = await useReceiver();
  expect(api.system.worker).toBeUndefined();
  const tenant = await api.tenant();
  const channel = await tenant.channel();
  await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'message.received' }] });
  const delays: number[] = [];
  for (let message = 1; message <= 4; message += 1) {
    const written = performance.now();
    const answer = await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
      from: '+15550001111',
      text: `message ${message}`,
    });
    expect(answer.status).toBe(200);
    await expect.poll(() => receiver.received.length, { timeout: 10_000, interval: 5 }).toBe(message);
    delays.push(performance.now() - written);
  }
  expect(receiver.received.map(({ body }) => body.data.text)).toEqual(
    [1, 2, 3, 4].map((n) => `message ${n}`),
  );
  // Scans come once a second; without wake-ups each message would wait for the next one.
  expect(Math.min(...delays)).toBeLessThan(700);
});
