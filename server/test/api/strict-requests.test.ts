import { describe, expect, it } from 'vitest';
import { maskedOperations } from '../../src/http/unknown-routes.ts';
import { bodyFor, createFixtures, headersFor, pathOf, tokenFor } from '../kit/route-calls.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const { routes } = server.system.app;
const fixtures = await createFixtures(server);
const { tenant } = fixtures;
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
/** Answers what is wrong with a definition, unknown keys too: api/automations-check. */
const CHECK = '/v3/automations/check';
const withBody = routes
  .filter(({ spec }) => spec.body && !spec.path.startsWith('/v2/') && spec.path !== CHECK)
  .map((route) => [`${route.spec.method} ${route.spec.path}`, route] as const);

describe('a key that nobody knows', () => {
  it.each(withBody)('is refused by %s', async (_, route) => {
    const body = { ...(bodyFor(route, fixtures) as object), nobodyKnowsThis: true };
    const answer = await server.call(
      route.spec.method,
      pathOf(route, () => UNKNOWN),
      {
        token: tokenFor(route, tenant),
        headers: headersFor(route, fixtures),
        body,
      },
    );
    expect([answer.status, answer.body.error.messageKey]).toEqual([400, 'invalid_body_params']);
    expect(answer.body.error.invalidParams).toEqual({
      nobodyKnowsThis: {
        key: 'unrecognized_keys',
        message: expect.stringMatching(/^Not a known key; did you mean "\w+"\?$/),
      },
    });
  });

  it('is named with its path and the nearest known key, and nothing is stored or sent', async () => {
    const { chatId } = fixtures.ids;
    const count = async () => (await tenant.post('/v3/messages/search', {})).body.pagination.total;
    const before = await count();
    const send = (body: object) => tenant.post(`/v3/chats/${chatId}/messages`, body);
    expect((await send({ text: 'for us only', private: true })).body.error.invalidParams).toHaveProperty(
      'private.key',
      'unrecognized_keys',
    );
    expect((await send({ txt: 'hello' })).body.error.invalidParams.txt.message).toBe(
      'Not a known key; did you mean "text"?',
    );
    const media = { url: 'https://example.com/a.png', capton: 'a' };
    for (const [given, path] of [
      [media, 'media.capton'],
      [[media], 'media.0.capton'],
    ] as const)
      expect(Object.keys((await send({ media: given })).body.error.invalidParams)).toEqual([path]);
    expect(await count()).toBe(before);
    const campaign = await tenant.post('/v3/campaigns', {
      ...(bodyFor(routeOf('POST', '/v3/campaigns'), fixtures) as object),
      scheduled_at: '2027-01-01T00:00:00Z',
    });
    expect(campaign.body.error.invalidParams.scheduled_at.message).toContain('"scheduledAt"');
    const token = await tenant.post('/v3/tokens', { name: 'x', scopes: ['*'], expiresInSeconds: 1 });
    expect(token.body.error.invalidParams.expiresInSeconds.key).toBe('unrecognized_keys');
  });

  it('is refused in the address, where it could mean the opposite', async () => {
    const { id } = (await tenant.post('/v3/labels', { name: 'Precious' })).body.data;
    const { status, body } = await tenant.delete(`/v3/labels/${id}?forse=true`);
    expect([status, body.error.invalidParams]).toEqual([
      400,
      { forse: { key: 'unrecognized_keys', message: expect.stringContaining('"force"') } },
    ]);
    expect((await tenant.delete(`/v3/labels/${id}?force=false&tenantId=${tenant.id}`)).status).toBe(200);
    const stream = await tenant.get('/v3/events/stream?type=message.received');
    expect(stream.body.error.invalidParams.type.message).toContain('"types"');
  });

  it('is refused inside the steps and the trigger of an automation', async () => {
    const create = async (end: object) => {
      const { body } = await tenant.post('/v3/automations', {
        name: 'Strict',
        trigger: { type: 'message_received', parameters: { keyword: 'hello' } },
        steps: [
          { id: 'say', type: 'send_message', parameters: { text: 'hello', medai: {}, channelId: null } },
          { id: 'end', type: 'end', ...end },
        ],
      });
      return Object.keys(body.error.invalidParams).sort();
    };
    expect(await create({ nxt: 'say' })).toEqual(['steps.1.nxt']);
    expect(await create({})).toEqual(['steps.0.parameters.medai', 'trigger.parameters.keyword']);
  });
});

