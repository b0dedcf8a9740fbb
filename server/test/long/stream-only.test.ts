import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { type StreamClient, useEventStream } from '../kit/event-client.ts';
import { OWN_PAGE, type TestPerson, usePerson } from '../kit/people.ts';
import { openChat, type TestChat } from '../kit/sending.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let channel: { id: string };
let chat: TestChat;
let grace: TestPerson;
let alan: TestPerson;

beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
  chat = await openChat(server, tenant, channel);
  grace = await usePerson(server, tenant, 'agent');
  alan = await usePerson(server, tenant, 'agent');
});

const follow = (person: TestPerson, more = '', on: TestServer = server, of = tenant): Promise<StreamClient> =>
  useEventStream(on.system.app.server, {
    query: `?tenantId=${of.id}${more}`,
    headers: { ...OWN_PAGE, cookie: `__Host-parley=${person.cookie}` },
  });
const followByToken = (query = '') =>
  useEventStream(server.system.app.server, { token: tenant.token, query });
const present = (person: TestPerson, state: string, of: TestChat = chat) =>
  person.post(`/v3/chats/${of.id}/presence`, { state });
const types = (client: StreamClient): string[] => client.heard.map(({ event }) => event);
/** Waits for a stored event: what was announced before has come by then. */
const mark = async (...clients: StreamClient[]): Promise<void> => {
  const text = `mark ${Math.random()}`;
  await tenant.post(`/v3/chats/${chat.id}/notes`, { text });
  await server.settle();
  for (const client of clients) await expect.poll(() => client.text(), { timeout: 30_000 }).toContain(text);
};

describe('chat.presence', () => {
  it('reaches colleagues at once, with the time when it ends, and not its own user', async () => {
    const [hers, his] = [await follow(grace), await follow(alan)];
    const answer = await present(grace, 'typing');
    expect(answer.body.data).toEqual({ chatId: chat.id, state: 'typing', isShown: true });
    await his.until(1);
    expect(his.heard[0]).toMatchObject({
      id: 'undefined',
      event: 'chat.presence',
      data: {
        id: expect.any(String),
        type: 'chat.presence',
        tenantId: tenant.id,
        channelId: channel.id,
        sequence: null,
        data: {
          chatId: chat.id,
          user: { id: grace.userId, name: expect.stringMatching(/^Person/) },
          state: 'typing',
          until: expect.any(String),
        },
      },
    });
    await present(grace, 'viewing');
    await present(grace, 'left');
    await his.until(3);
    expect(his.heard.map(({ data }) => data.data.state)).toEqual(['typing', 'viewing', 'left']);
    await mark(hers, his);
    expect(types(hers)).toEqual(['note.created']);
  });

  it('of another chat or tenant, by a viewer or a program without a user, shows nobody anything', async () => {
    const client = await follow(alan);
    const other = await server.tenant();
    const outsider = await usePerson(server, other, 'owner');
    expect((await present(outsider, 'viewing')).body.error.messageKey).toBe('chat_not_found');
    expect((await present(await usePerson(server, tenant, 'viewer'), 'viewing')).status).toBe(403);
    expect((await present(grace, 'viewing', { ...chat, id: 'x' })).body.error.messageKey).toBe(
      'chat_not_found',
    );
    expect((await present(grace, 'gone')).status).toBe(400);
    expect(
      (await grace.post(`/v3/chats/${chat.id}/presence`, { state: 'typing', userId: alan.userId })).status,
    ).toBe(400);
    expect((await tenant.post(`/v3/chats/${chat.id}/presence`, { state: 'typing' })).status).toBe(200);
    expect(types(client)).toEqual([]);
    await tenant.post(`/v3/chats/${chat.id}/presence`, { state: 'typing', userId: grace.userId });
    await client.until(1);
    expect(client.heard[0]?.data.data.user.id).toBe(grace.userId);
  });

  it('a thousand times is sent a few times, and stores nothing', async () => {
    const client = await follow(alan);
    const stored = async () =>
      (
        await server.system.db.query(
          `select (select count(*) from events where tenant_id = $1) as events,
                  (select count(*) from audit_entries where tenant_id = $1) as entries,
                  (select count(*) from chat_tasks where tenant_id = $1) as tasks`,
          [tenant.id],
        )
      ).rows;
    const before = await stored();
    // People may make 600 requests a minute.
    for (let turn = 0; turn < 10; turn += 1)
      await Promise.all(Array.from({ length: 50 }, () => present(grace, 'viewing')));
    await client.until(1);
    expect(await stored()).toEqual(before);
    await mark(client);
    // Once in two seconds; generously.
    expect(types(client).filter((type) => type === 'chat.presence').length).toBeLessThan(100);
  });

  it('is only for those who see the channel', async () => {
    const own = await tenant.channel();
    const visible = await openChat(server, tenant, own);
    const restricted = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Own', userIds: [restricted.userId], channelIds: [own.id] });
    const client = await follow(restricted);
    await present(grace, 'typing');
    await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'hidden' });
    await present(grace, 'viewing', visible);
    await client.until(1);
    expect(client.heard[0]).toMatchObject({ event: 'chat.presence', data: { channelId: own.id } });
    await tenant.post(`/v3/chats/${visible.id}/messages`, { text: 'shown' });
    await client.until(2);
    expect(client.heard[1]).toMatchObject({ event: 'message.queued', data: { data: { text: 'shown' } } });
    expect(client.text()).not.toContain(chat.id);
    expect((await present(restricted, 'viewing')).body.error.messageKey).toBe('chat_not_found');
  });
});

