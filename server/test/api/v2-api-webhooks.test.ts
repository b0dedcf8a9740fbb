import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { v2TypeNames } from '../../src/webhooks/v2-types.ts';
import { useReceiver, verifySignature } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const receiver = await useReceiver();

let tenant: TestTenant;
beforeEach(async () => {
  receiver.received.length = 0;
  tenant = await server.tenant();
});

const subscribe = (type: string, more: object = {}) =>
  tenant.post('/v2/api_webhooks', { tenantId: tenant.id, type, url: receiver.url, ...more });

/** Publishes an event as a change would. */
async function happen(type: string, channelId: string): Promise<void> {
  await server.system.db.query(
    `insert into events (id, tenant_id, shard, created_at, type, channel_id, data) values ($1, $2, $3, $4, $5, $6, '{"n":1}')`,
    [newId(), tenant.id, realShardOf(tenant.id), server.clock.now(), type, channelId],
  );
  await server.settle();
}

const write = async (channelId: string, from = '+15550001111'): Promise<void> => {
  expect((await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'hello' })).status).toBe(200);
  await server.settle();
};

describe('a webhook of version 2', () => {
  it('is created with a secret that is shown once, and read without it', async () => {
    const { id: channelId } = await tenant.channel();
    const made = await subscribe('WHATSAPP_MESSAGE_RECEIVED', { channelId });
    const { secret, ...record } = made.body.data;
    expect(secret).toMatch(/^whsec_/);
    expect(record).toEqual({
      id: record.id,
      type: 'WHATSAPP_MESSAGE_RECEIVED',
      url: receiver.url,
      isActive: true,
      channelId,
      createdAt: '2026-11-15T01:02:03.456Z',
      updatedAt: '2026-11-15T01:02:03.456Z',
    });
    expect((await tenant.get('/v2/api_webhooks')).body).toEqual({ success: true, data: [record] });
  });

  it('has no channelId if it is for every channel', async () => {
    expect((await subscribe('SMS_MESSAGE_STATUS')).body.data).not.toHaveProperty('channelId');
    const [listed] = (await tenant.get('/v2/api_webhooks')).body.data;
    expect(listed).not.toHaveProperty('channelId');
  });

  it.each(v2TypeNames)('can be for %s', async (type) => {
    const made = await subscribe(type);
    expect([made.status, made.body.data.type]).toEqual([200, type]);
  });

  it('is refused with every issue at once, with the parameter names of version 2', async () => {
    const wrong = await tenant.post('/v2/api_webhooks', { type: 'message.received', url: 1, channelId: 'x' });
    expect(wrong.status).toBe(400);
    expect(wrong.body.error.invalidParams).toMatchObject({
      tenantId: { key: 'invalid_type', message: 'Required' },
      type: { key: 'invalid_enum_value' },
      url: { key: 'invalid_type' },
      channelId: { key: 'invalid_string' },
    });
    for (const type of ['EMAIL_MESSAGE_RECEIVED', 'EMAIL_MESSAGE_STATUS']) {
      const unknown = await subscribe(type, { url: 'http://10.0.0.1/', channelId: UNKNOWN });
      expect(unknown.body.error.invalidParams).toEqual({
        url: { key: 'invalid_string', message: expect.any(String) },
        channelId: { key: 'custom', message: `There is no email channel ${UNKNOWN}` },
      });
    }
    expect((await tenant.get('/v2/api_webhooks')).body.data).toEqual([]);
  });

  it('A2: cannot be for a channel of another kind, or of another tenant', async () => {
    const sms = await tenant.channel('sms');
    const theirs = await (await server.tenant()).channel();
    for (const { id } of [sms, theirs]) {
      const { body } = await subscribe('WHATSAPP_MESSAGE_RECEIVED', { channelId: id });
      expect(body.error.invalidParams).toEqual({
        channelId: { key: 'custom', message: `There is no whatsapp channel ${id}` },
      });
    }
  });

  it('A3: is forbidden for another tenant, and nothing is created', async () => {
    const other = await server.tenant();
    for (const tenantId of [other.id, UNKNOWN, 'x', '']) {
      const answer = await subscribe('SMS_MESSAGE_RECEIVED', { tenantId });
      expect([answer.status, answer.body.error.messageKey]).toEqual([403, 'forbidden']);
      expect(answer.body.error.message).toMatch(/^Forbidden: .*tenantId/);
    }
    expect((await subscribe('SMS_MESSAGE_RECEIVED', { tenantId: tenant.id.toUpperCase() })).status).toBe(200);
    expect((await tenant.get('/v2/api_webhooks')).body.data).toHaveLength(1);
    expect((await other.get('/v2/api_webhooks')).body.data).toEqual([]);
  });

  it('keeps fields that are left out, and isActive can be set and unset', async () => {
    const made = await subscribe('SMS_MESSAGE_RECEIVED');
    const path = `/v2/api_webhooks/${made.body.data.id}`;
    const change = async (body: object) => (await tenant.put(path, body)).body.data;
    const { secret: _, ...record } = made.body.data;
    expect(await change({})).toEqual(record);
    expect(await change({ isActive: false })).toEqual({ ...record, isActive: false });
    expect(await change({ url: `${receiver.url}/2` })).toMatchObject({
      url: `${receiver.url}/2`,
      isActive: false,
    });
    expect(await change({ isActive: true })).toMatchObject({ url: `${receiver.url}/2`, isActive: true });
    const wrong = await tenant.put(path, { url: 'ftp://example.com', isActive: false });
    expect(wrong.body.error.invalidParams).toMatchObject({ url: { key: 'invalid_string' } });
    expect(await change({})).toMatchObject({ isActive: true });
  });

  it('that was disabled is not active, and isActive reactivates it', async () => {
    const { id } = (await subscribe('SMS_MESSAGE_RECEIVED')).body.data;
    await server.system.db.query(`update webhooks set status = 'disabled' where id = $1`, [id]);
    expect((await tenant.get('/v2/api_webhooks')).body.data).toMatchObject([{ id, isActive: false }]);
    await tenant.put(`/v2/api_webhooks/${id}`, { isActive: true });
    expect((await tenant.get(`/v3/api_webhooks/${id}`)).body.data.status).toBe('active');
  });

  it('is deleted once', async () => {
    const { id } = (await subscribe('SMS_MESSAGE_RECEIVED')).body.data;
    const once = await tenant.delete(`/v2/api_webhooks/${id}`);
    expect(once.body).toEqual({ success: true, data: { deletedIds: [id], notFoundIds: [] } });
    const twice = await tenant.delete(`/v2/api_webhooks/${id}`);
    expect(twice.body.data).toEqual({ deletedIds: [], notFoundIds: [id] });
  });
});

