import { Agent, EventSource } from 'undici';
import { describe, expect, it } from 'vitest';
import { type Heard, publishMany, type StreamClient, useEventStream } from '../kit/event-client.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const app = server.system.app.server;

const follow = (
  tenant: TestTenant,
  query = '',
  headers: Record<string, string> = {},
): Promise<StreamClient> => useEventStream(app, { token: tenant.token, query, headers });
const publish = async (tenant: TestTenant, ...events: Parameters<typeof publishMany>[2]): Promise<void> => {
  await publishMany(server.system.db, tenant.id, events);
  await server.settle();
};
const many = (count: number, text = '') =>
  Array.from({ length: count }, (_, index) => ({ data: { number: index + 1, text } }));
const sequencesOf = (heard: Heard[]): number[] => heard.map(({ data }) => data.sequence);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a stream of events', () => {
  it('sends what webhooks receive, from now on, with the sequence as id and the type as event', async () => {
    const tenant = await server.tenant();
    const receiver = await useReceiver();
    const channel = await tenant.channel();
    await publish(tenant, {}, {});
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    const client = await follow(tenant);
    expect(client.status).toBe(200);
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'two\nlines\r\n' });
    await server.settle();
    const heard = await client.until(3);
    expect(sequencesOf(heard)).toEqual([3, 4, 5]);
    for (const { id, event, data } of heard) expect([id, event]).toEqual([String(data.sequence), data.type]);
    expect(heard.map(({ text }) => text).sort()).toEqual(receiver.received.map(({ text }) => text).sort());
    expect(heard.map(({ event }) => event)).toContain('message.received');
  });

  it('has headers that keep proxies from caching, changing or buffering it, and is not compressed', async () => {
    const client = await follow(await server.tenant(), '', { 'accept-encoding': 'gzip, br' });
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': expect.stringContaining('no-store'),
      'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^req_/),
      'x-ratelimit-remaining': expect.any(String),
    });
    expect(client.headers).not.toHaveProperty('content-encoding');
  });

  it('continues after the last event that the client received, wherever that is', async () => {
    const tenant = await server.tenant();
    await publish(tenant, ...many(6));
    const asked = async (query: string, headers = {}) => {
      const client = await follow(tenant, query, headers);
      return client.until(1).then(() => sequencesOf(client.heard));
    };
    expect(await asked('', { 'last-event-id': '4' })).toEqual([5, 6]);
    expect(await asked('?lastEventId=4')).toEqual([5, 6]);
    expect(await asked('?lastEventId=0')).toEqual(upTo(6));
    // The parameter says where it first started, the header what it has received since.
    expect(await asked('?lastEventId=1', { 'last-event-id': '5' })).toEqual([6]);
  });

  it('lets a client that has received nothing yet reconnect and miss nothing', async () => {
    const tenant = await server.tenant();
    await publish(tenant, ...many(3));
    const first = await follow(tenant);
    await expect.poll(first.lastId).toBe('3');
    first.close();
    await publish(tenant, ...many(2));
    const again = await follow(tenant, '', { 'last-event-id': first.lastId() });
    expect(sequencesOf(await again.until(2))).toEqual([4, 5]);
  });

  it('sends only requested types, prefixes and channels', async () => {
    const tenant = await server.tenant();
    const [one, two] = [await tenant.channel(), await tenant.channel()];
    await publish(
      tenant,
      { type: 'message.received', channelId: one.id },
      { type: 'chat.created', channelId: one.id },
      { type: 'chat.read', channelId: two.id },
      { type: 'contact.created' },
    );
    const asked = async (query: string, count: number) =>
      sequencesOf(await (await follow(tenant, `?lastEventId=0&${query}`)).until(count));
    expect(await asked('types=message.received', 1)).toEqual([1]);
    expect(await asked('types=chat.*', 2)).toEqual([2, 3]);
    expect(await asked('types=chat.created,%20contact.*', 2)).toEqual([2, 4]);
    expect(await asked('types=', 4)).toEqual(upTo(4));
    expect(await asked(`channelIds=${one.id}`, 2)).toEqual([1, 2]);
    expect(await asked(`channelIds=${one.id.toUpperCase()},${two.id}`, 3)).toEqual([1, 2, 3]);
    expect(await asked(`types=chat.*&channelIds=${two.id}`, 1)).toEqual([3]);
  });

  it('sends no events of another tenant', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const client = await follow(tenant, '?lastEventId=0');
    await publish(other, ...many(5));
    await publish(tenant, {});
    const [event] = await client.until(1);
    expect(event?.data).toMatchObject({ tenantId: tenant.id, sequence: 1 });
    expect(client.text()).not.toContain(other.id);
  });

  it('refuses invalid parameters in the envelope, all at once', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    await publish(tenant, ...many(3));
    const foreign = (await other.channel()).id;
    const issues: [query: string, name: string, key: string, message: RegExp][] = [
      ['types=message.nope', 'types', 'invalid_enum_value', /"message\.nope".*message\.received/],
      ['types=%00', 'types', 'invalid_enum_value', /No event/],
      ['types=chat.*&types=x', 'types', 'invalid_type', /received array/],
      ['channelIds=x', 'channelIds', 'invalid_string', /UUID/],
      [`channelIds=${foreign}`, 'channelIds', 'custom', new RegExp(`There is no channel ${foreign}`)],
      ['lastEventId=-1', 'lastEventId', 'invalid_string', /"-1"/],
      ['lastEventId=1e3', 'lastEventId', 'invalid_string', /id of an event/],
      [`lastEventId=${'9'.repeat(40)}`, 'lastEventId', 'invalid_string', /id of an event/],
      ['lastEventId=4', 'lastEventId', 'custom', /no event 4 yet, the newest is 3/],
    ];
    for (const [query, name, key, message] of issues) {
      const answer = await tenant.get(`/v3/events/stream?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.body.error.invalidParams).toEqual({
        [name]: { key, message: expect.stringMatching(message) },
      });
    }
    const both = await tenant.get('/v3/events/stream?types=x&channelIds=x&lastEventId=x');
    expect(Object.keys(both.body.error.invalidParams)).toEqual(['types', 'channelIds', 'lastEventId']);
    const header = await tenant.get('/v3/events/stream', { headers: { 'last-event-id': 'x' } });
    expect(header.body.error.invalidParams).toHaveProperty('lastEventId');
    const head = await tenant.call('HEAD', '/v3/events/stream');
    expect([head.status, head.headers.allow]).toEqual([405, 'GET']);
  });

  it('refuses to continue after an event if later ones are no longer stored', async () => {
    const tenant = await server.tenant();
    await publish(tenant, ...many(6));
    await server.system.db.query('delete from events where tenant_id = $1 and sequence <= 3', [tenant.id]);
    const tooLate = await tenant.get('/v3/events/stream?lastEventId=2');
    expect(tooLate.body.error.invalidParams.lastEventId).toEqual({
      key: 'custom',
      message: 'Events after 2 are no longer stored, the oldest is 4. Use 0 to get all that are stored',
    });
    for (const last of [0, 3])
      expect(sequencesOf(await (await follow(tenant, `?lastEventId=${last}`)).until(3))).toEqual([4, 5, 6]);
    await server.system.db.query('delete from events where tenant_id = $1', [tenant.id]);
    expect((await tenant.get('/v3/events/stream?lastEventId=5')).status).toBe(400);
    expect((await follow(tenant, '?lastEventId=6')).status).toBe(200);
  });
});

describe('many events and many streams', () => {
  it('all reach each of 20 streams, in order, whenever each was opened', async () => {
    const tenant = await server.tenant();
    await publish(tenant, ...many(1_500));
    const early = await Promise.all(Array.from({ length: 10 }, () => follow(tenant, '?lastEventId=0')));
    const live = await Promise.all(Array.from({ length: 8 }, () => follow(tenant)));
    const publishing = publishMany(server.system.db, tenant.id, many(3_000)).then(server.settle);
    const late = await Promise.all([500, 1_400].map((last) => follow(tenant, `?lastEventId=${last}`)));
    await publishing;
    const all = upTo(4_500);
    for (const client of early) expect(sequencesOf(await client.until(4_500))).toEqual(all);
    for (const client of live) expect(sequencesOf(await client.until(3_000))).toEqual(all.slice(1_500));
    expect(sequencesOf(await (late[0] as StreamClient).until(4_000))).toEqual(all.slice(500));
    expect(sequencesOf(await (late[1] as StreamClient).until(3_100))).toEqual(all.slice(1_400));
  });

  it('do not wait for a client that does not read, and it misses nothing later', async () => {
    const tenant = await server.tenant();
    const [slow, quick] = [await follow(tenant), await follow(tenant)];
    slow.pause();
    // Far more than sockets, buffers and the shared memory of the newest events hold.
    for (let round = 0; round < 3; round += 1) await publish(tenant, ...many(500, 'x'.repeat(6_000)));
    await quick.until(1_500);
    expect(slow.heard.length).toBeLessThan(1_500);
    slow.resume();
    expect(sequencesOf(await slow.until(1_500))).toEqual(upTo(1_500));
  });

  it('of a tenant are limited, and one that is closed makes room at once', async () => {
    const tenant = await server.tenant();
    const clients = await Promise.all(Array.from({ length: 100 }, () => follow(tenant)));
    expect(clients.every(({ status }) => status === 200)).toBe(true);
    const refused = await tenant.get('/v3/events/stream');
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'limit_reached']);
    expect(refused.body.error.message).toContain('streams is 100 for this tenant; close a stream first');
    expect((await follow(await server.tenant())).status).toBe(200);
    clients[0]?.close();
    await expect.poll(async () => (await tenant.get('/v3/events/stream')).status).toBe(200);
  });
});

describe('another client library', () => {
  it('reconnects by itself after its connection was lost, and receives every event once', async () => {
    const tenant = await server.tenant();
    const agent = new Agent();
    const dispatcher = agent.compose(
      (dispatch) => (options, handler) =>
        dispatch(
          {
            ...options,
            headers: Object.assign({}, options.headers, { authorization: `Bearer ${tenant.token}` }),
          },
          handler,
        ),
    );
    const source = new EventSource(`http://127.0.0.1:${await listen(app)}/v3/events/stream`, {
      node: { dispatcher },
    } as never);
    const heard: string[] = [];
    source.addEventListener('chat.read', (event) => heard.push((event as MessageEvent).lastEventId));
    await new Promise<void>((resolve) => {
      source.onopen = () => resolve();
    });
    await expect.poll(() => server.system.app.streams.count).toBe(1);
    for (let round = 0; round < 2; round += 1) {
      await publish(tenant, {}, {});
      await expect.poll(() => heard.length).toBe(4 * round + 2);
      app.server.closeAllConnections();
      await publish(tenant, {}, {});
      await expect.poll(() => heard.length, { timeout: 30_000 }).toBe(4 * round + 4);
    }
    expect(heard).toEqual(upTo(8).map(String));
    source.close();
    await agent.close();
  });
});
