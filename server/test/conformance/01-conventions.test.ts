import { describe, expect, it } from 'vitest';
import { dataOf, invalid, refusalOf, TIMESTAMP } from './client.ts';
import * as make from './fixtures.ts';
import { useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
const tenant = await server.tenant();

describe('What the service does', () => {
  it.each(['whatsapp', 'sms', 'email', 'instagram'] as const)('has channels of the kind %s', async (kind) => {
    expect(await make.channel(tenant, kind)).toMatchObject({ kind });
  });
});

describe('General conventions', () => {
  const search = '/v3/automations/search';

  it('1: a version is the first part of a path', async () => {
    expect((await tenant.post(search, {})).status).toBe(200);
    expect(refusalOf(await tenant.post('/automations/search', {}))).toEqual([404, 'route_not_found']);
  });

  it('2: a request body is JSON with a content type', async () => {
    expect((await tenant.call('POST', search, { raw: '{}' })).status).toBe(200);
    const other = { raw: '{}', headers: { 'content-type': 'text/plain' } };
    expect(refusalOf(await tenant.call('POST', search, other))).toEqual([415, 'unsupported_media_type']);
    expect(refusalOf(await tenant.call('POST', search, { raw: '{' }))[1]).toBe('invalid_body_params');
  });

  it('3: every answer is JSON with a boolean success, also for unknown paths', async () => {
    // The client checks it.
    for (const path of ['/v3', '/v3/', '/v3/nothing', '/v3/chats', '/v3/chats/x/y/z', '/v4/chats/x'])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])
        expect((await tenant.call(method, path)).body.success).toBe(false);
  });

  it('4: a success has its payload in data', async () => {
    const { status, body } = await tenant.post(search, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, data: [] });
  });

  it('4: only the trigger of an automation has no data', async () => {
    const { id } = await make.automation(tenant);
    const { id: contactId } = await make.contact(tenant);
    const { body } = await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
    expect(body).toEqual({ success: true });
  });

  it('5: a failure has its details in error', async () => {
    const { body } = await tenant.get('/v3/chats/unknown');
    expect(body).toMatchObject({ success: false, error: { messageKey: 'chat_not_found' } });
    expect(body).not.toHaveProperty('data');
  });

  it('6: a timestamp is ISO 8601 in UTC with milliseconds, and correct', async () => {
    const before = Date.now();
    const { createdAt } = await make.contact(tenant);
    expect(createdAt).toMatch(TIMESTAMP);
    // The clocks of two machines may differ a little.
    expect(Math.abs(Date.parse(createdAt) - before)).toBeLessThan(60_000);
  });

  it('7: identifiers are strings with UUIDs', async () => {
    const chat = await make.chat(tenant);
    const { data } = (await tenant.get(`/v3/chats/${chat.id}`)).body;
    const ids = [data.id, data.channelId, data.contactId, data.handleId, data.contact.id, data.handle.id];
    for (const id of [...ids, data.latestMessage.id])
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(dataOf(await tenant.get(`/v3/contacts/${data.contactId}`)).id).toBe(data.contact.id);
  });

  it('refuses unknown fields of a body, and ignores those that only the server sets', async () => {
    const chat = await make.chat(tenant);
    const set = (body: object) => tenant.post(`/v3/chats/${chat.id}/status`, body);
    expect(refusalOf(await set({ tomorrow: ['?'] }))).toEqual(invalid({ tomorrow: 'unrecognized_keys' }));
    expect(dataOf(await set({ id: 'x', createdAt: null })).id).toBe(chat.id);
  });
});
