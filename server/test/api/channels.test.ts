import { beforeEach, describe, expect, it } from 'vitest';
import { mergeConfig } from '../../src/providers/adapter-channel.ts';
import { adapters } from '../../src/providers/adapters.ts';
import { listener } from '../kit/events.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { ACCOUNT, TOKEN, useTwilio } from '../kit/twilio.ts';

const server = await useServer();
const { db } = server.system;
const receiver = await useReceiver();

let tenant: TestTenant;
beforeEach(async () => {
  receiver.received.length = 0;
  tenant = await server.tenant();
});

const make = async (more: object = {}) =>
  (
    await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'sandbox',
      name: 'Support',
      address: '+15550009999',
      ...more,
    })
  ).body.data;

async function configOf(channelId: string): Promise<Record<string, unknown>> {
  const { rows } = await db.query('select config_encrypted from channels where id = $1', [channelId]);
  return JSON.parse(server.keys.decrypt(rows[0]?.config_encrypted as Buffer, 'channels.config'));
}

const write = (channelId: string, from = '+15550001111') =>
  tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'hello' });

describe('a channel', () => {
  it('is found by every field', async () => {
    const channel = await make({ name: 'Sales desk' });
    await make({ kind: 'email', address: 'help@example.com' });
    const found = async (body: object): Promise<string[]> =>
      (await tenant.post('/v3/channels/search', body)).body.data.map((one: { name: string }) => one.name);
    for (const query of [
      'eq(kind,"sms")',
      'and(eq(provider,"sandbox"),startsWith(name,"sales"))',
      'eq(address,"+15550009999")',
      `in(id,"${channel.id}")`,
    ])
      expect([query, await found({ query })]).toEqual([query, ['Sales desk']]);
    expect(await found({ query: 'eq(health,"healthy")', sortBy: 'asc(name)' })).toEqual([
      'Sales desk',
      'Support',
    ]);
    expect(await found({ search: 'example.com' })).toEqual(['Support']);
    expect(await found({ search: channel.id })).toEqual(['Sales desk']);
    expect((await tenant.post('/v3/channels/search', { query: 'isNull(config)' })).status).toBe(400);
  });

  it('of an unknown provider is refused with a list of the known ones', async () => {
    const answer = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'pigeon',
      name: 'a',
      address: 'a',
    });
    expect(answer.body.error.invalidParams).toEqual({
      provider: {
        key: 'invalid_enum_value',
        message: `Must be one of ${[...adapters.keys()].map((name) => `"${name}"`).join(', ')}, received "pigeon"`,
      },
    });
  });

  it('keeps the fields that a change does not contain, and accepts its own kind and provider', async () => {
    const channel = await make();
    server.clock.advance(1000);
    const renamed = await tenant.put(`/v3/channels/${channel.id}`, { name: 'Sales', kind: 'sms' });
    expect(renamed.body.data).toEqual({
      ...channel,
      name: 'Sales',
      updatedAt: server.clock.now().toISOString(),
    });
    const moved = await tenant.put(`/v3/channels/${channel.id}`, { address: '+15550008888' });
    expect(moved.body.data).toMatchObject({ name: 'Sales', address: '+15550008888' });
    expect((await tenant.get(`/v3/channels/${channel.id}`)).body.data).toEqual(moved.body.data);
  });

  it('cannot change its kind or provider', async () => {
    const channel = await make();
    const { body } = await tenant.put(`/v3/channels/${channel.id}`, {
      name: 'Sales',
      kind: 'email',
      provider: 'twilio',
    });
    expect(body.error.invalidParams).toEqual({
      kind: { key: 'custom', message: 'Cannot be changed from "sms"' },
      provider: { key: 'custom', message: 'Cannot be changed from "sandbox"' },
    });
    expect((await tenant.get(`/v3/channels/${channel.id}`)).body.data).toEqual(channel);
  });

  it('keeps the settings that a change does not contain, and those of the adapter in any case', async () => {
    const channel = await make({ config: { statusDelayMs: 50 } });
    const { signingSecret } = await configOf(channel.id);
    const change = (config: object) => tenant.put(`/v3/channels/${channel.id}`, { config });
    await change({ unheardOf: 1, signingSecret: 'planted' });
    expect(await configOf(channel.id)).toEqual({ statusDelayMs: 50, signingSecret });
    await change({ statusDelayMs: 70 });
    expect(await configOf(channel.id)).toEqual({ statusDelayMs: 70, signingSecret });
    const answer = await change({ statusDelayMs: null });
    expect(await configOf(channel.id)).toEqual({ signingSecret });
    expect(answer.body.data).not.toHaveProperty('config');
    expect((await write(channel.id)).status).toBe(200);
  });

  it.each([
    -1,
    1.5,
    '200',
    3_600_001,
    {},
    [],
  ])('refuses a statusDelayMs of %j, on creation and on update', async (statusDelayMs) => {
    const channel = await make();
    const before = await configOf(channel.id);
    const config = { statusDelayMs };
    for (const answer of [
      await tenant.put(`/v3/channels/${channel.id}`, { name: 'other', config }),
      await tenant.post('/v3/channels', {
        kind: 'sms',
        provider: 'sandbox',
        name: 'a',
        address: 'a',
        config,
      }),
    ])
      expect(answer.body.error.invalidParams).toEqual({
        'config.statusDelayMs': {
          key: 'custom',
          message: 'Must be a whole number of milliseconds from 0 to 3600000',
        },
      });
    expect(await configOf(channel.id)).toEqual(before);
    expect((await tenant.get(`/v3/channels/${channel.id}`)).body.data).toEqual(channel);
    expect((await tenant.post('/v3/channels/search', {})).body.pagination.total).toBe(1);
  });

  it('is checked: all problems are returned, and nothing is changed', async () => {
    const good = await make();
    expect((await tenant.post(`/v3/channels/${good.id}/check`)).body.data).toEqual({
      ok: true,
      problems: [],
    });
    const bad = await make({ kind: 'email' });
    expect((await tenant.post(`/v3/channels/${bad.id}/check`)).body.data).toEqual({
      ok: false,
      problems: [{ path: 'address', message: 'Must be an email address' }],
    });
    expect((await tenant.get(`/v3/channels/${bad.id}`)).body.data).toEqual(bad);
    await tenant.put(`/v3/channels/${bad.id}`, { address: 'help@example.com' });
    expect((await tenant.post(`/v3/channels/${bad.id}/check`)).body.data.ok).toBe(true);
  });
});

