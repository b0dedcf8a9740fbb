import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type ImapServer, mailWith, useImap } from '../kit/imap.ts';
import { type TestServer, useServer } from '../kit/server.ts';

const MAILBOXES = 12;

it('has one waiting connection per mailbox, however many processes come and go', async () => {
  const servers: TestServer[] = [await useServer({ timers: true })];
  const [first] = servers as [TestServer];
  const tenant = await first.tenant();
  const boxes: ImapServer[] = [];
  for (let count = 0; count < MAILBOXES; count += 1) {
    const imap = await useImap({ hasIdle: true });
    boxes.push(imap);
    const answer = await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'Help',
      address: `help${count}@shop.test`,
      config: {
        from: 'help@shop.test',
        smtp: { host: '127.0.0.1', port: 25 },
        imap: { host: '127.0.0.1', port: imap.port, user: 'ada', password: 'right' },
      },
    });
    expect(answer.status).toBe(200);
  }
  /** Time passes ten times as fast, until every mailbox is waited for by one process. */
  const settled = async (): Promise<void> => {
    await expect
      .poll(
        async () => {
          for (const { clock } of servers) clock.advance(1_000);
          await delay(50);
          return boxes.map((box) => box.waiting());
        },
        { timeout: 50_000, interval: 50 },
      )
      .toEqual(boxes.map(() => 1));
  };
  await settled();
  const connections = (): number => boxes.reduce((sum, box) => sum + box.connections(), 0);
  expect(connections()).toBe(MAILBOXES);

  const second = await useServer({ timers: true, databaseUrl: first.databaseUrl });
  second.clock.advance(Number(first.clock.now()) - Number(second.clock.now()));
  servers.push(second);
  const before = connections();
  await expect
    .poll(
      () => {
        for (const { clock } of servers) clock.advance(1_000);
        return connections();
      },
      { timeout: 50_000, interval: 100 },
    )
    .toBeGreaterThan(before + 2);
  await settled();

  servers.shift();
  await first.stop();
  await settled();
  for (const box of boxes) box.deliver(mailWith('hello'));
  await expect
    .poll(async () => (await second.system.db.query('select count(*) from messages', [])).rows[0]?.count, {
      timeout: 50_000,
      interval: 200,
    })
    .toBe(MAILBOXES);
});

it('waits again on the same connection after each read, however long the wait was', async () => {
  const server = await useServer();
  const tenant = await server.tenant();
  const imap = await useImap({ hasIdle: true });
  await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config: {
      from: 'help@shop.test',
      smtp: { host: '127.0.0.1', port: 25 },
      imap: { host: '127.0.0.1', port: imap.port, user: 'ada', password: 'right' },
    },
  });
  await server.settle();
  for (let read = 0; read < 3; read += 1) {
    await expect.poll(imap.waiting, { timeout: 30_000 }).toBe(1);
    // Longer than a wait that a server ends by itself.
    await delay(11_000);
    server.clock.advance(30_000);
    await server.settle();
  }
  await expect.poll(imap.waiting, { timeout: 30_000 }).toBe(1);
  expect(imap.connections()).toBe(1);
  expect(imap.said.filter((line) => line === 'IDLE')).toHaveLength(4);
});
