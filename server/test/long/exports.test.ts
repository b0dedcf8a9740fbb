import { beforeEach, describe, expect, it } from 'vitest';
import { fillTenant } from '../kit/bulk.ts';
import { usePerson } from '../kit/people.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

const linesOf = (text: string): string[] => text.trimEnd().split('\r\n');
const exported = (of: string, query = '', by: Pick<TestTenant, 'get'> = tenant) =>
  by.get(`/v3/${of}/export.csv${query === '' ? '' : `?query=${encodeURIComponent(query)}`}`);
const write = async (from: string, text: string, over = channel) => {
  await tenant.post(`/v3/sandbox/${over.id}/inbound`, { from, text });
  await server.settle();
};

describe('an export of contacts', () => {
  it('has a line for each contact and a column for each attribute, without formulas', async () => {
    const { id } = (await tenant.post('/v3/attributes', { name: 'Plan', externalId: 'plan', type: 'text' }))
      .body.data;
    const { id: labelId } = (await tenant.post('/v3/labels', { name: '=VIP' })).body.data;
    await tenant.post('/v3/contacts', {
      firstName: '=cmd|calc',
      lastName: 'Ünïcode "quoted", 名前',
      phoneNumber: '+15550001111',
      labels: [{ id: labelId }],
      attributes: [{ id, value: '@SUM(1)' }],
    });
    await tenant.post('/v3/contacts', { firstName: '\t-cmd' });
    const answer = await exported('contacts');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="contacts.csv"');
    const [head, first, second] = linesOf(answer.text);
    expect(head).toBe(
      'id,firstName,lastName,phoneNumber,email,otherHandles,language,timezone,isSubscribed,labels,createdAt,updatedAt,attributes.plan',
    );
    expect(first).toContain(`,'=cmd|calc,"Ünïcode ""quoted"", 名前",+15550001111,,`);
    expect(first).toContain(",'=VIP,");
    expect(first).toMatch(/,'@SUM\(1\)$/);
    expect(second).toContain(",'-cmd,");
  });

  it('has what matches, of this tenant, and refuses a wrong filter before it sends anything', async () => {
    await tenant.post('/v3/contacts', { firstName: 'Ada' });
    await tenant.post('/v3/contacts', { firstName: 'Grace' });
    await (await server.tenant()).post('/v3/contacts', { firstName: 'Ada' });
    const answer = await exported('contacts', 'eq(firstName,"Ada")');
    expect(linesOf(answer.text)).toHaveLength(2);
    expect(linesOf((await exported('contacts')).text)).toHaveLength(3);
    const searched = await tenant.get('/v3/contacts/export.csv?search=grac');
    expect(linesOf(searched.text)).toEqual([expect.any(String), expect.stringContaining(',Grace,')]);
    const tooLong = await tenant.get(`/v3/contacts/export.csv?search=${'x'.repeat(201)}`);
    expect([tooLong.status, Object.keys(tooLong.body.error.invalidParams)]).toEqual([400, ['search']]);
    const wrong = await exported('contacts', 'eq(nope,1)');
    expect([wrong.status, Object.keys(wrong.body.error.invalidParams)]).toEqual([400, ['query']]);
  });

  it('of many rows has each of them once, in the order of creation', async () => {
    await fillTenant((text, values) => db.query(text, values), tenant.id, channel.id, 2_000, 0);
    const ids = linesOf((await exported('contacts')).text)
      .slice(1)
      .map((line) => line.split(',')[0]);
    expect([ids.length, new Set(ids).size]).toEqual([2_000, 2_000]);
    const chats = linesOf((await exported('chats', 'eq(status,"open")')).text).slice(1);
    expect(new Set(chats.map((line) => line.split(',')[0])).size).toBe(2_000);
  });
});

describe('merging contacts on request', () => {
  const merge = (contactId: string, body: object, by: Pick<TestTenant, 'post'> = tenant) =>
    by.post(`/v3/contacts/${contactId}/merge`, body);

  it('makes one of both; a dry run shows the same and changes nothing', async () => {
    await write('+15550001111', 'hello');
    const chat = (await tenant.post('/v3/chats/search', {})).body.data[0];
    const { id } = (await tenant.post('/v3/contacts', { firstName: 'Ada', email: 'ada@example.com' })).body
      .data;
    const body = { fromContactId: chat.contactId };
    const dry = await merge(id, { ...body, dryRun: true });
    expect(dry.body.data).toMatchObject({
      id,
      firstName: 'Ada',
      phoneNumber: '+15550001111',
      email: 'ada@example.com',
      chats: [{ id: chat.id }],
      mergedChats: [],
    });
    expect((await tenant.get(`/v3/contacts/${chat.contactId}`)).status).toBe(200);
    expect((await tenant.get(`/v3/contacts/${id}`)).body.data.phoneNumber).toBeNull();
    const merged = await merge(id, body);
    const without = ({ updatedAt: _, ...rest }: { updatedAt: string }) => rest;
    expect(without(merged.body.data)).toEqual(without(dry.body.data));
    expect((await tenant.get(`/v3/contacts/${chat.contactId}`)).status).toBe(404);
    expect((await tenant.get(`/v3/chats/${chat.id}`)).body.data.contactId).toBe(id);
    await server.settle();
    const events = await tenant.post('/v3/events/search', { query: 'eq(type,"contact.merged")' });
    expect(events.body.pagination.total).toBe(1);
    const timeline = (await tenant.get(`/v3/contacts/${id}/timeline`)).body.data;
    expect(timeline.map(({ type }: { type: string }) => type)).toContain('message.received');
    expect(timeline[0]).toMatchObject({ type: 'contact.merged', resourceId: chat.contactId });
  });

  it('refuses contacts that have more than 100 handles together, and leaves both as they are', async () => {
    const create = async (from: number) => {
      const handles = Array.from({ length: 51 }, (_, index) => ({
        type: 'email',
        value: `ada${from + index}@example.com`,
      }));
      return (await tenant.post('/v3/contacts', { firstName: 'Ada', handles })).body.data.id;
    };
    const [one, other] = [await create(0), await create(100)];
    const refused = await merge(one, { fromContactId: other });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('102 handles')]);
    expect((await tenant.get(`/v3/contacts/${other}`)).body.data.handles).toHaveLength(51);
  });

  it('refuses itself, unknown contacts, those of others, and restricted users', async () => {
    const { id } = (await tenant.post('/v3/contacts', { firstName: 'Ada' })).body.data;
    const foreign = (await (await server.tenant()).post('/v3/contacts', { firstName: 'Eve' })).body.data.id;
    expect((await merge(id, { fromContactId: id })).status).toBe(409);
    expect((await merge(id, { fromContactId: foreign })).status).toBe(404);
    expect((await merge(id, { fromContactId: foreign, dryRun: true })).status).toBe(404);
    expect((await merge('x', { fromContactId: id })).status).toBe(404);
    expect((await merge(id, {})).status).toBe(400);
    const { id: other } = (await tenant.post('/v3/contacts', { firstName: 'Bob' })).body.data;
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    expect((await merge(id, { fromContactId: other }, agent)).status).toBe(403);
    expect((await tenant.get(`/v3/contacts/${other}`)).status).toBe(200);
  });
});
