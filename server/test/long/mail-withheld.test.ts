import { beforeEach, describe, expect, it } from 'vitest';
import { type ImapServer, mailWith, useImap } from '../kit/imap.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;

let tenant: TestTenant;
let imap: ImapServer;
let channelId: string;
beforeEach(async () => {
  tenant = await server.tenant();
  imap = await useImap();
  channelId = await makeChannel(imap);
});

async function makeChannel({ port }: ImapServer): Promise<string> {
  const answer = await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config: {
      from: 'help@shop.test',
      smtp: { host: '127.0.0.1', port: 25 },
      imap: { host: '127.0.0.1', port, user: 'ada', password: 'right' },
    },
  });
  expect(answer.status).toBe(200);
  await server.settle();
  return answer.body.data.id;
}
const texts = async (): Promise<string[]> => {
  const { data } = (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body;
  return data.map(({ text }: { text: string }) => text).sort();
};
const rowOf = async () =>
  (await db.query('select uid, error, attempts, due_at from mailboxes where id = $1', [channelId]))
    .rows[0] as { uid: number; error: string | null; attempts: number; due_at: Date };
/** Moves the clock to the next read of the mailbox. Returns how many seconds that were. */
async function nextRead(): Promise<number> {
  const waitMs = Number((await rowOf()).due_at) - Number(server.clock.now());
  server.clock.advance(waitMs);
  await server.settle();
  return waitMs / 1000;
}
const channel = async () => (await tenant.get(`/v3/channels/${channelId}`)).body.data;

describe('a mail that the server does not hand out', () => {
  it.each([
    'NO',
    'nothing',
    'end',
  ] as const)('(%s) is left out after 5 attempts, and the channel says so', async (how) => {
    imap.deliver(mailWith('before'), mailWith('broken'), mailWith('after'));
    imap.withhold(2, how);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      waits.push(await nextRead());
      expect(await texts()).toEqual(['before']);
      expect(await rowOf()).toMatchObject({
        uid: 1,
        attempts: attempt,
        error: expect.stringContaining('UID 2.'),
      });
      expect((await channel()).health).not.toBe('degraded');
    }
    waits.push(await nextRead());
    expect(waits).toEqual([30, 30, 60, 120, 240]);
    expect(await texts()).toEqual(['after', 'before']);
    expect(await rowOf()).toMatchObject({ uid: 3, attempts: 0, error: null });
    expect(await channel()).toMatchObject({
      health: 'degraded',
      problem: expect.stringMatching(
        /^The server does not hand out the mail with the UID 2\. It is left out\. ./,
      ),
    });
    expect(server.logged.join('')).toMatch(/"uid":2,[^\n]*a mail was left out/);
    imap.deliver(mailWith('later'));
    await nextRead();
    expect(await texts()).toEqual(['after', 'before', 'later']);
    expect((await channel()).health).toBe('degraded');
    await tenant.put(`/v3/channels/${channelId}`, { config: {} });
    expect(await channel()).toMatchObject({ health: 'healthy', problem: null });
  });

  it('is kept if the server hands out no later mail either', async () => {
    imap.deliver(mailWith('one'), mailWith('two'));
    for (const uid of [1, 2]) imap.withhold(uid, 'NO');
    for (let attempt = 1; attempt <= 7; attempt += 1) await nextRead();
    expect(await rowOf()).toMatchObject({ uid: 0, attempts: 7 });
    expect(await channel()).toMatchObject({
      health: 'degraded',
      problem: expect.stringMatching(/UID 1\. Parley tries again\. .*internal error/),
    });
    for (const uid of [1, 2]) imap.withhold(uid, undefined);
    await nextRead();
    expect(await texts()).toEqual(['one', 'two']);
    expect(await channel()).toMatchObject({ health: 'healthy', problem: null });
  });

  it('has attempts of its own, whatever failed before', async () => {
    imap.deliver(mailWith('one'), mailWith('two'), mailWith('three'));
    imap.withhold(1, 'NO');
    imap.withhold(2, 'NO');
    for (let attempt = 1; attempt <= 5; attempt += 1) await nextRead();
    expect(await rowOf()).toMatchObject({ uid: 1, attempts: 1 });
    imap.withhold(2, undefined);
    await nextRead();
    expect(await texts()).toEqual(['three', 'two']);
  });

  it('because it was deleted meanwhile is not waited for', async () => {
    imap.deliver(mailWith('one'), mailWith('gone'), mailWith('three'));
    imap.duringFetch(async () => imap.duringFetch(async () => imap.remove(2)));
    await nextRead();
    expect(await texts()).toEqual(['one', 'three']);
    expect(await rowOf()).toMatchObject({ uid: 3, attempts: 0, error: null });
  });
});

describe('a slow server', () => {
  it('is read for a minute at a time, and what was read is stored', async () => {
    imap.deliver(...['one', 'two', 'three'].map((text) => mailWith(text)));
    const lists = () => imap.said.filter((line) => line.includes('RFC822.SIZE')).length;
    const before = lists();
    const slow = (): void =>
      imap.duringFetch(async () => {
        server.clock.advance(31_000);
        slow();
      });
    slow();
    await nextRead();
    imap.duringFetch(async () => {});
    await server.settle();
    expect(await texts()).toEqual(['one', 'three', 'two']);
    expect(lists() - before).toBeGreaterThan(1);
  });
});
