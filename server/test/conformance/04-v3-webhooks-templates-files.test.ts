import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, invalid, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';
import { apiWebhook as apiWebhookTable, expectFits } from './tables.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await server.tenant();
});

describe('Endpoints / v3 / PUT /api_webhooks/{webhookId}', () => {
  const change = (id: string, body?: unknown) => tenant.put(`/v3/api_webhooks/${id}`, body);
  const read = async (id: string) => dataOf(await tenant.get(`/v3/api_webhooks/${id}`));
  const url = 'http://127.0.0.1:9/other';

  it('changes url and events, and returns the webhook', async () => {
    const { id } = await make.webhook(tenant);
    const { id: channelId } = await make.channel(tenant);
    const events = [{ scopes: [{ type: 'channel', ids: [channelId] }] }];
    const changed = dataOf(await change(id, { url, events }));
    expectFits(apiWebhookTable, changed);
    expect(changed).toMatchObject({ id, url, events });
    expect(await read(id)).toEqual(changed);
  });

  it('requires none of them, and keeps what is not given', async () => {
    const { id, events } = await make.webhook(tenant);
    expect(dataOf(await change(id, {}))).toMatchObject({ id, url: make.NOBODY, events });
    expect(dataOf(await change(id, { url }))).toMatchObject({ url, events });
    const other = [{ scopes: [] }];
    expect(dataOf(await change(id, { events: other }))).toMatchObject({ url, events: other });
  });

  it('replaces the list of events', async () => {
    const { id } = await make.webhook(tenant, { events: [{ type: 'message.received' }, { type: 'chat.*' }] });
    const { events } = dataOf(await change(id, { events: [{ type: 'chat.deleted', scopes: [] }] }));
    expect(events).toEqual([{ type: 'chat.deleted', scopes: [] }]);
  });

  const scoped = (scope: unknown) => ({ events: [{ scopes: [scope] }] });
  it.each([
    ['a url that is a number', { url: 5 }, { url: 'invalid_type' }],
    ['a url that is a number', { url: 5 }, { url: 'invalid_type' }],
    ['a url that is none', { url: 'example' }, { url: 'invalid_string' }],
    ['a url of another scheme', { url: 'ftp://example.com/' }, { url: 'invalid_string' }],
    ['events that are no list', { events: {} }, { events: 'invalid_type' }],
    ['an event that is text', { events: ['message.received'] }, { 'events.0': 'invalid_type' }],
    ['scopes that are no list', { events: [{ scopes: {} }] }, { 'events.0.scopes': 'invalid_type' }],
    ['a scope without type', scoped({ ids: [randomUUID()] }), { 'events.0.scopes.0.type': 'invalid_type' }],
    [
      'a scope of an unknown type',
      scoped({ type: 'team', ids: [randomUUID()] }),
      { 'events.0.scopes.0.type': 'invalid_enum_value' },
    ],
    ['a scope without ids', scoped({ type: 'channel' }), { 'events.0.scopes.0.ids': 'invalid_type' }],
    [
      'ids that are no list',
      scoped({ type: 'channel', ids: 'x' }),
      { 'events.0.scopes.0.ids': 'invalid_type' },
    ],
    [
      'an id that is a number',
      scoped({ type: 'channel', ids: [5] }),
      { 'events.0.scopes.0.ids.0': 'invalid_type' },
    ],
    [
      'an unknown channel',
      scoped({ type: 'channel', ids: [randomUUID()] }),
      { 'events.0.scopes.0.ids.0': 'custom' },
    ],
  ])('refuses %s', async (_, body, issues) => {
    const { secret, ...webhook } = await make.webhook(tenant);
    expect(refusalOf(await change(webhook.id, body))).toEqual(invalid(issues));
    expect(await read(webhook.id)).toEqual(webhook);
  });

  it.each([randomUUID(), 'not-an-id'])('does not find %s', async (id) => {
    expect(refusalOf(await change(id, { url }))).toEqual([404, 'api_webhook_not_found']);
  });

  it('does not find the webhook of another tenant', async () => {
    const { id } = await make.webhook(await server.tenant());
    expect(refusalOf(await change(id, { url }))).toEqual([404, 'api_webhook_not_found']);
  });
});

describe('Endpoints / v3 / DELETE /api_webhooks/{webhookId}', () => {
  it('deletes the webhook', async () => {
    const { id } = await make.webhook(tenant);
    const result = dataOf(await tenant.delete(`/v3/api_webhooks/${id}`));
    expect(result).toEqual({ deletedIds: [id], notFoundIds: [] });
    expect(refusalOf(await tenant.get(`/v3/api_webhooks/${id}`))).toEqual([404, 'api_webhook_not_found']);
  });
});

describe('Endpoints / v3 / DELETE /message_templates/{messageTemplateId}', () => {
  it('deletes the template', async () => {
    const { id } = await make.template(tenant, (await make.channel(tenant)).id);
    const path = `/v3/message_templates/${id}`;
    expect(dataOf(await tenant.get(path)).id).toBe(id);
    expect(dataOf(await tenant.delete(path))).toEqual({ deletedIds: [id], notFoundIds: [] });
    expect(refusalOf(await tenant.get(path))).toEqual([404, 'message_template_not_found']);
  });
});

describe('Endpoints / v3 / GET /files/{fileId}/public_url', () => {
  const publicUrlOf = async (id: string): Promise<string> =>
    dataOf(await tenant.get(`/v3/files/${id}/public_url`)).publicUrl;

  it('creates a URL once and always returns the same', async () => {
    const { id } = await make.file(tenant, 'stable');
    const urls = [await publicUrlOf(id), await publicUrlOf(id), await publicUrlOf(id)];
    expect(new Set(urls).size).toBe(1);
    expect(new URL(urls[0] as string).protocol).toMatch(/^https?:$/);
  });

  it('creates one URL for many requests at once', async () => {
    const { id } = await make.file(tenant, 'asked for by many');
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => publicUrlOf(id)))).size).toBe(1);
  });

  it('gives every file a URL of its own', async () => {
    const [one, two] = [await make.file(tenant, 'same bytes'), await make.file(tenant, 'same bytes')];
    expect(await publicUrlOf(one.id)).not.toBe(await publicUrlOf(two.id));
  });

  it('serves the bytes of the file without a token', async () => {
    const { id } = await make.file(tenant, 'the bytes of the file');
    const response = await fetch(await publicUrlOf(id));
    expect([response.status, await response.text()]).toEqual([200, 'the bytes of the file']);
  });

  it.each([randomUUID(), 'not-an-id'])('does not find %s', async (id) => {
    expect(refusalOf(await tenant.get(`/v3/files/${id}/public_url`))).toEqual([404, 'file_not_found']);
  });

  it('does not find the file of another tenant', async () => {
    const { id } = await make.file(await server.tenant(), 'not yours');
    expect(refusalOf(await tenant.get(`/v3/files/${id}/public_url`))).toEqual([404, 'file_not_found']);
  });
});