describe('webhooks of both versions', () => {
  it('are all shown by version 3, and version 2 shows its own', async () => {
    const { id: channelId } = await tenant.channel();
    const old = (await subscribe('WHATSAPP_MESSAGE_STATUS', { channelId })).body.data;
    const today = await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    const all = (await tenant.post('/v3/api_webhooks/search', { sortBy: 'asc(createdAt)' })).body.data;
    const scopes = [{ type: 'channel', ids: [channelId] }];
    expect(all).toMatchObject([
      {
        id: old.id,
        v2Type: 'WHATSAPP_MESSAGE_STATUS',
        events: [
          { type: 'message.sent', scopes },
          { type: 'message.delivered', scopes },
          { type: 'message.read', scopes },
          { type: 'message.failed', scopes },
        ],
      },
      { id: today.body.data.id, events: [{ scopes: [] }] },
    ]);
    expect(all[1]).not.toHaveProperty('v2Type');
    expect((await tenant.get('/v2/api_webhooks')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      old.id,
    ]);
  });

  it('of version 3 are not found through version 2, and stay as they are', async () => {
    const made = await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    const { secret: _, ...record } = made.body.data;
    const path = `/v2/api_webhooks/${record.id}`;
    const changed = await tenant.put(path, { isActive: false });
    expect([changed.status, changed.body.error.messageKey]).toEqual([404, 'api_webhook_not_found']);
    expect((await tenant.delete(path)).body.data).toEqual({ deletedIds: [], notFoundIds: [record.id] });
    expect((await tenant.get(`/v3/api_webhooks/${record.id}`)).body.data).toEqual(record);
  });

  it('of version 2 become webhooks of version 3 when their events are set, with the same secret', async () => {
    const { id: channelId } = await tenant.channel();
    const { id, secret } = (await subscribe('WHATSAPP_MESSAGE_RECEIVED')).body.data;
    const kept = await tenant.put(`/v3/api_webhooks/${id}`, { status: 'active' });
    expect(kept.body.data.v2Type).toBe('WHATSAPP_MESSAGE_RECEIVED');
    const moved = await tenant.put(`/v3/api_webhooks/${id}`, { events: [{ type: 'message.received' }] });
    expect(moved.body.data).not.toHaveProperty('v2Type');
    expect((await tenant.get('/v2/api_webhooks')).body.data).toEqual([]);
    await write(channelId);
    const [delivery] = receiver.received as [(typeof receiver.received)[0]];
    expect(verifySignature(secret, delivery)).toMatchObject({
      type: 'message.received',
      tenantId: tenant.id,
    });
  });
});

