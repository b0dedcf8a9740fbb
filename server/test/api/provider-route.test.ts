import { describe, expect, it } from 'vitest';
import { type TestTenant, useServer } from '../kit/server.ts';
import { pigeonChannel, pigeonHeaders, postEvents, withPigeon, written } from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const at = server.clock.now();

const inboundOf = async (tenant: TestTenant): Promise<Record<string, unknown>[]> =>
  (await server.system.db.query('select * from inbound where tenant_id = $1 order by id', [tenant.id])).rows;
const textsOf = async (tenant: TestTenant): Promise<string[]> =>
  (await tenant.post('/v3/messages/search', {})).body.data
    .map((message: { text: string }) => message.text)
    .toSorted();
/** A request of a vendor that has one URL for all of its customers. */
const post = (raw: string, secret: string) =>
  server.call('POST', '/providers/pigeon', { raw, headers: pigeonHeaders(raw, secret) });

describe('a vendor with one URL for all channels', () => {
  it('reaches each channel in its request whose secret signed it', async () => {
    const tenant = await server.tenant();
    const shared = { secret: `shared-${tenant.id}` };
    const mine = await pigeonChannel(tenant, 'whatsapp', shared);
    const second = await pigeonChannel(tenant, 'sms', shared);
    const unknownSenders = await server.tenant();
    const theirs = await pigeonChannel(unknownSenders);
    const silent = await pigeonChannel(tenant, 'whatsapp', shared);
    const raw = JSON.stringify({
      sent: [mine, second, theirs, { account: 'nobody' }].map(({ account }) => ({
        account,
        events: [written(`to ${account}`, at)],
      })),
    });
    const answer = await post(raw, shared.secret);
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, '<coo/>', 'text/xml']);
    expect((await inboundOf(tenant)).map((row) => row.channel_id)).toEqual([mine.id, second.id]);
    expect(await inboundOf(unknownSenders)).toEqual([]);
    await server.settle();
    expect(await textsOf(tenant)).toEqual([mine, second].map(({ account }) => `to ${account}`).toSorted());
    const chats = await tenant.post('/v3/chats/search', { query: `eq(channelId,"${silent.id}")` });
    expect(chats.body.data).toEqual([]);
  });

  it('W1: unsigned, wrongly signed, signed for another channel, or for an unknown one is 401, and nothing is stored', async () => {
    const tenant = await server.tenant();
    const channel = await pigeonChannel(tenant);
    const other = await pigeonChannel(tenant);
    const about = (account: string) => JSON.stringify({ sent: [{ account, events: [written('x', at)] }] });
    const tooMany = JSON.stringify({
      sent: Array.from({ length: 1001 }, (_, number) => ({
        account: number === 0 ? channel.account : `account ${number}`,
        events: [],
      })),
    });
    const answers = [
      await server.call('POST', '/providers/pigeon', { raw: about(channel.account) }),
      await post(about(channel.account), 'wrong'),
      await post(about(channel.account), other.secret),
      await post(about('nobody'), channel.secret),
      await post('no JSON', channel.secret),
      await post('{}', channel.secret),
      await post('', channel.secret),
      await post(JSON.stringify({ sent: [{ account: { $ne: 1 } }, { account: '\0' }] }), channel.secret),
      await post(tooMany, channel.secret),
      await server.call('POST', '/providers/swallow', { raw: about(channel.account) }),
      await server.call('POST', `/providers/pigeon/${other.id}`, {
        raw: about(channel.account),
        headers: pigeonHeaders(about(channel.account), channel.secret),
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
    expect(await inboundOf(tenant)).toEqual([]);
  });

  it('reaches the other channels if one of them was just deleted', async () => {
    const tenant = await server.tenant();
    const shared = { secret: `shared-${tenant.id}` };
    const [gone, there] = [
      await pigeonChannel(tenant, 'sms', shared),
      await pigeonChannel(tenant, 'sms', shared),
    ];
    const raw = JSON.stringify({
      sent: [gone, there].map(({ account }) => ({ account, events: [written(account, at)] })),
    });
    expect((await post(raw, shared.secret)).status).toBe(200);
    await tenant.delete(`/v3/channels/${gone.id}`);
    expect((await post(raw, shared.secret)).status).toBe(200);
    await server.settle();
    expect(await textsOf(tenant)).toEqual([there.account]);
  });

  it('may call many times at once: each request is stored as it came, and answered separately', async () => {
    const tenant = await server.tenant();
    const kept = await pigeonChannel(tenant);
    const gone = await pigeonChannel(tenant);
    await postEvents(server, gone, written('before', at));
    expect((await tenant.call('DELETE', `/v3/channels/${gone.id}`)).status).toBe(200);
    const bodies = [kept, gone].flatMap(({ account }) =>
      Array.from({ length: 30 }, (_, number) => ({
        account,
        raw: JSON.stringify({ sent: [{ account, events: [written(`${account} ${number}`, at)] }] }),
      })),
    );
    const answers = await Promise.all(
      bodies.map(async ({ account, raw }, index) => {
        const secret = account === kept.account ? kept.secret : gone.secret;
        const { status } = await post(raw, index % 3 === 0 ? 'wrong' : secret);
        return { raw, status };
      }),
    );
    const isTaken = (index: number): boolean => index < 30 && index % 3 !== 0;
    expect(answers.map(({ status }) => status)).toEqual(
      bodies.map((_, index) => (isTaken(index) ? 200 : 401)),
    );
    const stored = await inboundOf(tenant);
    expect(stored.map(({ body }) => String(body)).toSorted()).toEqual(
      bodies
        .filter((_, index) => isTaken(index))
        .map(({ raw }) => raw)
        .toSorted(),
    );
  });

  it('is stored with its content type and x-headers, and no others', async () => {
    const tenant = await server.tenant();
    const channel = await pigeonChannel(tenant);
    const raw = JSON.stringify({ sent: [{ account: channel.account, events: [] }] });
    await server.call('POST', `/providers/pigeon/${channel.id}?once=%20`, {
      raw,
      headers: {
        ...pigeonHeaders(raw, channel.secret),
        'content-type': 'text/pigeon',
        cookie: 'session=1',
        authorization: 'Bearer x',
        'x-more': 'yes',
      },
    });
    expect(await inboundOf(tenant)).toMatchObject([
      {
        url: `https://parley.test/providers/pigeon/${channel.id}?once=%20`,
        headers: { 'content-type': 'text/pigeon', 'x-more': 'yes', 'x-pigeon': expect.any(String) },
      },
    ]);
    expect(JSON.stringify((await inboundOf(tenant))[0]?.headers)).not.toMatch(/cookie|authorization/);
  });

  it('may send bodies up to the limit of the vendor', async () => {
    const tenant = await server.tenant();
    const channel = await pigeonChannel(tenant);
    const long = written('long', at, { text: 'x'.repeat(2_000_000) });
    await postEvents(server, channel, long);
    const tooLong = 'x'.repeat(4_000_001);
    const refused = await server.call('POST', `/providers/pigeon/${channel.id}`, {
      raw: tooLong,
      headers: pigeonHeaders(tooLong, channel.secret),
    });
    expect(refused.status).toBe(413);
  });
});

describe('the vendor key of a channel', () => {
  it('belongs to one channel of all tenants once the vendor has confirmed it, and is refused without revealing which', async () => {
    const tenant = await server.tenant();
    const others = await server.tenant();
    const theirs = await pigeonChannel(others);
    expect((await others.post(`/v3/channels/${theirs.id}/check`)).body.data.ok).toBe(true);
    const mine = await pigeonChannel(tenant);
    const taken = { config: { account: theirs.account, secret: 'x' } };
    const made = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'pigeon',
      name: 'a',
      address: 'a',
      ...taken,
    });
    const changed = await tenant.put(`/v3/channels/${mine.id}`, taken);
    for (const answer of [made, changed]) {
      expect(answer.status).toBe(400);
      expect(answer.body.error.invalidParams).toEqual({
        'config.account': { key: 'custom', message: 'Another channel already has this one' },
      });
      expect(answer.text).not.toContain(theirs.id);
    }
    expect((await tenant.put(`/v3/channels/${mine.id}`, { name: 'b' })).status).toBe(200);
    await postEvents(server, mine, written('still mine', at));
  });

  it('is found by its new value after a change', async () => {
    const tenant = await server.tenant();
    const channel = await pigeonChannel(tenant);
    const account = `new-${channel.account}`;
    expect((await tenant.put(`/v3/channels/${channel.id}`, { config: { account } })).status).toBe(200);
    const raw = JSON.stringify({ sent: [{ account, events: [written('x', at)] }] });
    expect((await post(raw, channel.secret)).status).toBe(200);
    expect((await post(raw.replace(account, channel.account), channel.secret)).status).toBe(401);
  });
});

