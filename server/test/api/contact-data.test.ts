import { expect, it } from 'vitest';
import { automationOf } from '../kit/campaigns.ts';
import { usePerson } from '../kit/people.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { app } = server.system;

it('everything about a contact is one file, and who downloaded it is recorded', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
    from: '+15550001111',
    name: 'Ada',
    text: 'Hello "you"',
  });
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
    from: '+15550002222',
    name: 'Eve',
    text: 'not hers',
  });
  await server.settle();
  const [contact] = (await tenant.post('/v3/contacts/search', { query: 'eq(phoneNumber,"+15550001111")' }))
    .body.data;
  const [chat] = contact.chats;
  await tenant.post(`/v3/chats/${chat.id}/notes`, { text: 'A note' });
  await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Hi Ada' });
  await tenant.post(`/v3/contacts/${contact.id}/consents`, { channelKinds: ['sms'], status: 'unsubscribed' });
  // More messages than a page has.
  await server.system.db.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                           timestamp, created_at, updated_at)
     select gen_random_uuid(), k.tenant_id, k.id, k.channel_id, k.contact_id, 'inbound', 'contact', 'text', 'filler ' || n, '[]',
            '{}', 'delivered', k.created_at, k.created_at, k.created_at
       from chats k cross join generate_series(1, 450) as n where k.id = $1`,
    [chat.id],
  );
  await server.settle();

  const answer = await tenant.get(`/v3/contacts/${contact.id}/export`);
  expect(answer.headers['content-disposition']).toBe(`attachment; filename="contact-${contact.id}.json"`);
  const { success, data } = JSON.parse(answer.text);
  expect(success).toBe(true);
  expect(data.contact.id).toBe(contact.id);
  expect(data.messages).toHaveLength(452);
  expect(new Set(data.messages.map(({ id }: { id: string }) => id)).size).toBe(452);
  expect(data.chats.map(({ id }: { id: string }) => id)).toEqual([chat.id]);
  expect(data.notes).toMatchObject([{ text: 'A note' }]);
  expect(data.consents).toMatchObject([{ channelKind: 'sms', status: 'unsubscribed' }]);
  expect(data.events.map(({ type }: { type: string }) => type)).toContain('message.received');
  expect(answer.text).not.toContain('not hers');

  await app.flush();
  const { body } = await tenant.post('/v3/audit_entries/search', {
    query: 'eq(operation,"exportContactData")',
  });
  expect(body.data).toMatchObject([{ targetId: contact.id }]);
});

it('is for callers who see all of it', async () => {
  const tenant = await server.tenant();
  const id = (await tenant.post('/v3/contacts', { firstName: 'Ada' })).body.data.id;
  const path = `/v3/contacts/${id}/export`;
  const other = await server.tenant();
  expect((await other.get(path)).body.error.messageKey).toBe('contact_not_found');
  expect((await tenant.get('/v3/contacts/nope/export')).status).toBe(404);
  const token = await tenant.tokenWith(['contacts:read', 'chats:read']);
  expect((await tenant.get(path, { token })).status).toBe(403);
  const all = ['contacts:read', 'chats:read', 'messages:read', 'automations:read', 'campaigns:read'];
  expect((await tenant.get(path, { token: await tenant.tokenWith(all) })).status).toBe(200);
});

it('agents and viewers download no exports; admins, owners and tokens do', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  const { id } = (await tenant.post('/v3/contacts', { firstName: 'Ada' })).body.data;
  const { id: campaignId } = (
    await tenant.post('/v3/campaigns', {
      channelId: channel.id,
      name: 'Sale',
      automationId: await automationOf(tenant),
      contacts: [{ phoneNumber: '+15550001111' }],
    })
  ).body.data;
  const paths = [
    '/v3/contacts/export.csv',
    '/v3/chats/export.csv',
    `/v3/contacts/${id}/export`,
    `/v3/campaigns/${campaignId}/results.csv`,
    '/v3/reports/export.csv',
    // Whether it exists is not said before.
    '/v3/imports/019a82a0-0000-7000-8000-00000000ffff/errors.csv',
  ];
  const statuses = async (caller: Pick<TestTenant, 'get'>) =>
    Promise.all(paths.map(async (path) => (await caller.get(path)).status));
  for (const role of ['agent', 'viewer'] as const)
    expect(await statuses(await usePerson(server, tenant, role))).toEqual(Array(6).fill(403));
  for (const role of ['admin', 'owner'] as const)
    expect(await statuses(await usePerson(server, tenant, role))).toEqual([...Array(5).fill(200), 404]);
  expect(await statuses(tenant)).toEqual([...Array(5).fill(200), 404]);
  const viewer = await usePerson(server, tenant, 'viewer');
  expect((await viewer.get('/v3/contacts/export.csv')).body.error.message).toContain('admin or owner');
});