const routeOf = (method: string, path: string) =>
  routes.find(({ spec }) => spec.method === method && spec.path === path) as (typeof routes)[number];

describe('what was read can be sent back', () => {
  it.each([
    ['a contact', () => `/v3/contacts/${fixtures.ids.contactId}`],
    ['a webhook', () => `/v3/api_webhooks/${fixtures.ids.webhookId}`],
    ['a template', () => `/v3/message_templates/${fixtures.ids.messageTemplateId}`],
    ['a team', () => `/v3/teams/${fixtures.ids.teamId}`],
    ['a channel', () => `/v3/channels/${fixtures.ids.channelId}`],
  ])('as %s: fields that only the server sets are ignored', async (_, path) => {
    const read = (await tenant.get(path())).body.data;
    const answer = await tenant.put(path(), read);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    expect(answer.body.data).toMatchObject({ id: read.id, createdAt: read.createdAt });
  });

  it('as the echo of a search', async () => {
    const { body } = await tenant.post('/v3/contacts/search', {});
    expect(body.query).toEqual({ query: null, sortBy: null, search: null });
    expect((await tenant.post('/v3/contacts/search', body.query)).status).toBe(200);
  });
});

describe('null', () => {
  it('is like a key that is left out, unless it clears a value', async () => {
    const made = await tenant.post('/v3/contacts', {
      firstName: 'Ada',
      phoneNumber: '+15550007777',
      lastName: null,
      handles: null,
      labels: null,
      isSubscribed: null,
    });
    expect([made.status, made.body.data.isSubscribed]).toEqual([200, true]);
    const { data } = (await tenant.put(`/v3/contacts/${made.body.data.id}`, { firstName: null })).body;
    expect(data.firstName).toBeNull();
  });

  it('is still refused where a value is required', async () => {
    const { error } = (await tenant.post('/v3/labels', { name: null })).body;
    expect(error.invalidParams.name.message).toBe('Expected string, received null');
  });
});

describe('a body', () => {
  it('with a whole number that JSON would round is refused, and as a text it keeps its digits', async () => {
    const create = (metadata: object) => tenant.post('/v3/contacts', { firstName: 'Ada', metadata });
    for (const number of ['9007199254740993', '-9007199254740993', '1e20']) {
      const answer = await server.call('POST', '/v3/contacts', {
        token: tenant.token,
        raw: `{"metadata":{"deep":[${number}]}}`,
      });
      expect(answer.body.error.invalidParams['metadata.deep.0'].key).toBe('too_big');
    }
    const kept = { max: Number.MAX_SAFE_INTEGER, text: '9007199254740993', half: 0.5, large: 1.5e10 };
    expect((await create(kept)).body.data.metadata).toEqual(kept);
  });

  it('may begin with a byte order mark', async () => {
    const answer = await server.call('POST', '/v3/labels', {
      token: tenant.token,
      raw: '\uFEFF{"name":"marked"}',
    });
    expect(answer.body.data.name).toBe('marked');
  });
});

describe('a path that is an operation', () => {
  const masked = maskedOperations(routes);

  it('is found where an id would be', () => {
    expect(masked).toContainEqual({ method: 'GET', path: '/v3/contacts/search' });
  });

  it.each(
    masked.map(({ method, path }) => [`${method} ${path}`, method, path] as const),
  )('%s is 405 with the methods it has', async (_, method, path) => {
    const filled = path.replaceAll(/:[^/]+/g, UNKNOWN);
    const answer = await server.call(method, filled, { token: tenant.token });
    expect([answer.status, answer.body.error.messageKey]).toEqual([405, 'method_not_allowed']);
    const own = routes.filter(({ spec }) => spec.path === path).map(({ spec }) => spec.method);
    expect(
      String(answer.headers.allow)
        .split(', ')
        .filter((one) => one !== 'HEAD'),
    ).toEqual(own.sort());
  });
});
