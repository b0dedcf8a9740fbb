import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, eventually, invalid, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';
import { chat as chatTable, contact as contactTable, expectFits } from './tables.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await server.tenant();
});

const UNKNOWN_IDS = [randomUUID(), 'not-an-id', '0', '%20'];

describe('Endpoints / v3 / GET /chats/{chatId}', () => {
  it('returns the chat', async () => {
    const chat = await make.chat(tenant);
    const found = dataOf(await tenant.get(`/v3/chats/${chat.id}`));
    expectFits(chatTable, found);
    expect(found).toEqual(chat);
  });

  it.each(UNKNOWN_IDS)('does not find %s', async (id) => {
    expect(refusalOf(await tenant.get(`/v3/chats/${id}`))).toEqual([404, 'chat_not_found']);
  });

  it('does not find the chat of another tenant', async () => {
    const { id } = await make.chat(await server.tenant());
    expect(refusalOf(await tenant.get(`/v3/chats/${id}`))).toEqual([404, 'chat_not_found']);
  });
});

describe('Endpoints / v3 / DELETE /chats/{chatId}', () => {
  it('deletes the chat and keeps the contact', async () => {
    const { id, contactId } = await make.chat(tenant);
    expect(dataOf(await tenant.delete(`/v3/chats/${id}`))).toEqual({ deletedIds: [id], notFoundIds: [] });
    expect(refusalOf(await tenant.get(`/v3/chats/${id}`))).toEqual([404, 'chat_not_found']);
    expect(dataOf(await tenant.get(`/v3/contacts/${contactId}`)).chats).toEqual([]);
  });

  it('allows a new chat with the same contact', async () => {
    const { id, channelId, handle } = await make.chat(tenant);
    await tenant.delete(`/v3/chats/${id}`);
    await make.write(tenant, { id: channelId }, { from: handle.value, text: 'Still there?' });
    const next = await eventually('new chat', async () => {
      const found = await tenant.post('/v3/chats/search', { query: `eq(channelId,"${channelId}")` });
      return dataOf(found)[0];
    });
    expect(next.id).not.toBe(id);
    expect(next.unreadCount).toBe(1);
  });
});

describe('Endpoints / v3 / POST /chats/{chatId}/status', () => {
  const set = (id: string, body?: unknown) => tenant.post(`/v3/chats/${id}/status`, body);

  it.each([
    ['triggerAutomations true', { triggerAutomations: true }],
    ['triggerAutomations false', { triggerAutomations: false }],
    ['an empty body', {}],
    ['no body', undefined],
  ])('closes the chat with %s, and again', async (_, body) => {
    const { id } = await make.chat(tenant);
    for (const answer of [await set(id, body), await set(id, body)]) {
      expectFits(chatTable, dataOf(answer));
      expect(dataOf(answer)).toMatchObject({ id, status: 'closed' });
    }
  });

  it.each([
    ['text', { triggerAutomations: 'true' }, { triggerAutomations: 'invalid_type' }],
    ['a number', { triggerAutomations: 1 }, { triggerAutomations: 'invalid_type' }],
    ['an unknown status', { status: 'done' }, { status: 'invalid_enum_value' }],
    ['an array', [], { body: 'invalid_type' }],
  ])('refuses %s', async (_, body, issues) => {
    const { id } = await make.chat(tenant);
    expect(refusalOf(await set(id, body))).toEqual(invalid(issues));
    expect(dataOf(await tenant.get(`/v3/chats/${id}`)).status).toBe('open');
  });

  it('takes null for a field that is left out', async () => {
    const { id } = await make.chat(tenant);
    expect(dataOf(await set(id, { triggerAutomations: null, status: null })).status).toBe('closed');
  });

  it.each(UNKNOWN_IDS)('does not find %s', async (id) => {
    expect(refusalOf(await set(id, { triggerAutomations: false }))).toEqual([404, 'chat_not_found']);
  });
});

describe('Endpoints / v3 / POST /contacts/{contactId}/labels', () => {
  const add = (contactId: string, body?: unknown) => tenant.post(`/v3/contacts/${contactId}/labels`, body);
  const idsOf = (contact: { labels: { id: string }[] }) => contact.labels.map(({ id }) => id).toSorted();

  it('adds the labels to the existing ones and returns the contact', async () => {
    const { id } = await make.contact(tenant);
    const [one, two, three] = [await make.label(tenant), await make.label(tenant), await make.label(tenant)];
    const first = dataOf(await add(id, { labels: [{ id: one.id }] }));
    expectFits(contactTable, first);
    expect([first.id, idsOf(first)]).toEqual([id, [one.id]]);
    const second = dataOf(await add(id, { labels: [{ id: two.id }, { id: three.id }] }));
    expect(idsOf(second)).toEqual([one.id, two.id, three.id].toSorted());
    expect(dataOf(await tenant.get(`/v3/contacts/${id}`))).toEqual(second);
  });

  it('accepts a label that the contact already has, or that is given twice', async () => {
    const { id } = await make.contact(tenant);
    const label = { id: (await make.label(tenant)).id };
    await add(id, { labels: [label] });
    expect(idsOf(dataOf(await add(id, { labels: [label, label] })))).toEqual([label.id]);
  });

  it('accepts an empty list of labels', async () => {
    const { id } = await make.contact(tenant);
    expect(dataOf(await add(id, { labels: [] })).labels).toEqual([]);
  });

  const LABEL = randomUUID();
  it.each([
    ['no labels', {}, { labels: 'invalid_type' }],
    ['labels that are no list', { labels: { id: LABEL } }, { labels: 'invalid_type' }],
    ['a label without id', { labels: [{}] }, { 'labels.0.id': 'invalid_type' }],
    ['a label that is its id', { labels: [LABEL] }, { 'labels.0': 'invalid_type' }],
    ['an id that is a number', { labels: [{ id: 5 }] }, { 'labels.0.id': 'invalid_type' }],
    ['an id that is no UUID', { labels: [{ id: 'vip' }] }, { 'labels.0.id': 'invalid_string' }],
    ['an unknown id', { labels: [{ id: LABEL }] }, { 'labels.0.id': 'custom' }],
    [
      'several issues at once',
      { labels: [{ id: 'vip' }, {}] },
      { 'labels.0.id': 'invalid_string', 'labels.1.id': 'invalid_type' },
    ],
  ])('refuses %s', async (_, body, issues) => {
    const { id } = await make.contact(tenant);
    expect(refusalOf(await add(id, body))).toEqual(invalid(issues));
  });

  it('adds nothing if one of the labels is unknown or of another tenant', async () => {
    const { id } = await make.contact(tenant);
    const good = { id: (await make.label(tenant)).id };
    const foreign = { id: (await make.label(await server.tenant())).id };
    for (const bad of [{ id: LABEL }, foreign])
      expect(refusalOf(await add(id, { labels: [good, bad] }))).toEqual(invalid({ 'labels.1.id': 'custom' }));
    expect(dataOf(await tenant.get(`/v3/contacts/${id}`)).labels).toEqual([]);
  });

  it.each(UNKNOWN_IDS)('does not find %s', async (id) => {
    const { id: labelId } = await make.label(tenant);
    expect(refusalOf(await add(id, { labels: [{ id: labelId }] }))).toEqual([404, 'contact_not_found']);
  });
});