describe('a vendor’s first call', () => {
  const ask = (place: string, query: string) => server.call('GET', `/providers/${place}?${query}`);

  it('gets its challenge as text if the token is known', async () => {
    const tenant = await server.tenant();
    const channel = await pigeonChannel(tenant, 'sms', { verifyToken: 'open sesame' });
    for (const place of ['pigeon', `pigeon/${channel.id}`]) {
      const answer = await ask(place, 'token=open%20sesame&challenge=%3Cb%3E1158');
      expect([answer.status, answer.text]).toEqual([200, '<b>1158']);
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
    await tenant.put(`/v3/channels/${channel.id}`, { config: { verifyToken: 'another' } });
    expect((await ask('pigeon', 'token=open%20sesame&challenge=1')).status).toBe(403);
    expect((await ask('pigeon', 'token=another&challenge=1')).status).toBe(200);
  });

  it('is refused with an empty answer otherwise', async () => {
    const tenant = await server.tenant();
    const channel = await pigeonChannel(tenant, 'sms', { verifyToken: 'mine' });
    const other = await pigeonChannel(tenant, 'sms', { verifyToken: 'theirs' });
    const without = await pigeonChannel(tenant);
    const wrong = [
      ['pigeon', 'token=wrong&challenge=1'],
      ['pigeon', 'token=&challenge=1'],
      ['pigeon', 'token=mine'],
      ['pigeon', ''],
      ['pigeon', 'token=mine&token=theirs&challenge=1'],
      [`pigeon/${other.id}`, 'token=mine&challenge=1'],
      [`pigeon/${without.id}`, 'token=&challenge=1'],
      [`pigeon/${without.id}`, 'token=undefined&challenge=1'],
      ['pigeon/x', 'token=mine&challenge=1'],
      ['swallow', 'token=mine&challenge=1'],
      [`swallow/${channel.id}`, 'token=mine&challenge=1'],
    ] as const;
    for (const [place, query] of wrong) {
      const answer = await ask(place, query);
      expect([place, query, answer.status, answer.text]).toEqual([place, query, 403, '']);
    }
  });
});