describe('message.queued', () => {
  it('has the message, before it is sent', async () => {
    const client = await follow(grace);
    const sent = await alan.post(`/v3/chats/${chat.id}/messages`, { text: 'Hello' });
    await client.until(1);
    expect(client.heard[0]).toMatchObject({
      event: 'message.queued',
      data: { channelId: channel.id, sequence: null, data: { ...sent.body.data } },
    });
  });

  it('of a sensitive chat has no text, and of a refused message does not come', async () => {
    const client = await follow(grace);
    await tenant.put(`/v3/chats/${chat.id}`, { isSensitive: true });
    await server.settle();
    await client.until(1);
    expect((await alan.post(`/v3/chats/${chat.id}/messages`, {})).status).toBe(400);
    await alan.post(`/v3/chats/${chat.id}/messages`, { text: 'secret' });
    await client.until(2);
    expect(types(client)).toEqual(['chat.updated', 'message.queued']);
    expect(client.text()).not.toContain('secret');
  });
});

describe('notification.created', () => {
  it('reaches its user only', async () => {
    const [hers, his, program] = [
      await follow(grace, '&types=notification.created'),
      await follow(alan, '&types=notification.*'),
      await followByToken('?types=notification.created'),
    ];
    await tenant.post(`/v3/chats/${chat.id}/assignment`, { userId: alan.userId });
    await server.settle();
    await his.until(1);
    const { data } = (await alan.post('/v3/notifications/search', {})).body;
    expect(his.heard[0]).toMatchObject({ event: 'notification.created', data: { data: data[0] } });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550002345', text: 'one' });
    await server.settle();
    // The data is the notification as it is when it is sent.
    await his.until(2);
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550002345', text: 'two' });
    await server.settle();
    await his.until(3);
    expect(his.heard.map((one) => [one.data.data.type, one.data.data.count])).toEqual([
      ['assigned', 1],
      ['message_received', 1],
      ['message_received', 2],
    ]);
    expect([types(hers), types(program)]).toEqual([[], []]);
  });
});