describe('the health of a channel', () => {
  it('is shown with its problem, and can be searched', async () => {
    const [failing, healthy] = [await make(), await make()];
    expect(healthy).toMatchObject({ health: 'healthy', problem: null });
    const problem = 'The access token has expired';
    await db.query("update channels set health = 'failing', problem = $2 where id = $1", [
      failing.id,
      problem,
    ]);
    const found = await tenant.post('/v3/channels/search', { query: 'eq(health,"failing")' });
    expect(found.body.data).toEqual([{ ...failing, health: 'failing', problem }]);
    expect((await tenant.get(`/v3/channels/${failing.id}`)).body.data.problem).toBe(problem);
  });

  describe('with a vendor', async () => {
    const vendor = await useTwilio();
    const makeWith = (config: object = {}) =>
      make({
        provider: 'twilio',
        config: {
          accountSid: ACCOUNT,
          authToken: TOKEN,
          from: '+15550009999',
          baseUrl: vendor.url,
          ...config,
        },
      });
    const healthOf = async ({ id }: { id: string }) =>
      (await tenant.get(`/v3/channels/${id}`)).body.data.health;

    it('is unchecked until a check finds no problem', async () => {
      const channel = await makeWith({ authToken: 'wrong' });
      expect(channel).toMatchObject({ health: 'unchecked', problem: null });
      expect((await tenant.post(`/v3/channels/${channel.id}/check`)).body.data.ok).toBe(false);
      expect(await healthOf(channel)).toBe('unchecked');
      await tenant.put(`/v3/channels/${channel.id}`, { config: { authToken: TOKEN } });
      const hear = listener(server, tenant);
      expect((await tenant.post(`/v3/channels/${channel.id}/check`)).body.data.ok).toBe(true);
      expect(await healthOf(channel)).toBe('healthy');
      expect(await hear()).toMatchObject([{ type: 'channel.health_changed', data: { health: 'healthy' } }]);
    });

    it('is unchecked until a message is sent', async () => {
      const channel = await makeWith();
      await tenant.post('/v3/messages', {
        channelId: channel.id,
        to: '+15550001111',
        text: 'Hello',
      });
      await server.settle();
      expect(await healthOf(channel)).toBe('healthy');
    });

    it('stays failing after a check: only a message shows that it can send', async () => {
      const channel = await makeWith();
      await db.query("update channels set health = 'failing', problem = 'No credit' where id = $1", [
        channel.id,
      ]);
      expect((await tenant.post(`/v3/channels/${channel.id}/check`)).body.data.ok).toBe(true);
      expect(await healthOf(channel)).toBe('failing');
    });
  });

  it('is not changed by a check, which is replayed for the same Idempotency-Key', async () => {
    const channel = await make({ kind: 'email' });
    const check = () =>
      tenant.post(`/v3/channels/${channel.id}/check`, undefined, { headers: { 'idempotency-key': 'k' } });
    const first = await check();
    expect(first.body.data.ok).toBe(false);
    await tenant.put(`/v3/channels/${channel.id}`, { address: 'help@example.com' });
    const again = await check();
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect((await tenant.get(`/v3/channels/${channel.id}`)).body.data.health).toBe('healthy');
    // A check of an unknown channel does not use up the key.
    const unknown = '/v3/channels/019a82a0-0000-7000-8000-00000000ffff/check';
    for (const _ of [1, 2])
      expect(
        (await tenant.post(unknown, undefined, { headers: { 'idempotency-key': 'k' } })).body.error
          .messageKey,
      ).toBe('channel_not_found');
  });
});

