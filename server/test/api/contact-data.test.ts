import { expect, it } from 'vitest';
import { usePerson } from '../kit/people.ts';
import { useServer } from '../kit/server.ts';

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

  const answer = await tenant.get(`/v3/contacts/${contact.id}/data`);
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
  const channel = await tenant.channel();
  const id = (await tenant.post('/v3/contacts', { firstName: 'Ada' })).body.data.id;
  const path = `/v3/contacts/${id}/data`;
  const other = await server.tenant();
  expect((await other.get(path)).body.error.messageKey).toBe('contact_not_found');
  expect((await tenant.get('/v3/contacts/nope/data')).status).toBe(404);
  const token = await tenant.tokenWith(['contacts:read', 'chats:read']);
  expect((await tenant.get(path, { token })).status).toBe(403);
  const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
  await tenant.post('/v3/teams', { name: 'Team', userIds: [agent.userId], channelIds: [channel.id] });
  expect((await agent.get(path)).status).toBe(403);
  const viewer = await usePerson(server, tenant, 'viewer');
  expect((await viewer.get(path)).status).toBe(200);
});
