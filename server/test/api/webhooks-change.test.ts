import { beforeEach, describe, expect, it } from 'vitest';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const receiver = await useReceiver();

let tenant: TestTenant;
let channelId: string;
let hookId: string;
const write = async (): Promise<void> => {
  await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'hello' });
  await server.settle();
};

beforeEach(async () => {
  receiver.received.length = 0;
  tenant = await server.tenant();
  channelId = (await tenant.channel()).id;
  const made = await tenant.post('/v3/api_webhooks', {
    url: receiver.url,
    events: [
      { type: 'message.received' },
      { type: 'chat.*', scopes: [{ type: 'channel', ids: [channelId] }] },
    ],
  });
  hookId = made.body.data.id;
});

describe('a webhook', () => {
  it('keeps fields that are left out, and its events are replaced as a whole', async () => {
    const renamed = await tenant.put(`/v3/api_webhooks/${hookId}`, { url: `${receiver.url}/2` });
    expect(renamed.body.data.url).toBe(`${receiver.url}/2`);
    expect(renamed.body.data.events).toHaveLength(2);
    expect(renamed.body.data).not.toHaveProperty('secret');
    const narrowed = await tenant.put(`/v3/api_webhooks/${hookId}`, { events: [{ type: 'contact.*' }] });
    expect(narrowed.body.data.events).toEqual([{ type: 'contact.*', scopes: [] }]);
    expect((await tenant.get(`/v3/api_webhooks/${hookId}`)).body.data).toEqual(narrowed.body.data);
    await write();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['contact.created']);
  });

  it('is as it was after what was read is sent back: disabled, and for a channel that is gone', async () => {
    const path = `/v3/api_webhooks/${hookId}`;
    await tenant.delete(`/v3/channels/${channelId}`);
    await server.settle();
    await server.system.db.query(`update webhooks set status = 'disabled' where id = $1`, [hookId]);
    const before = (await tenant.get(path)).body.data;
    expect(before).toMatchObject({ status: 'disabled', events: [{}, { scopes: [{ ids: [channelId] }] }] });
    server.clock.advance(1_000);
    for (const body of [before, {}, { url: before.url }])
      expect((await tenant.put(path, body)).body.data).toEqual(before);
    const other = await tenant.post('/v3/api_webhooks', { url: before.url, events: before.events });
    expect(Object.keys(other.body.error.invalidParams)).toEqual(['events.1.scopes.0.ids.0']);
  });

  it('can be for all channels of a kind, also later ones, and for single channels beside them', async () => {
    const scopes = [
      { type: 'channel_kind', ids: ['sms', 'SMS'] },
      { type: 'channel', ids: [channelId] },
    ];
    const { body } = await tenant.put(`/v3/api_webhooks/${hookId}`, {
      events: [{ type: 'message.received', scopes }],
    });
    expect(body.error.invalidParams).toMatchObject({ 'events.0.scopes.0.ids.1': { key: 'invalid_string' } });
    scopes[0]?.ids.pop();
    const events = [{ type: 'message.received', scopes }];
    expect((await tenant.put(`/v3/api_webhooks/${hookId}`, { events })).body.data.events).toEqual([
      { type: 'message.received', scopes: scopes.toReversed() },
    ]);
    for (const kind of ['sms', 'email', 'whatsapp']) {
      const { id } = await tenant.channel(kind);
      const from = kind === 'email' ? 'ada@example.com' : '+15550001111';
      await tenant.post(`/v3/sandbox/${id}/inbound`, { from, text: kind });
    }
    await write();
    expect(receiver.received.map(({ body }) => body.data.text).sort()).toEqual(['hello', 'sms']);
    const wrong = [{ scopes: [{ type: 'channel_kind', ids: [channelId] }] }];
    expect(
      (await tenant.put(`/v3/api_webhooks/${hookId}`, { events: wrong })).body.error.invalidParams,
    ).toEqual({
      'events.0.scopes.0.ids.0': {
        key: 'custom',
        message: `There is no kind of channel "${channelId}". There are whatsapp, sms, email, instagram`,
      },
    });
  });

  it('is not changed if any field is invalid', async () => {
    const before = (await tenant.get(`/v3/api_webhooks/${hookId}`)).body.data;
    const { body } = await tenant.put(`/v3/api_webhooks/${hookId}`, {
      url: 'http://10.0.0.1/',
      events: [{ type: 'no.such' }],
    });
    expect(Object.keys(body.error.invalidParams)).toEqual(['url', 'events.0.type']);
    const disabled = await tenant.put(`/v3/api_webhooks/${hookId}`, { status: 'disabled' });
    expect(disabled.body.error.invalidParams.status.key).toBe('invalid_enum_value');
    expect((await tenant.get(`/v3/api_webhooks/${hookId}`)).body.data).toEqual(before);
  });

  it('that is inactive receives nothing until it is active again', async () => {
    await tenant.put(`/v3/api_webhooks/${hookId}`, { status: 'inactive' });
    await write();
    expect(receiver.received).toEqual([]);
    const { body } = await tenant.put(`/v3/api_webhooks/${hookId}`, { status: 'active' });
    expect(body.data.status).toBe('active');
    await write();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['message.received']);
  });

  it('R14: that is deleted is not called again, and its pending deliveries are cancelled', async () => {
    receiver.answerWith(500, 500);
    await write();
    expect(receiver.received).toHaveLength(2);
    const gone = await tenant.delete(`/v3/api_webhooks/${hookId}`);
    expect(gone.body.data).toEqual({ deletedIds: [hookId], notFoundIds: [] });
    server.clock.advance(24 * 3600_000);
    await server.settle();
    expect(receiver.received).toHaveLength(2);
    const { rows } = await server.system.db.query(
      'select distinct status, due_at from deliveries where webhook_id = $1',
      [hookId],
    );
    expect(rows).toEqual([{ status: 'cancelled', due_at: null }]);
    expect((await tenant.delete(`/v3/api_webhooks/${hookId}`)).body.data.notFoundIds).toEqual([hookId]);
  });

  it('with fewer events still receives earlier ones that matched when they happened, and no new ones', async () => {
    receiver.answerWith(500, 500);
    await write();
    await tenant.put(`/v3/api_webhooks/${hookId}`, { events: [{ type: 'contact.*' }] });
    await write();
    server.clock.advance(10_000);
    await server.settle();
    expect(receiver.received.map(({ body }) => body.type).toSorted()).toEqual([
      'chat.created',
      'chat.created',
      'message.received',
      'message.received',
    ]);
    expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(2);
  });

  it('is found by its url and status', async () => {
    const found = await tenant.post('/v3/api_webhooks/search', {
      query: 'eq(status,"active")',
      search: '/hook',
    });
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([hookId]);
    expect(
      (await tenant.post('/v3/api_webhooks/search', { query: 'eq(status,"inactive")' })).body.data,
    ).toEqual([]);
  });
});
