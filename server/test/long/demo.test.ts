import { describe, expect, it } from 'vitest';
import { adapterContext } from '../../src/adapter-context.ts';
import { demoConversations, demoTemplates } from '../../src/demo/content.ts';
import { fillDemo } from '../../src/demo/fill-demo.ts';
import { replyToExisting } from '../../src/demo/reply-in-demo.ts';
import { fileStore } from '../../src/files/store.ts';
import { createDemo, requireSameKey } from '../../src/installation.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { adapters } from '../../src/providers/adapters.ts';
import { useServer } from '../kit/server.ts';
import { silentWakeUps } from '../kit/silent-wakeups.ts';

const refuse = async () => Promise.reject(new Error('no vendor is called'));

/** A server on a new database, with a demo tenant. */
async function firstStart() {
  const server = await useServer();
  const { system, clock, keys } = server;
  await requireSameKey(system.db, keys);
  const policy = { allow: parseAllowList(''), loopback: false };
  const demo = await createDemo(system.db, { keys, policy, authenticator: system.app.authenticator });
  const outbound = { request: refuse, connect: refuse, resolve: refuse };
  const files = fileStore(server.filesFolder);
  const context = adapterContext({
    db: system.db,
    clock,
    keys,
    outbound,
    files,
    baseUrl: () => 'http://127.0.0.1',
  });
  const baseUrl = () => 'http://127.0.0.1';
  const deps = {
    db: system.db,
    clock,
    keys,
    wakeUps: silentWakeUps,
    adapters,
    context,
    policy,
    baseUrl,
  };
  const find = async (what: string, query?: string) =>
    (
      await server.call('POST', `/v3/${what}/search`, {
        token: demo?.token as string,
        body: { query, sortBy: 'asc(createdAt)', pagination: { limit: 100 } },
      })
    ).body.data;
  return { server, demo, deps, find };
}

describe('the demo tenant', () => {
  it('has a channel of each kind, and customers who write on each', async () => {
    const { server, demo, deps, find } = await firstStart();
    const channels = await find('channels');
    expect(channels.map(({ kind }: { kind: string }) => kind)).toEqual([
      'whatsapp',
      'sms',
      'email',
      'instagram',
    ]);
    expect(demo?.channel.id).toBe(channels[0].id);
    expect(await fillDemo(deps)).toBe(true);
    await server.settle();
    const chats = await find('chats');
    expect(chats).toHaveLength(demoConversations.length);
    for (const { lines, name } of demoConversations)
      expect(
        chats.some(
          (chat: { latestMessage: { text: string }; contact: { fullName: string } }) =>
            chat.latestMessage.text === lines.at(-1)?.text && chat.contact.fullName === name,
        ),
      ).toBe(true);
    const messages = await find('messages');
    expect(messages).toHaveLength(demoConversations.flatMap(({ lines }) => lines).length);
    // No request has failed.
    const { rows } = await server.system.db.query('select error from inbound', []);
    expect(rows).toEqual([]);
    const [mina] = await find('contacts', 'eq(firstName,"Mina")');
    expect(mina).toMatchObject({ labels: [{ name: 'Customer' }], email: 'mina@example.com' });
    expect(mina.chats).toHaveLength(2);
  });

  it('replies to some of them once their chats exist, and only once', async () => {
    const { server, deps, find } = await firstStart();
    expect(await replyToExisting(deps, false)).toBe(true);
    await fillDemo(deps);
    expect(await replyToExisting(deps, false)).toBe(false);
    await server.settle();
    await Promise.all(Array.from({ length: 5 }, () => replyToExisting(deps, false)));
    server.clock.advance(1000);
    await server.settle();
    const replies = demoConversations.flatMap(({ reply }) => reply ?? []);
    const sent = await find('messages', 'eq(sender,"outbound")');
    expect(sent.map(({ text }: { text: string }) => text).sort()).toEqual([...replies].sort());
    for (const message of sent) {
      expect(message).toMatchObject({ author: { type: 'user' }, error: null });
      expect(['sent', 'delivered', 'read']).toContain(message.status);
    }
    const chats = await find('chats');
    const unread = chats.filter(({ isUnread }: { isUnread: boolean }) => isUnread);
    expect([chats.length, unread.length]).toEqual([
      demoConversations.length,
      demoConversations.length - replies.length,
    ]);
  });

  it('replies only in the chats that still exist', async () => {
    const { server, demo, deps, find } = await firstStart();
    await fillDemo(deps);
    await server.settle();
    const [chat] = await find('chats', 'eq(isUnread,true)');
    await server.call('DELETE', `/v3/chats/${chat.id}`, { token: demo?.token as string });
    const [email] = await find('channels', 'eq(kind,"email")');
    await server.call('DELETE', `/v3/channels/${email.id}`, { token: demo?.token as string });
    expect(await replyToExisting(deps, false)).toBe(false);
    expect(await replyToExisting(deps, true)).toBe(true);
    expect(await replyToExisting(deps, false)).toBe(true);
    expect((await find('messages', 'eq(sender,"outbound")')).length).toBeLessThan(3);
  });

  it('has templates, one of them rejected', async () => {
    const { server, deps, find } = await firstStart();
    await fillDemo(deps);
    await server.settle();
    server.clock.advance(1000);
    await server.settle();
    const templates = await find('message_templates');
    expect(templates).toHaveLength(demoTemplates.length);
    expect(templates.filter(({ status }: { status: string }) => status !== 'approved')).toMatchObject([
      { status: 'rejected' },
    ]);
  });

  it('is filled once, by any number of starts', async () => {
    const { deps, find } = await firstStart();
    const filled = await Promise.all(Array.from({ length: 5 }, () => fillDemo(deps)));
    expect(filled.filter(Boolean)).toHaveLength(1);
    expect(await fillDemo(deps)).toBe(false);
    expect(await find('labels')).toHaveLength(3);
  });

  it('is filled completely or not at all: an interrupted start is repeated by the next one', async () => {
    const { deps, find } = await firstStart();
    const callbackUrl = (): string => {
      throw new Error('killed');
    };
    const broken = { ...deps, context: { ...deps.context, callbackUrl } };
    await expect(fillDemo(broken)).rejects.toThrow('killed');
    expect(await find('labels')).toEqual([]);
    expect(await fillDemo(deps)).toBe(true);
    expect(await find('labels')).toHaveLength(3);
  });

  it('is not created again if it was deleted before it was filled', async () => {
    const { server, demo, deps } = await firstStart();
    await server.system.db.query('delete from tenants where id = (select tenant_id from tokens limit 1)', []);
    expect(await fillDemo(deps)).toBe(false);
    expect((await server.call('GET', '/v3/me', { token: demo?.token as string })).status).toBe(401);
  });
});
