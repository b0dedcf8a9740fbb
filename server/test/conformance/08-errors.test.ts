import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { named, v3Operations } from './operations.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await server.tenant();
});

const KEYS = [
  'invalid_body_params',
  'unauthorized',
  'insufficient_billing_plan',
  'forbidden',
  'contact_not_found',
  'too_many_requests',
  'internal_error',
];

/** Calls until the limit is reached. More than twice the limit is enough even if a minute ends in between. */
async function exhaust(rateLimit: number): Promise<Answer> {
  const limited = await server.tenant({ rateLimit });
  for (let at = 0; at <= 2 * rateLimit; at++) {
    const answer = await limited.get('/v3/me');
    if (answer.status === 429) return answer;
  }
  throw new Error('The limit was not reached.');
}

describe('Errors', () => {
  it('a failure has a messageKey and a message', async () => {
    const { body } = await tenant.get(`/v3/chats/${randomUUID()}`);
    expect(body.success).toBe(false);
    expect(body.error).toMatchObject({ messageKey: 'chat_not_found', message: 'Chat not found' });
  });

  it('invalidParams maps the name of a parameter to a key and a message', async () => {
    const { id } = await make.contact(tenant);
    const { body } = await tenant.post(`/v3/contacts/${id}/labels`, { labels: [{ id: 'vip' }] });
    expect(body.error.invalidParams).toEqual({
      'labels.0.id': { key: 'invalid_string', message: expect.any(String) },
    });
  });

  it('invalidParams comes with invalid_body_params, and with nothing else', async () => {
    const { body: invalid } = await tenant.post('/v3/automations/search', { query: 5 });
    expect(invalid.error).toMatchObject({
      messageKey: 'invalid_body_params',
      invalidParams: expect.any(Object),
    });
    const { body: missing } = await tenant.get('/v3/chats/unknown');
    expect(missing.error).not.toHaveProperty('invalidParams');
  });

  it('invalid_body_params: the request is wrong', async () => {
    const { status, body } = await tenant.post('/v3/automations/search', { search: {} });
    expect([status, body.error.messageKey]).toEqual([400, 'invalid_body_params']);
    expect(body.error.message).toMatch(/^Invalid body params/);
  });

  it('unauthorized: the credentials are missing or wrong', async () => {
    const { status, body, headers } = await server.call('POST', '/v3/automations/search', { body: {} });
    expect([status, body.error.messageKey]).toEqual([401, 'unauthorized']);
    expect(body.error.message).toMatch(/^Unauthorized/);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('insufficient_billing_plan: the plan lacks the feature', async () => {
    const free = await server.tenant({ plan: 'free' });
    const { status, body } = await free.post('/v3/automations/search', {});
    expect([status, body.error.messageKey]).toEqual([402, 'insufficient_billing_plan']);
    expect(body.error.message).toMatch(/^Insufficient billing plan/);
  });

  it('forbidden: the token lacks the permission', async () => {
    const token = await tenant.tokenWith(['chats:read']);
    const { status, body } = await tenant.post('/v3/automations/search', {}, { token });
    expect([status, body.error.messageKey]).toEqual([403, 'forbidden']);
    expect(body.error.message).toMatch(/^Forbidden/);
    expect(body.error.message).toContain('automations:read');
  });

  it('contact_not_found: the contact does not exist', async () => {
    const { status, body } = await tenant.post(`/v3/contacts/${randomUUID()}/labels`, { labels: [] });
    expect([status, body.error.messageKey]).toEqual([404, 'contact_not_found']);
    expect(body.error.message).toMatch(/^Contact not found/);
  });

  it('too_many_requests: says that the limit is per minute per tenant, and which header has the time to retry', async () => {
    const { status, body } = await exhaust(2);
    expect([status, body.error.messageKey]).toEqual([429, 'too_many_requests']);
    expect(body.error.message).toMatch(/per minute per tenant.*X-RateLimit-Reset/);
  });

  it.each([
    ['malformed JSON', '{"a":'],
    ['text instead of an object', '"text"'],
    ['a number that JSON cannot hold', '{"search":1e999}'],
    ['NUL characters', '{"search":"\\u0000"}'],
    ['a lone surrogate', '{"search":"\\ud800"}'],
    ['a deep nest', `${'['.repeat(2000)}${']'.repeat(2000)}`],
    ['__proto__', '{"__proto__":{}}'],
  ])('internal_error: is not what %s gets', async (_, raw) => {
    const answer = await tenant.call('POST', '/v3/automations/search', { raw });
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'invalid_body_params']);
  });

  it.each(named(v3Operations))('%s lists the seven errors', async (name) => {
    const [method = '', path = ''] = name.split(' ');
    const document = await server.document('/openapi.json');
    const responses = Object.values(document.paths[path][method.toLowerCase()].responses);
    const listed = (responses as { content: { 'application/json': { examples?: object } } }[]).flatMap(
      (one) => Object.keys(one.content['application/json'].examples ?? {}),
    );
    expect(listed).toEqual(expect.arrayContaining(KEYS));
    const { value } = document.components.examples.internal_error;
    expect(value).toMatchObject({ success: false, error: { message: 'Oops! Something went wrong' } });
  });
});
