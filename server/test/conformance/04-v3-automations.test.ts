import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, invalid, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';
import { automation as automationTable, expectFits } from './tables.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
let contactId: string;
beforeAll(async () => {
  tenant = await server.tenant();
  contactId = (await make.contact(tenant)).id;
});

describe('Endpoints / v3 / POST /automations/{automationId}/trigger', () => {
  const trigger = (id: string, body?: unknown) => tenant.post(`/v3/automations/${id}/trigger`, body);
  let automationId: string;
  beforeAll(async () => {
    const variables = [
      { name: 'count', type: 'number' },
      { name: 'isNew', type: 'boolean' },
      { name: 'greeting', type: 'string' },
    ];
    automationId = (await make.automation(tenant, { variables })).id;
  });

  it.each([
    ['a contact alone', {}],
    ['variables', { variables: { count: 2, isNew: true, greeting: 'Hello', undeclared: 'kept' } }],
    ['no variables', { variables: {} }],
    ['a time to come', { scheduledAt: make.inDays(1) }],
    ['a time that has just passed', { scheduledAt: new Date(Date.now() - 60_000).toISOString() }],
    ['a time with an offset', { scheduledAt: make.inDays(2).replace('Z', '+02:00') }],
    ['everything', { variables: { count: 1 }, scheduledAt: make.inDays(1) }],
  ])('takes %s and answers without data', async (_, more) => {
    const { status, body } = await trigger(automationId, { contactId, ...more });
    expect([status, body]).toEqual([200, { success: true }]);
  });

  it('creates a run for the contact and returns its id in a header', async () => {
    const { headers } = await trigger(automationId, { contactId, variables: { count: 7 } });
    const run = dataOf(await tenant.get(`/v3/automation_runs/${headers.get('x-automation-run-id')}`));
    expect(run).toMatchObject({ automationId, contactId, variables: { count: 7 } });
  });

  it('waits until the given time', async () => {
    const scheduledAt = make.inDays(3);
    const { headers } = await trigger(automationId, { contactId, scheduledAt });
    const run = dataOf(await tenant.get(`/v3/automation_runs/${headers.get('x-automation-run-id')}`));
    expect(run.status).toBe('scheduled');
  });

  it.each([
    ['no contactId', {}, { contactId: 'invalid_type' }],
    ['a contactId that is a number', { contactId: 5 }, { contactId: 'invalid_type' }],
    ['a contactId that is no UUID', { contactId: 'ada' }, { contactId: 'invalid_string' }],
  ])('refuses %s', async (_, body, issues) => {
    expect(refusalOf(await trigger(automationId, body))).toEqual(invalid(issues));
  });

  it.each([
    ['variables in a list', { variables: [] }, { variables: 'invalid_type' }],
    ['variables as text', { variables: 'count=2' }, { variables: 'invalid_type' }],
    ['a variable of the wrong type', { variables: { count: 'two' } }, { 'variables.count': 'invalid_type' }],
    ['a variable that is an object', { variables: { other: {} } }, { 'variables.other': 'invalid_type' }],
    ['a scheduledAt that is a number', { scheduledAt: 5 }, { scheduledAt: 'invalid_type' }],
    ['a scheduledAt that is no time', { scheduledAt: 'soon' }, { scheduledAt: 'invalid_string' }],
    ['a day that does not exist', { scheduledAt: '2027-02-30T00:00:00Z' }, { scheduledAt: 'invalid_string' }],
    ['a time long past', { scheduledAt: make.inDays(-1) }, { scheduledAt: 'custom' }],
    ['a time over a year ahead', { scheduledAt: make.inDays(370) }, { scheduledAt: 'custom' }],
  ])('refuses %s', async (_, more, issues) => {
    expect(refusalOf(await trigger(automationId, { contactId, ...more }))).toEqual(invalid(issues));
  });

  it('refuses to start without a required variable', async () => {
    const { id } = await make.automation(tenant, {
      variables: [{ name: 'order', type: 'string', required: true }],
    });
    const issues = { 'variables.order': 'invalid_type' };
    expect(refusalOf(await trigger(id, { contactId }))).toEqual(invalid(issues));
    expect((await trigger(id, { contactId, variables: { order: 'A1' } })).status).toBe(200);
  });

  it('refuses an automation that is not active', async () => {
    const { id } = await make.automation(tenant, { isDraft: true });
    expect(refusalOf(await trigger(id, { contactId }))).toEqual([409, 'conflict']);
  });

  it('does not find an unknown contact', async () => {
    const otherContact = await make.contact(await server.tenant());
    for (const id of [randomUUID(), otherContact.id])
      expect(refusalOf(await trigger(automationId, { contactId: id }))).toEqual([404, 'contact_not_found']);
  });

  it.each([randomUUID(), 'not-an-id'])('does not find the automation %s', async (id) => {
    expect(refusalOf(await trigger(id, { contactId }))).toEqual([404, 'automation_not_found']);
  });
});