describe('a webhook of version 2 in version 3', () => {
  it('shows the kind of channels it is for, and can be sent back as it was read', async () => {
    const { id } = (await subscribe('SMS_MESSAGE_RECEIVED')).body.data;
    const path = `/v3/api_webhooks/${id}`;
    const { data: read } = (await tenant.get(path)).body;
    expect(read.events).toEqual([
      { type: 'message.received', scopes: [{ type: 'channel_kind', ids: ['sms'] }] },
    ]);
    server.clock.advance(1_000);
    expect((await tenant.put(path, read)).body.data).toEqual(read);
    expect((await tenant.get('/v2/api_webhooks')).body.data).toMatchObject([
      { id, type: 'SMS_MESSAGE_RECEIVED' },
    ]);
  });

  it('stays with its kind when it gets other events', async () => {
    const { id } = (await subscribe('SMS_MESSAGE_RECEIVED')).body.data;
    const path = `/v3/api_webhooks/${id}`;
    const { events } = (await tenant.get(path)).body.data;
    await tenant.put(path, { events: [...events, { ...events[0], type: 'chat.created' }] });
    const [whatsapp, sms] = [await tenant.channel('whatsapp'), await tenant.channel('sms')];
    await write(whatsapp.id);
    expect(receiver.received).toEqual([]);
    await write(sms.id, '+15550002222');
    expect(receiver.received.map(({ body }) => body.type).sort()).toEqual([
      'chat.created',
      'message.received',
    ]);
  });
});

describe('a delivery of version 2', () => {
  it('is signed and has the format of version 2 with the data of version 3', async () => {
    const { id: channelId } = await tenant.channel();
    const { secret } = (await subscribe('WHATSAPP_MESSAGE_RECEIVED', { channelId })).body.data;
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'message.received' }] });
    await write(channelId);
    expect(receiver.received).toHaveLength(2);
    const old = receiver.received.find(({ body }) => body.type === 'WHATSAPP_MESSAGE_RECEIVED');
    const today = receiver.received.find(({ body }) => body.type === 'message.received');
    if (!old || !today) throw new Error('one of each');
    expect(Object.keys(old.body)).toEqual(['id', 'type', 'createdAt', 'channelId', 'data']);
    expect(verifySignature(secret, old)).toEqual(old.body);
    expect(old.headers['webhook-id']).toBe(old.body.id);
    expect(old.body).toMatchObject({ id: today.body.id, createdAt: today.body.createdAt, channelId });
    expect(old.body.data).toEqual(today.body.data);
  });

  it('is for channels of its kind, also for those created later', async () => {
    await subscribe('SMS_MESSAGE_RECEIVED');
    const [whatsapp, sms] = [await tenant.channel('whatsapp'), await tenant.channel('sms')];
    await write(whatsapp.id);
    expect(receiver.received).toEqual([]);
    await write(sms.id, '+15550002222');
    expect(receiver.received.map(({ body }) => [body.type, body.channelId])).toEqual([
      ['SMS_MESSAGE_RECEIVED', sms.id],
    ]);
  });

  it('is for one channel only if it has a channelId', async () => {
    const [first, second] = [await tenant.channel(), await tenant.channel()];
    await subscribe('WHATSAPP_MESSAGE_RECEIVED', { channelId: second.id });
    await write(first.id);
    await write(second.id);
    expect(receiver.received.map(({ body }) => body.channelId)).toEqual([second.id]);
  });

  it.each([
    [
      'EMAIL_MESSAGE_STATUS',
      'email',
      ['message.sent', 'message.delivered', 'message.read', 'message.failed'],
    ],
    ['INSTAGRAM_MESSAGE_ECHO', 'instagram', ['message.echo']],
    ['INSTAGRAM_MESSAGE_RECEIVED', 'instagram', ['message.received']],
  ])('%s is for events of channels of the kind %s', async (type, kind, names) => {
    await subscribe(type);
    const { id } = await tenant.channel(kind);
    const other = await tenant.channel(kind === 'email' ? 'sms' : 'email');
    const all = ['received', 'sent', 'delivered', 'read', 'failed', 'echo', 'updated', 'deleted'];
    for (const name of all) {
      await happen(`message.${name}`, id);
      await happen(`message.${name}`, other.id);
    }
    await happen('chat.created', id);
    expect(receiver.received.map(({ body }) => [body.type, body.channelId])).toEqual(
      names.map(() => [type, id]),
    );
    const { data } = (await tenant.post('/v3/api_webhooks/search', {})).body;
    const deliveries = await tenant.post(`/v3/api_webhooks/${data[0].id}/deliveries/search`, {
      sortBy: 'asc(createdAt)',
    });
    expect(deliveries.body.data.map(({ eventType }: { eventType: string }) => eventType).sort()).toEqual(
      [...names].sort(),
    );
  });

  it('has the same bytes on every retry', async () => {
    const { id: channelId } = await tenant.channel();
    await subscribe('WHATSAPP_MESSAGE_RECEIVED');
    receiver.answerWith(500);
    await write(channelId);
    server.clock.advance(10_000);
    await server.settle();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]?.text).toBe(receiver.received[0]?.text);
  });

  it('is not created while the webhook is not active', async () => {
    const { id: channelId } = await tenant.channel();
    const { id } = (await subscribe('WHATSAPP_MESSAGE_RECEIVED')).body.data;
    await tenant.put(`/v2/api_webhooks/${id}`, { isActive: false });
    await write(channelId);
    expect(receiver.received).toEqual([]);
    await tenant.put(`/v2/api_webhooks/${id}`, { isActive: true });
    await write(channelId);
    expect(receiver.received).toHaveLength(1);
  });
});