describe('automation.run_progressed', () => {
  const waiting = () => ({
    trigger: { type: 'api', parameters: { channelId: channel.id } },
    steps: [
      { id: 'ask', type: 'send_message', parameters: { text: 'Well?' } },
      { id: 'wait', type: 'wait_for_reply', parameters: { timeout: 'PT1H' } },
      { id: 'thanks', type: 'send_message', parameters: { text: 'Thanks' } },
    ],
  });
  const progressed = (client: StreamClient) =>
    client.heard.filter(({ event }) => event === 'automation.run_progressed').map(({ data }) => data);

  it('says where a run is when it has not ended, to those who see runs of all channels', async () => {
    const restricted = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Own', userIds: [restricted.userId], channelIds: [channel.id] });
    const [hers, his] = [await follow(grace), await follow(restricted)];
    const automationId = await automationOf(tenant, waiting());
    await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId: chat.contactId });
    await server.settle();
    await expect.poll(() => progressed(hers).length).toBe(1);
    expect(progressed(hers)[0]).toMatchObject({
      channelId: null,
      sequence: null,
      tenantId: tenant.id,
      data: { automationId, contactId: chat.contactId, status: 'waiting', step: 'wait' },
    });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550002345', text: 'Yes' });
    await server.settle();
    await mark(hers, his);
    expect(types(hers)).toContain('automation.run_completed');
    expect(progressed(hers)).toHaveLength(1);
    expect(progressed(his)).toEqual([]);
  });

  it('comes once a second at most, as the run is then, and again when it is retried', async () => {
    const client = await follow(grace, '&types=automation.*');
    const automationId = await automationOf(tenant, waiting());
    const { headers } = await tenant.post(`/v3/automations/${automationId}/trigger`, {
      contactId: chat.contactId,
    });
    const runId = headers['x-automation-run-id'] as string;
    server.clock.advance(25 * 3600_000);
    await server.settle();
    const { data } = (await tenant.get(`/v3/automation_runs/${runId}`)).body;
    expect(data.status).toBe('failed');
    const since = performance.now();
    for (let turn = 0; turn < 5; turn += 1) {
      await tenant.post(`/v3/automation_runs/${runId}/retry`);
      await server.settle();
    }
    const ofRun = (id: string) => progressed(client).filter(({ data }) => (data as { id: string }).id === id);
    // What was announced before another run was announced has been sent when that is.
    const other = await openChat(server, tenant, channel, '+15550002399');
    const { headers: marked } = await tenant.post(`/v3/automations/${automationId}/trigger`, {
      contactId: other.contactId,
    });
    await server.settle();
    await expect.poll(() => ofRun(marked['x-automation-run-id'] as string).length).toBeGreaterThan(0);
    const sent = ofRun(runId).length;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(Math.ceil((performance.now() - since) / 1_000));
    await tenant.post(`/v3/automation_runs/${runId}/retry`);
    await server.settle();
    await expect.poll(() => ofRun(runId).length).toBe(sent + 1);
    expect(ofRun(runId).at(-1)).toMatchObject({ data: { id: runId, status: 'failed' } });
  });
});

describe('stream-only events', () => {
  it('come to programs only if they ask for them', async () => {
    const [all, named, prefix] = [
      await followByToken(),
      await followByToken('?types=chat.presence'),
      await followByToken('?types=message.*'),
    ];
    await present(grace, 'viewing');
    await alan.post(`/v3/chats/${chat.id}/messages`, { text: 'Hello' });
    await server.settle();
    await prefix.until(2);
    await named.until(1);
    expect(types(named)).toEqual(['chat.presence']);
    expect(new Set(types(prefix))).toEqual(new Set(['message.queued', 'message.sent']));
    await all.until(1);
    expect(types(all)).not.toContain('message.queued');
    expect(types(all)).not.toContain('chat.presence');
  });

  it('leave the position alone, and are not sent again', async () => {
    const client = await follow(alan);
    await mark(client);
    const last = client.lastId();
    await present(grace, 'viewing');
    await expect.poll(() => types(client).filter((type) => type === 'chat.presence').length).toBe(1);
    expect(client.lastId()).toBe(last);
    client.close();
    const again = await follow(alan, `&lastEventId=${last}`);
    await mark(again);
    expect(types(again)).toEqual(['note.created']);
  });

  it('are no types for webhooks', async () => {
    for (const type of [
      'chat.presence',
      'message.queued',
      'notification.created',
      'notification.*',
      'automation.run_progressed',
    ]) {
      const answer = await tenant.post('/v3/api_webhooks', {
        url: 'https://example.com/hook',
        events: [{ type }],
      });
      expect([type, answer.status]).toEqual([type, 400]);
    }
  });
});

