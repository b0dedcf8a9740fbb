import { describe, expect, it } from 'vitest';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const strict = await useServer({
  policy: { allow: parseAllowList(''), loopback: false },
});
const url = 'https://example.com/hook';

describe('a new webhook', () => {
  it('is returned as requested, with its secret once', async () => {
    const tenant = await server.tenant();
    const [one, two] = [await tenant.channel(), await tenant.channel('sms')];
    const events = [
      {},
      { type: 'message.received' },
      { type: 'message.*', scopes: [] },
      { type: 'chat.created', scopes: [{ type: 'channel', ids: [one.id, two.id] }] },
    ];
    const made = await tenant.post('/v3/api_webhooks', { url, events });
    expect(made.body.data).toEqual({
      id: expect.any(String),
      url,
      status: 'active',
      events: events.map(({ type, scopes = [] }) => ({ ...(type === undefined ? {} : { type }), scopes })),
      failingSince: null,
      createdAt: '2026-11-15T01:02:03.456Z',
      updatedAt: '2026-11-15T01:02:03.456Z',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    });
    const { secret: _, ...shown } = made.body.data;
    expect((await tenant.get(`/v3/api_webhooks/${shown.id}`)).body.data).toEqual(shown);
    expect((await tenant.get(`/v3/api_webhooks/${shown.id.toUpperCase()}`)).body.data).toEqual(shown);
    const second = await tenant.post('/v3/api_webhooks', { url, events, status: 'inactive' });
    expect(second.body.data.status).toBe('inactive');
    expect(second.body.data.secret).not.toBe(made.body.data.secret);
  });

  it('has each channel once, in upper or lower case', async () => {
    const tenant = await server.tenant();
    const { id } = await tenant.channel();
    const scopes = [
      { type: 'channel', ids: [id, id.toUpperCase()] },
      { type: 'channel', ids: [id] },
    ];
    const made = await tenant.post('/v3/api_webhooks', { url, events: [{ scopes }] });
    expect(made.body.data.events).toEqual([{ scopes: [{ type: 'channel', ids: [id] }] }]);
  });

  it('is refused with every issue at once', async () => {
    const tenant = await server.tenant();
    const unknown = '019a82a0-0000-7000-8000-00000000ffff';
    const answer = await tenant.post('/v3/api_webhooks', {
      url: 'ftp://example.com',
      events: [{ type: 'message.flown' }, { scopes: [{ type: 'channel', ids: [unknown] }] }],
    });
    expect(answer.body.error.invalidParams).toEqual({
      url: { key: 'invalid_string', message: expect.stringContaining('https://') },
      'events.0.type': { key: 'invalid_enum_value', message: expect.stringContaining('"message.flown"') },
      'events.1.scopes.0.ids.0': { key: 'custom', message: `There is no channel ${unknown}` },
    });
    const shapes = await tenant.post('/v3/api_webhooks', {
      url: 7,
      status: 'disabled',
      events: [{ type: '', scopes: [{ type: 'user', ids: [] }, { ids: ['x'] }] }, 7],
    });
    expect(shapes.body.error.invalidParams).toMatchObject({
      url: { key: 'invalid_type' },
      status: { key: 'invalid_enum_value' },
      'events.0.type': { key: 'too_small' },
      'events.0.scopes.0.type': { key: 'invalid_enum_value' },
      'events.0.scopes.0.ids': { key: 'too_small' },
      'events.0.scopes.1.type': { key: 'invalid_type', message: 'Required' },
      'events.0.scopes.1.ids.0': { key: 'invalid_string' },
      'events.1': { key: 'invalid_type', message: 'Expected object, received integer' },
    });
    expect(
      (await tenant.post('/v3/api_webhooks', { url, events: [] })).body.error.invalidParams,
    ).toMatchObject({
      events: { key: 'too_small' },
    });
  });

  it.each([
    'chat',
    'chat.',
    '.created',
    'message',
    'x*',
    'MESSAGE.RECEIVED',
    '*.created',
    'message.*.x',
  ])('for %s could never match and is refused', async (type) => {
    const tenant = await server.tenant();
    const answer = await tenant.post('/v3/api_webhooks', { url, events: [{ type }] });
    expect(answer.body.error.invalidParams).toMatchObject({
      'events.0.type': { key: 'invalid_enum_value' },
    });
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://０１７７.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://localhost/',
    'http://a.localhost./',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://168.63.129.16/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:password@example.com/',
    '//example.com',
    'example.com',
  ])('S1: may not point to %s', async (target) => {
    const tenant = await strict.tenant();
    const answer = await tenant.post('/v3/api_webhooks', { url: target, events: [{}] });
    expect(answer.status).toBe(400);
    expect(answer.body.error.invalidParams).toEqual({
      url: { key: 'invalid_string', message: expect.any(String) },
    });
  });
});
