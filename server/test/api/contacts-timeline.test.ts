import { beforeEach, describe, expect, it } from 'vitest';
import { usePerson } from '../kit/people.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let channel: { id: string };
let contactId: string;
let chatId: string;

interface Item {
  id: string;
  type: string;
  channelId: string | null;
  text: string | null;
  author: { type: string } | null;
  changes: { field: string; from: string | null; to: string | null }[];
}

const write = async (text: string, over = channel) => {
  await tenant.post(`/v3/sandbox/${over.id}/inbound`, { from: '+15550001111', text });
  await server.settle();
};
const timeline = async (query = '', by: Pick<TestTenant, 'get'> = tenant) => {
  await server.settle();
  return (await by.get(`/v3/contacts/${contactId}/timeline${query}`)).body as {
    data: Item[];
    pagination: { nextCursor: string | null };
  };
};

beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
  await write('hello');
  const chat = (await tenant.post('/v3/chats/search', {})).body.data[0];
  chatId = chat.id;
  contactId = chat.contact.id;
});

describe('the timeline of a contact', () => {
  it('shows what happened, the newest first, with what changed', async () => {
    const { id: attributeId } = (
      await tenant.post('/v3/attributes', { name: 'Plan', externalId: 'plan', type: 'text' })
    ).body.data;
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    await tenant.put(`/v3/contacts/${contactId}`, { firstName: 'Ada' });
    await tenant.put(`/v3/contacts/${contactId}`, { attributes: [{ id: attributeId, value: 'pro' }] });
    await tenant.post(`/v3/contacts/${contactId}/labels`, { labels: [{ id: labelId }] });
    await tenant.post(`/v3/contacts/${contactId}/consents`, {
      channelKinds: ['sms'],
      status: 'unsubscribed',
    });
    await tenant.post(`/v3/chats/${chatId}/notes`, { text: 'check stock' });
    await tenant.post(`/v3/chats/${chatId}/messages`, { text: 'Yes, it is' });
    await server.settle();
    await tenant.post(`/v3/chats/${chatId}/status`, { status: 'closed' });
    const { data } = await timeline();
    expect(data.map(({ type }) => type)).toEqual([
      'chat.status_changed',
      'message.sent',
      'note.created',
      'contact.unsubscribed',
      'contact.updated',
      'contact.labels_added',
      'contact.updated',
      'contact.updated',
      'message.received',
      'chat.created',
      'contact.created',
    ]);
    const [closed, sent, note, unsubscribed, updated, labelled, planned, named] = data as [
      Item,
      Item,
      Item,
      Item,
      Item,
      Item,
      Item,
      Item,
    ];
    expect(closed.changes).toEqual([{ field: 'status', from: 'open', to: 'closed' }]);
    expect(sent).toMatchObject({ text: 'Yes, it is', author: { type: 'api' }, channelId: channel.id });
    expect(note).toMatchObject({ text: 'check stock', changes: [] });
    expect(unsubscribed.changes).toEqual([]);
    expect(updated.changes).toContainEqual({
      field: 'subscriptions.sms',
      from: null,
      to: 'unsubscribed',
    });
    expect(labelled.changes).toEqual([{ field: 'labels', from: null, to: 'VIP' }]);
    expect(planned.changes).toEqual([{ field: 'attributes.plan', from: null, to: 'pro' }]);
    expect(named.changes).toEqual([{ field: 'firstName', from: null, to: 'Ada' }]);
  });

  it('has pages: each item is on one of them, also when something happens meanwhile', async () => {
    for (const firstName of ['A', 'B', 'C', 'D'])
      await tenant.put(`/v3/contacts/${contactId}`, { firstName });
    const all = (await timeline('?limit=100')).data;
    expect((await timeline('?limit=100&cursor=')).data).toEqual(all);
    const first = await timeline('?limit=3');
    await tenant.put(`/v3/contacts/${contactId}`, { firstName: 'E' });
    const ids = first.data.map(({ id }) => id);
    for (let cursor = first.pagination.nextCursor; cursor !== null; ) {
      const page = await timeline(`?limit=3&cursor=${cursor}`);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.pagination.nextCursor;
    }
    expect(ids).toEqual(all.map(({ id }) => id));
  });

  it('shows users of other teams only what happened in their channels and to the contact itself', async () => {
    const own = await tenant.channel();
    await write('for us', own);
    await tenant.post(`/v3/chats/${chatId}/notes`, { text: 'hidden' });
    await tenant.put(`/v3/contacts/${contactId}`, { firstName: 'Ada' });
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    const { data } = await timeline('', agent);
    expect(data.map(({ type }) => type)).toEqual([
      'contact.updated',
      'message.received',
      'chat.created',
      'contact.created',
    ]);
    expect(new Set(data.map(({ channelId }) => channelId))).toEqual(new Set([own.id, null]));
    expect(JSON.stringify(data)).not.toContain(chatId);
  });

  it('goes on after a merge, and is gone after the contact is erased', async () => {
    const other = await server.tenant();
    expect((await other.get(`/v3/contacts/${contactId}/timeline`)).status).toBe(404);
    await tenant.delete(`/v3/contacts/${contactId}`);
    expect((await tenant.get(`/v3/contacts/${contactId}/timeline`)).status).toBe(404);
  });

  it.each([
    'cursor=x',
    'cursor=-1',
    'limit=0',
    'limit=101',
    'limit=1e2',
    'page=1',
  ])('refuses %s', async (query) => {
    const answer = await tenant.get(`/v3/contacts/${contactId}/timeline?${query}`);
    expect([answer.status, answer.body.error.messageKey]).toEqual([400, 'invalid_body_params']);
    expect(Object.keys(answer.body.error.invalidParams)).toEqual([query.split('=')[0]]);
  });
});