describe('a deleted channel', () => {
  const rowsOf = async (channelId: string): Promise<number> => {
    const { rows } = await db.query(
      `select (select count(*) from chats where channel_id = $1) + (select count(*) from messages where channel_id = $1)
            + (select count(*) from vendor_messages where channel_id = $1) + (select count(*) from inbound where channel_id = $1)
            + (select count(*) from message_templates where channel_id = $1) as n`,
      [channelId],
    );
    return Number(rows[0]?.n);
  };

  it('is deleted with everything that came over it and nothing else', async () => {
    const [channel, other] = [await make(), await make()];
    for (const { id } of [channel, other]) {
      await write(id);
      await tenant.post('/v3/message_templates', { channelId: id, name: 'a', language: 'en', body: 'a' });
    }
    await server.settle();
    // This one is still waiting to be processed.
    await write(channel.id, '+15550002222');
    const otherRows = await rowsOf(other.id);
    expect(otherRows).toBe(4);
    expect(await rowsOf(channel.id)).toBe(5);
    const gone = await tenant.delete(`/v3/channels/${channel.id}`);
    expect(gone.body.data).toEqual({ deletedIds: [channel.id], notFoundIds: [], jobId: null });
    expect(await rowsOf(channel.id)).toBe(0);
    expect(await rowsOf(other.id)).toBe(otherRows);
    expect((await tenant.get(`/v3/channels/${channel.id}`)).body.error.messageKey).toBe('channel_not_found');
    expect((await tenant.delete(`/v3/channels/${channel.id}`)).body.data.notFoundIds).toEqual([channel.id]);
    const contacts = await db.query('select 1 from contacts where tenant_id = $1', [tenant.id]);
    expect(contacts.rows).toHaveLength(1);
    await server.settle();
    expect(await rowsOf(channel.id)).toBe(0);
  });

  it('accepts no requests, even while it is cached', async () => {
    const channel = await make();
    expect((await write(channel.id)).status).toBe(200);
    await tenant.delete(`/v3/channels/${channel.id}`);
    expect((await write(channel.id)).body.error.messageKey).toBe('channel_not_found');
    await server.settle();
    expect(await rowsOf(channel.id)).toBe(0);
  });

  it('leaves webhooks that are limited to it without events of other channels', async () => {
    const [channel, other] = [await make(), await make()];
    const subscribe = (ids: string[], path: string) =>
      tenant.post('/v3/api_webhooks', {
        url: `${receiver.url}${path}`,
        events: [{ type: 'message.received', scopes: [{ type: 'channel', ids }] }],
      });
    await subscribe([channel.id], '?one');
    const both = await subscribe([channel.id, other.id], '?both');
    await tenant.delete(`/v3/channels/${channel.id}`);
    await write(other.id);
    await server.settle();
    expect(receiver.received.map(({ body }) => body.channelId)).toEqual([other.id]);
    const kept = await tenant.get(`/v3/api_webhooks/${both.body.data.id}`);
    expect(kept.body.data.events[0].scopes[0].ids).toEqual([channel.id, other.id]);
  });

  it('is deleted completely while its customers write', async () => {
    const channel = await make();
    await write(channel.id, '+15550002000');
    await server.settle();
    const writing = Array.from({ length: 40 }, (_, n) => write(channel.id, `+155500020${10 + n}`));
    const working = server.settle();
    const [gone, ...answers] = await Promise.all([tenant.delete(`/v3/channels/${channel.id}`), ...writing]);
    await working;
    expect(gone.body.data.deletedIds).toEqual([channel.id]);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    await server.settle();
    expect(await rowsOf(channel.id)).toBe(0);
  });

  it('with more chats than one statement deletes is deleted completely', async () => {
    const channel = await make();
    const of = [tenant.id, channel.id];
    // The nth contact, handle and chat of the channel have the same id.
    const id = `md5($2::uuid::text || n)::uuid`;
    const numbers = 'generate_series(1, 4500) n';
    await db.query(
      `with made as (insert into contacts (id, tenant_id, is_subscribed, metadata, created_at, updated_at)
         select ${id}, $1, true, '{}', now(), now() from ${numbers})
       insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
         select ${id}, $1, ${id}, 'phone_number', '+' || n, true, '{}', now(), now() from ${numbers}`,
      of,
    );
    await db.query(
      `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
         select ${id}, $1, $2, ${id}, ${id}, 'open', now(), now() from ${numbers}`,
      of,
    );
    await db.query(
      `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, media, content, status,
                             timestamp, created_at, updated_at)
         select gen_random_uuid(), $1, ${id}, $2, ${id}, 'inbound', 'contact', 'text', '[]', '{}', 'delivered', now(), now(), now()
           from ${numbers}`,
      of,
    );
    expect(await rowsOf(channel.id)).toBe(9_000);
    expect((await tenant.delete(`/v3/channels/${channel.id}`)).status).toBe(200);
    await server.settle();
    expect(await rowsOf(channel.id)).toBe(0);
  });
});

describe('settings', () => {
  it('are merged at any depth; lists and scalars are replaced, null removes', () => {
    const stored = {
      from: 'a@example.com',
      smtp: { host: 'h', password: 'old', list: [1, 2] },
      imap: { host: 'i' },
    };
    expect(
      mergeConfig(stored, { smtp: { password: 'new', list: [3] }, imap: null, extra: { a: { b: null } } }),
    ).toEqual({
      from: 'a@example.com',
      smtp: { host: 'h', password: 'new', list: [3] },
      extra: { a: {} },
    });
    expect(mergeConfig({ smtp: 'text' }, { smtp: { host: 'h' } })).toEqual({ smtp: { host: 'h' } });
    expect(stored.smtp.password).toBe('old');
  });
});