describe('Endpoints / v3 / POST /automations/search', () => {
  let searching: Tenant;
  const search = (body?: unknown) => searching.post('/v3/automations/search', body);
  const namesOf = (answer: { body: { data: { name: string }[] } }) =>
    answer.body.data.map(({ name }) => name);
  const NAMES = Array.from({ length: 12 }, (_, at) => `Flow ${String(at).padStart(2, '0')}`);
  let channelId: string;
  beforeAll(async () => {
    searching = await server.tenant();
    channelId = (await make.channel(searching)).id;
    const trigger = { type: 'message_received', parameters: { channelId } };
    for (const name of NAMES) await make.automation(searching, { name, trigger });
  });

  it('returns automations, pagination and the parameters of the search', async () => {
    const { body } = await search({});
    for (const one of body.data) expectFits(automationTable, one);
    expect(Object.keys(body).toSorted()).toEqual(['data', 'pagination', 'query', 'success']);
  });

  it.each([
    ['an empty body', {}],
    ['no body', undefined],
  ])('takes %s as page 0 of 10', async (_, body) => {
    const answer = await search(body);
    expect(answer.body.pagination).toMatchObject({ page: 0, limit: 10, total: 12 });
    expect(answer.body.data).toHaveLength(10);
    expect(answer.body.query).toEqual({ query: null, sortBy: null, search: null });
  });

  it('returns query, sortBy and search', async () => {
    const asked = { query: 'eq(status,"active")', sortBy: 'desc(name)', search: 'flow 0' };
    const { body } = await search(asked);
    expect(body.query).toEqual(asked);
    expect(body.pagination.total).toBe(10);
    expect(body.data[0].name).toBe('Flow 09');
  });

  it('returns one page after another', async () => {
    const page = async (at: number) => search({ sortBy: 'asc(name)', pagination: { page: at, limit: 5 } });
    const pages = [await page(0), await page(1), await page(2), await page(3)];
    expect(pages.map(namesOf)).toEqual([NAMES.slice(0, 5), NAMES.slice(5, 10), NAMES.slice(10), []]);
    for (const [at, { body }] of pages.entries())
      expect(body.pagination).toMatchObject({ page: at, limit: 5, total: 12 });
  });

  it.each([
    ['page', { page: 1 }, { page: 1, limit: 10 }],
    ['limit', { limit: 3 }, { page: 0, limit: 3 }],
  ])('takes a %s alone', async (_, pagination, expected) => {
    expect((await search({ pagination })).body.pagination).toMatchObject(expected);
  });

  it.each(Object.keys(automationTable))('filters by %s', async (field) => {
    const all = dataOf(await search({ pagination: { limit: 100 } }));
    const one = all[3];
    const answer = await search({
      query: `eq(${field},${JSON.stringify(one[field])})`,
      pagination: { limit: 100 },
    });
    const expected = all.filter((other: Record<string, unknown>) => other[field] === one[field]);
    expect(dataOf(answer).length).toBeGreaterThan(0);
    expect(dataOf(answer)).toEqual(expected);
  });

  it.each(Object.keys(automationTable))('sorts by %s, either way', async (field) => {
    const valuesBy = async (sortBy: string) =>
      dataOf(await search({ sortBy, pagination: { limit: 100 } })).map(
        (one: Record<string, string>) => one[field],
      );
    const up = await valuesBy(`asc(${field})`);
    expect(up).toEqual(up.toSorted());
    expect(await valuesBy(`desc(${field})`)).toEqual(up.toReversed());
  });

  it('searches in names without regard to case, and by an exact id', async () => {
    expect(namesOf(await search({ search: 'FLOW 07' }))).toEqual(['Flow 07']);
    const [{ id }] = dataOf(await search({ search: 'Flow 07' }));
    expect(namesOf(await search({ search: id }))).toEqual(['Flow 07']);
    expect(namesOf(await search({ search: 'nothing like it' }))).toEqual([]);
  });

  it('combines conditions', async () => {
    const query = 'and(or(eq(name,"Flow 01"),startsWith(name,"flow 1")),not(eq(name,"Flow 10")))';
    expect(namesOf(await search({ query, sortBy: 'asc(name)' }))).toEqual(['Flow 01', 'Flow 11']);
  });

  it('finds nothing of another tenant', async () => {
    expect((await tenant.post('/v3/automations/search', { search: 'Flow' })).body.data).toEqual([]);
  });

  it.each([
    ['a query that is a number', { query: 5 }, { query: 'invalid_type' }],
    ['a query that is an object', { query: {} }, { query: 'invalid_type' }],
    ['a query that is none', { query: 'name = 5' }, { query: 'invalid_string' }],
    ['a query by an unknown field', { query: 'eq(color,"red")' }, { query: 'invalid_string' }],
    ['a sortBy that is a list', { sortBy: [] }, { sortBy: 'invalid_type' }],
    ['a sortBy that is none', { sortBy: 'name' }, { sortBy: 'invalid_string' }],
    ['a sortBy by an unknown field', { sortBy: 'asc(color)' }, { sortBy: 'invalid_string' }],
    ['a search that is a number', { search: 5 }, { search: 'invalid_type' }],
    ['a pagination that is a number', { pagination: 1 }, { pagination: 'invalid_type' }],
    ['a page that is text', { pagination: { page: '1' } }, { 'pagination.page': 'invalid_type' }],
    ['a page before the first', { pagination: { page: -1 } }, { 'pagination.page': 'too_small' }],
    ['no rows a page', { pagination: { limit: 0 } }, { 'pagination.limit': 'too_small' }],
    ['over 100 rows a page', { pagination: { limit: 101 } }, { 'pagination.limit': 'too_big' }],
    ['half a row', { pagination: { limit: 1.5 } }, { 'pagination.limit': 'invalid_type' }],
  ])('refuses %s', async (_, body, issues) => {
    expect(refusalOf(await search(body))).toEqual(invalid(issues));
  });
});