describe('resource.deleted', () => {
  it.each([
    ['campaign', 'campaigns', () => ({ channelId: channel.id, name: 'Gone', message: { text: 'x' } })],
    [
      'automation',
      'automations',
      () => ({
        name: 'Gone',
        trigger: { type: 'message_received', parameters: {} },
        steps: [{ id: 'a', type: 'end', parameters: {} }],
      }),
    ],
    [
      'message_template',
      'message_templates',
      () => ({ channelId: channel.id, name: 'gone', language: 'en', body: 'x' }),
    ],
    [
      'api_webhook',
      'api_webhooks',
      () => ({ url: 'https://example.com/x', events: [{ type: 'message.sent' }] }),
    ],
    ['segment', 'segments', () => ({ name: 'Gone', query: 'not(isNull(email))' })],
    ['saved_reply', 'saved_replies', () => ({ shortcut: 'gone', text: 'x' })],
  ] as const)('says which %s was deleted, once, to people of the tenant', async (resource, path, bodyOf) => {
    const { id } = (await tenant.post(`/v3/${path}`, bodyOf())).body.data;
    const [client, byToken] = [await follow(alan), await followByToken()];
    const outsider = await server.tenant();
    const elsewhere = await follow(await usePerson(server, outsider, 'owner'), '', server, outsider);
    expect((await outsider.delete(`/v3/${path}/${id}`)).body.data.notFoundIds).toEqual([id]);
    expect((await tenant.delete(`/v3/${path}/${id.toUpperCase()}`)).body.data.notFoundIds).toEqual([]);
    expect((await tenant.delete(`/v3/${path}/${id}`)).body.data.notFoundIds).toEqual([id]);
    await client.until(1);
    await mark(client, byToken);
    const deleted = client.heard.filter(({ event }) => event === 'resource.deleted');
    expect(deleted.map(({ data }) => data)).toMatchObject([
      { type: 'resource.deleted', channelId: null, sequence: null, data: { resource, id } },
    ]);
    expect(types(byToken)).toEqual(['note.created']);
    expect(types(elsewhere)).toEqual([]);
  });

  /** A job deletes a channel with more than 1,000 rows. */
  it.each([
    ['small', 0],
    ['large', 1_001],
  ])('names a %s channel, with which all of its templates and campaigns go', async (_, sent) => {
    const other = await tenant.channel();
    await tenant.post('/v3/campaigns', { channelId: other.id, name: 'Gone', message: { text: 'x' } });
    await server.system.db.query(
      `insert into sandbox_outbox (message_id, tenant_id, channel_id, vendor_id, recipient, type, content, at)
       select gen_random_uuid(), $1, $2, n, '+15550001111', 'text', '{}', now() from generate_series(1, $3::int) n`,
      [tenant.id, other.id, sent],
    );
    const restricted = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', {
      name: 'Few',
      userIds: [restricted.userId],
      channelIds: [other.id, channel.id],
    });
    const [client, theirs] = [await follow(alan), await follow(restricted)];
    const { jobId } = (await tenant.delete(`/v3/channels/${other.id}?force=true`)).body.data;
    expect(jobId === null).toBe(sent === 0);
    expect((await tenant.delete(`/v3/channels/${other.id}`)).body.data.notFoundIds).toEqual([other.id]);
    await mark(client, theirs);
    for (const { heard } of [client, theirs])
      expect(heard.filter(({ event }) => event === 'resource.deleted').map(({ data }) => data)).toMatchObject(
        [
          {
            type: 'resource.deleted',
            channelId: null,
            sequence: null,
            data: { resource: 'channel', id: other.id },
          },
        ],
      );
  });
});

describe('over two processes', () => {
  it('everybody gets them wherever they are connected', async () => {
    const options = { isSoleProcess: false, timers: true };
    const first = await useServer(options);
    const second = await useServer({ ...options, databaseUrl: first.databaseUrl });
    const shop = await first.tenant();
    const shopChannel = await shop.channel();
    await shop.post(`/v3/sandbox/${shopChannel.id}/inbound`, { from: '+15550002345', text: 'hello' });
    const chats = async () => (await shop.post('/v3/chats/search', {})).body.data;
    await expect.poll(async () => (await chats()).length, { timeout: 30_000 }).toBe(1);
    const [{ id }] = await chats();
    const [ada, bob] = [await usePerson(first, shop, 'agent'), await usePerson(first, shop, 'agent')];
    const client = await follow(
      bob,
      '&types=chat.presence,message.queued,notification.created',
      second,
      shop,
    );
    await ada.post(`/v3/chats/${id}/presence`, { state: 'typing' });
    await client.until(1);
    await ada.post(`/v3/chats/${id}/messages`, { text: 'x'.repeat(4_000) });
    await client.until(2);
    await ada.post(`/v3/chats/${id}/assignment`, { userId: bob.userId });
    await client.until(3);
    expect(types(client)).toEqual(['chat.presence', 'message.queued', 'notification.created']);
    expect(client.heard[1]?.data.data.text).toHaveLength(4_000);
  });
});
