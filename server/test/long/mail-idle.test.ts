import { beforeEach, describe, expect, it } from 'vitest';
import { type ImapServer, mailWith, useImap } from '../kit/imap.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';

const TIMEOUT = { timeout: 20_000 };
const HALF_MINUTE = 30_000;
const shared = await useServer({ maxKeptMailboxes: 40 });

let tenant: TestTenant;
let imap: ImapServer;
beforeEach(async () => {
  tenant = await shared.tenant();
  imap = await useImap({ hasIdle: true });
});

async function makeChannel({ server = shared, owner = tenant, at = imap } = {}): Promise<string> {
  const answer = await owner.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config: {
      from: 'help@shop.test',
      smtp: { host: '127.0.0.1', port: 25 },
      imap: { host: '127.0.0.1', port: at.port, user: 'ada', password: 'right' },
    },
  });
  expect(answer.status).toBe(200);
  await server.settle();
  return answer.body.data.id;
}
const isWaiting = (count = 1, at = imap) => expect.poll(at.waiting, TIMEOUT).toBe(count);
const texts = async (server = shared, owner = tenant): Promise<string[]> => {
  await server.settle();
  const { data } = (await owner.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body;
  return data.map(({ text }: { text: string }) => text);
};
const later = async (ms: number, server: TestServer = shared): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
const cut = (at: ImapServer): void => {
  for (const socket of at.sockets) socket.destroy();
};

describe('a mailbox whose server announces mail', () => {
  it('is read at once, through the one connection that waits', async () => {
    await makeChannel();
    for (const text of ['one', 'two']) {
      await isWaiting();
      imap.deliver(mailWith(text));
      await expect.poll(texts, TIMEOUT).toContain(text);
    }
    expect(await texts()).toEqual(['one', 'two']);
    expect(imap.connections()).toBe(1);
    expect(imap.said.filter((line) => line === 'EXAMINE INBOX')).toHaveLength(1);
  });

  it('is read every half minute as well, and waits again after that', async () => {
    await makeChannel();
    await isWaiting();
    await later(HALF_MINUTE);
    await isWaiting();
    expect(imap.said.slice(-5)).toEqual([
      'IDLE',
      'DONE',
      'NOOP',
      expect.stringMatching(/^UID FETCH/),
      'IDLE',
    ]);
    expect(imap.connections()).toBe(1);
  });

  it('is read through a new connection when the one that waits is lost', async () => {
    await makeChannel();
    await isWaiting();
    cut(imap);
    await isWaiting(0);
    imap.deliver(mailWith('meanwhile'));
    await later(HALF_MINUTE);
    expect(await texts()).toEqual(['meanwhile']);
    await isWaiting();
    expect(imap.connections()).toBe(2);
  });

  it('that was created again is opened again', async () => {
    await makeChannel();
    await isWaiting();
    imap.renumber(8);
    cut(imap);
    await later(HALF_MINUTE);
    await isWaiting();
    imap.deliver(mailWith('in the new one'));
    await expect.poll(texts, TIMEOUT).toEqual(['in the new one']);
  });

  it('is left when the settings change or the mailbox is removed', async () => {
    const channelId = await makeChannel();
    await isWaiting();
    const other = await useImap({ hasIdle: true });
    await tenant.put(`/v3/channels/${channelId}`, { config: { imap: { port: other.port } } });
    await shared.settle();
    await isWaiting(1, other);
    await isWaiting(0);
    await expect.poll(() => imap.said.at(-1), TIMEOUT).toBe('LOGOUT');
  });

  it('is read once for announcements that come together', async () => {
    await makeChannel();
    await isWaiting();
    for (let count = 0; count < 1000; count += 1) imap.announce();
    imap.deliver(mailWith('new'));
    await expect.poll(texts, TIMEOUT).toEqual(['new']);
    expect(imap.said.filter((line) => line === 'NOOP')).toHaveLength(1);
  });

  it('is polled if the server ends every wait at once', async () => {
    imap.next('end of idle');
    await makeChannel();
    await expect.poll(() => imap.said.at(-1), TIMEOUT).toBe('LOGOUT');
    imap.deliver(mailWith('later'));
    expect(await texts()).toEqual([]);
    await later(HALF_MINUTE);
    expect(await texts()).toEqual(['later']);
  });

  it('is left if the server talks all the time', async () => {
    await makeChannel();
    await isWaiting();
    for (const socket of imap.sockets) socket.write(`* OK still here ${'x'.repeat(1000)}\r\n`.repeat(300));
    await later(HALF_MINUTE);
    await isWaiting();
    expect(imap.connections()).toBe(2);
  });
});

describe('connections that wait', () => {
  it('are limited, a tenant may have a quarter, and the other mailboxes are polled', async () => {
    const server = await useServer({ maxKeptMailboxes: 8 });
    const owners = [await server.tenant(), await server.tenant()];
    for (const owner of owners)
      for (let count = 0; count < 3; count += 1) await makeChannel({ server, owner });
    await isWaiting(4);
    imap.deliver(mailWith('for all'));
    await expect.poll(() => texts(server, owners[0]), TIMEOUT).toEqual(['for all', 'for all']);
    await later(HALF_MINUTE, server);
    expect(await texts(server, owners[0])).toEqual(['for all', 'for all', 'for all']);
    await isWaiting(4);
  });

  it('are none if the operator wants none', async () => {
    const server = await useServer({ maxKeptMailboxes: 0 });
    await makeChannel({ server, owner: await server.tenant() });
    expect(imap.said.at(-1)).toBe('LOGOUT');
    expect(imap.said).not.toContain('IDLE');
  });

  it('are ended in order when the process stops', async () => {
    const server = await useServer();
    await makeChannel({ server, owner: await server.tenant() });
    await isWaiting();
    await server.stop();
    expect(imap.said.slice(-3)).toEqual(['IDLE', 'DONE', 'LOGOUT']);
    await expect.poll(() => imap.sockets.size, TIMEOUT).toBe(0);
  });
});
