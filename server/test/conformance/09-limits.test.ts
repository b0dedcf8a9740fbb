import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, dataOf, invalid, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { named } from './operations.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
const { operations } = server;

describe('Limits / request rate', () => {
  it.each(named(operations))('%s answers too_many_requests above it', async (_, { method, path }) => {
    const limited = await server.tenant({ rateLimit: 1 });
    const answers: Answer[] = [];
    // Three requests are too many for one a minute, even when the minute ends between two of them.
    for (let at = 0; at < 3; at++) answers.push(await limited.call(method, path));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(refusalOf(answer)).toEqual([429, 'too_many_requests']);
  });

  it('X-RateLimit-Reset is the time to retry: Unix seconds, at most a minute away', async () => {
    const limited = await server.tenant({ rateLimit: 1 });
    for (let at = 0; at < 3; at++) {
      const { headers } = await limited.get('/v3/me');
      const reset = Number(headers.get('x-ratelimit-reset'));
      const now = Date.parse(headers.get('date') ?? '') / 1000;
      expect(Number.isInteger(reset)).toBe(true);
      expect(reset).toBeGreaterThanOrEqual(now);
      expect(reset).toBeLessThanOrEqual(now + 61);
    }
  });

  it('is counted over all tokens and both versions', async () => {
    const counted = await server.tenant({ rateLimit: 1000 });
    const token = await counted.tokenWith(['attributes:read']);
    const legacy = server.servesV2 ? '/v2/attributes' : '/v3/me';
    /** Calls within one minute, because the rest of the limit is comparable only there. */
    const ask = async (): Promise<number[]> => {
      const answers = [
        await counted.get('/v3/me'),
        await counted.get('/v3/me', { token }),
        await counted.get(legacy, { token }),
        await counted.get(legacy),
      ];
      const resets = new Set(answers.map(({ headers }) => headers.get('x-ratelimit-reset')));
      if (resets.size > 1) return ask();
      return answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    };
    const [first = 0, ...rest] = await ask();
    expect(rest).toEqual([first - 1, first - 2, first - 3]);
  });

  it('is counted per tenant', async () => {
    const spent = await server.tenant({ rateLimit: 1 });
    const other = await server.tenant({ rateLimit: 1 });
    for (let at = 0; at < 3; at++) await spent.get('/v3/me');
    expect((await other.get('/v3/me')).status).toBe(200);
  });
});

describe.skipIf(!server.servesV2)('Limits / contacts per broadcast', () => {
  let tenant: Tenant;
  let path: string;
  let workflowId: string;
  beforeAll(async () => {
    tenant = await server.tenant();
    path = `/v2/${(await make.channel(tenant)).id}/broadcasts`;
    workflowId = (await make.automation(tenant)).id;
  });
  const contacts = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ phoneNumber: `+1415555${String(at).padStart(4, '0')}` }));
  const create = (count: number) =>
    tenant.post(path, {
      name: `To ${count}`,
      workflowId,
      scheduledAt: make.inDays(1),
      contacts: contacts(count),
    });

  it('5001 are refused, and none is stored', async () => {
    expect(refusalOf(await create(5001))).toEqual(invalid({ contacts: 'too_big' }));
    expect((await tenant.post('/v3/contacts/search', {})).body.pagination.total).toBe(0);
    expect(dataOf(await tenant.get(path)).broadcasts).toEqual([]);
  });

  it('5000 are accepted', async () => {
    expect(dataOf(await create(5000))).toMatchObject({ name: 'To 5000', status: 'scheduled' });
    expect((await tenant.post('/v3/contacts/search', {})).body.pagination.total).toBe(5000);
  });
});

describe('Limits / default paging', () => {
  it('is page 0 with 10 automations', async () => {
    const tenant = await server.tenant();
    const { body } = await tenant.post('/v3/automations/search', {});
    expect(body.pagination).toMatchObject({ page: 0, limit: 10, total: 0 });
  });
});

const GOOD_IDS = ['a', 'Z', 'shoeSize', 'SHOE_SIZE', 'a1', 'x_', 'x__9'];
const BAD_IDS = ['', '1a', '_a', 'a-b', 'a b', 'a.b', ' a', 'a ', 'a\n', 'é', 'aé', 'ａ', 'a$'];

describe.skipIf(!server.servesV2)('Limits / attribute externalId format', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await server.tenant();
  });

  it.each(GOOD_IDS)('an attribute can be called %j', async (externalId) => {
    const made = dataOf(await tenant.post('/v2/attributes', { name: 'Any', externalId }));
    expect(made.externalId).toBe(externalId);
  });

  it.each(BAD_IDS)('an attribute cannot be called %j', async (externalId) => {
    const answer = await tenant.post('/v2/attributes', { name: 'Any', externalId });
    expect(refusalOf(answer)).toEqual(invalid({ externalId: 'invalid_string' }));
  });

  it.each(BAD_IDS)('a contact of a broadcast cannot have %j', async (externalId) => {
    const { id: channelId } = await make.channel(tenant);
    const { id: workflowId } = await make.automation(tenant);
    const contacts = [{ phoneNumber: make.phoneNumber(), attributes: [{ externalId, value: 'x' }] }];
    const answer = await tenant.post(`/v2/${channelId}/broadcasts`, { name: 'News', workflowId, contacts });
    const name = 'contacts.0.attributes.0.externalId';
    expect(refusalOf(answer)).toEqual(invalid({ [name]: 'invalid_string' }));
  });
});

describe('Limits / public file URL lifetime', () => {
  it('has no end: neither the URL nor the answer has one', async () => {
    const tenant = await server.tenant();
    const { id } = await make.file(tenant, 'for ever');
    const { publicUrl } = dataOf(await tenant.get(`/v3/files/${id}/public_url`));
    expect(new URL(publicUrl).search).toBe('');
    const response = await fetch(publicUrl);
    expect(await response.text()).toBe('for ever');
    expect(response.headers.get('expires')).toBeNull();
  });
});
