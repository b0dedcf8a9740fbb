import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { adapterContext } from '../../src/adapter-context.ts';
import { demoConversations, demoNewcomer, demoSavedReplies, demoTemplates } from '../../src/demo/content.ts';
import { fillDemo } from '../../src/demo/fill-demo.ts';
import { workInExisting } from '../../src/demo/work-in-demo.ts';
import { fileStore } from '../../src/files/store.ts';
import { createDemo, requireSameKey } from '../../src/installation.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { adapters } from '../../src/providers/adapters.ts';
import { useServer } from '../kit/server.ts';
import { silentWakeUps } from '../kit/silent-wakeups.ts';

const picture = fileURLToPath(new URL('../../assets/cargo-bike.png', import.meta.url));
const refuse = async () => Promise.reject(new Error('no vendor is called'));

/** A server on a new database, with a demo tenant. */
async function firstStart() {
  const server = await useServer();
  const { system, clock, keys } = server;
  await requireSameKey(system.db, keys);
  const policy = { allow: parseAllowList(''), loopback: false };
  const demo = await createDemo(system.db, { keys, policy, authenticator: system.app.authenticator });
  const outbound = { request: refuse, connect: refuse, resolve: refuse };
  const store = fileStore(server.filesFolder);
  const context = adapterContext({
    db: system.db,
    clock,
    keys,
    outbound,
    files: store,
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
    store,
    picture,
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
    expect(await workInExisting(deps, false)).toBe(true);
    await fillDemo(deps);
    expect(await workInExisting(deps, false)).toBe(false);
    await server.settle();
    await Promise.all(Array.from({ length: 5 }, () => workInExisting(deps, false)));
    server.clock.advance(1000);
    await server.settle();
    const replies = demoConversations.flatMap(({ reply }) => reply?.text ?? []);
    const sent = await find('messages', 'and(eq(sender,"outbound"),eq(authorType,"user"))');
    expect(sent.map(({ text }: { text: string }) => text).sort()).toEqual([...replies].sort());
    for (const { status, error, handle, author } of sent) {
      expect(author).toMatchObject({ type: 'user', name: expect.stringMatching(/^(Noor|Sam) /) });
      // The customer who cannot be reached.
      if (handle.value.endsWith('0001')) expect([status, error.code]).toEqual(['failed', '131026']);
      else expect(['sent', 'delivered', 'read']).toContain(status);
    }
    const chats = await find('chats');
    const unread = chats.filter(({ isUnread }: { isUnread: boolean }) => isUnread);
    expect([chats.length, unread.length]).toEqual([
      demoConversations.length + 1,
      demoConversations.length + 1 - replies.length,
    ]);
  });

  it('has chats in every state, with notes, mentions, labels and a picture', async () => {
    const { server, demo, deps, find } = await firstStart();
    await fillDemo(deps);
    await server.settle();
    await workInExisting(deps, false);
    await server.settle();
    const call = (method: string, path: string, body?: object) =>
      server.call(method, path, { token: demo?.token as string, ...(body && { body }) });
    const users = await find('users');
    const [noor, sam] = ['Noor Haddad', 'Sam Rivera'].map(
      (wanted) => users.find(({ name }: { name: string }) => name === wanted).id,
    );
    // They exist, and nobody can be them.
    for (const user of users) expect(user).toMatchObject({ hasLogin: false, invitation: 'none' });
    const [team] = await find('teams');
    expect(team).toMatchObject({ name: 'Workshop', userIds: expect.arrayContaining([noor, sam]) });

    const count = async (query: string) => (await find('chats', query)).length;
    expect(await count('eq(status,"snoozed")')).toBe(1);
    expect(await count('eq(status,"closed")')).toBe(1);
    expect(await count(`eq(assignedUserId,"${noor}")`)).toBe(1);
    expect(await count(`eq(assignedTeamId,"${team.id}")`)).toBe(1);
    expect(await count('and(eq(status,"open"),not(isNull(waitingSince)))')).toBeGreaterThanOrEqual(3);

    const notes = [];
    for (const { id } of await find('chats'))
      notes.push(...(await call('POST', `/v3/chats/${id}/notes/search`, {})).body.data);
    expect(notes.map(({ mentionedUserIds }) => mentionedUserIds)).toEqual(
      expect.arrayContaining([[], [sam]]),
    );
    const [mina] = await find('contacts', 'eq(firstName,"Mina")');
    expect(mina.attributes).toEqual(
      expect.arrayContaining([expect.objectContaining({ externalId: 'frame_size', value: 'M' })]),
    );
    const [shown] = await find('messages', 'eq(type,"image")');
    const { fileId } = shown.media[0];
    expect(shown.media[0]).toMatchObject({ mimeType: 'image/png', filename: 'cargo-bike.png' });
    expect((await call('GET', `/v3/files/${fileId}/content`)).status).toBe(200);
    expect(await find('saved_replies')).toHaveLength(demoSavedReplies.length);
  });

  it('has an automation that answers newcomers, and a tap leads on', async () => {
    const { server, demo, deps, find } = await firstStart();
    await fillDemo(deps);
    await server.settle();
    await workInExisting(deps, false);
    await server.settle();
    const [tom] = await find('chats', 'eq(isAutomationPaused,false)').then((chats) =>
      chats.filter(
        ({ contact }: { contact: { fullName: string } }) => contact.fullName === demoNewcomer.name,
      ),
    );
    expect(tom.latestMessage).toMatchObject({
      author: { type: 'automation', name: 'Welcome' },
      text: expect.stringContaining('Hello Tom!'),
      content: { buttons: expect.arrayContaining([{ id: 'repair', title: 'A repair' }]) },
    });
    // Those who wrote before it was published heard nothing from it.
    const automatic = await find('messages', 'eq(authorType,"automation")');
    expect(automatic).toHaveLength(1);

    await server.call('POST', `/v3/sandbox/${tom.channelId}/inbound`, {
      token: demo?.token as string,
      body: {
        from: demoNewcomer.from,
        type: 'interactive',
        text: 'A repair',
        content: { id: 'repair', title: 'A repair' },
        replyToMessageId: tom.latestMessage.id,
      },
    });
    await server.settle();
    const [team] = await find('teams');
    const [after] = await find('chats', `eq(id,"${tom.id}")`);
    expect(after).toMatchObject({
      assignedTeamId: team.id,
      latestMessage: { text: expect.stringContaining('Somebody from the shop') },
      contact: { labels: [{ name: 'Repairs' }] },
    });
  });

  it('replies only in the chats that still exist', async () => {
    const { server, demo, deps, find } = await firstStart();
    await fillDemo(deps);
    await server.settle();
    const [chat] = await find('chats', 'eq(isUnread,true)');
    await server.call('DELETE', `/v3/chats/${chat.id}`, { token: demo?.token as string });
    const [email] = await find('channels', 'eq(kind,"email")');
    await server.call('DELETE', `/v3/channels/${email.id}`, { token: demo?.token as string });
    expect(await workInExisting(deps, false)).toBe(false);
    expect(await workInExisting(deps, true)).toBe(true);
    expect(await workInExisting(deps, false)).toBe(true);
    expect((await find('messages', 'and(eq(sender,"outbound"),eq(authorType,"user"))')).length).toBeLessThan(
      4,
    );
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
