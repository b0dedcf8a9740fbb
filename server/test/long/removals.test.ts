import { beforeEach, describe, expect, it } from 'vitest';
import { fillChat, fillEvents } from '../kit/bulk.ts';
import { useReceiver } from '../kit/receiver.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer();
const { db } = server.system;
const receiver = await useReceiver();
const PHONE = '+15550001111';
const OTHER = '+15550002222';
/** More than is deleted in the transaction of the request. */
const MANY = 1_500;

let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
  receiver.received.length = 0;
});

const admin = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { token: OPERATOR_TOKEN, body });
const write = async (from: string, text: string, to = channel) => {
  const answer = await tenant.post(`/v3/sandbox/${to.id}/inbound`, { from, text });
  await server.settle();
  return answer;
};
const search = async (path: string, body: object = {}) =>
  (await tenant.post(`/v3/${path}/search`, body)).body;
const chatOf = async (channelId: string): Promise<{ id: string; contact: { id: string } }> =>
  (await search('chats', { query: `eq(channelId,"${channelId}")` })).data[0];
const count = async (table: string, where: string, id: string): Promise<number> =>
  Number((await db.query(`select count(*)::int as n from ${table} where ${where}`, [id])).rows[0]?.n);
const jobOf = async (jobId: string) => (await tenant.get(`/v3/jobs/${jobId}`)).body.data;

describe('I10: deleting a contact with many messages', () => {
  it('answers with a job, hides everything at once, and erases it in batches', async () => {
    const webhook = await subscribe(tenant, receiver.url, [{ type: 'contact.*' }]);
    await write(PHONE, 'hello');
    await write(OTHER, 'stays');
    const chat = (await search('chats', { search: '0001111' })).data[0];
    const [kept] = (await search('chats', { search: '0002222' })).data;
    const contactId = chat.contact.id;
    await fillChat(server, tenant, chat.id, MANY);
    await fillEvents(server, tenant, contactId, MANY);
    const [{ id: messageId }] = (await search('messages', { query: `eq(contactId,"${contactId}")` })).data;
    const before = (await search('events')).pagination.total;

    const removal = (await tenant.delete(`/v3/contacts/${contactId}`)).body.data;
    expect(removal).toEqual({ deletedIds: [contactId], notFoundIds: [], jobId: expect.any(String) });
    expect(await jobOf(removal.jobId)).toMatchObject({
      kind: 'delete_contact',
      status: 'queued',
      done: 0,
      total: null,
    });
    // Hidden, although nothing is deleted yet.
    expect(await count('messages', 'contact_id = $1', contactId)).toBe(MANY + 1);
    expect((await tenant.get(`/v3/contacts/${contactId}`)).status).toBe(404);
    expect((await tenant.get(`/v3/chats/${chat.id}`)).status).toBe(404);
    expect((await tenant.get(`/v3/messages/${messageId}`)).status).toBe(404);
    expect((await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'no' })).status).toBe(404);
    expect((await tenant.put(`/v3/contacts/${contactId}`, { firstName: 'No' })).status).toBe(404);
    for (const path of ['contacts', 'chats', 'messages'])
      expect((await search(path)).pagination.total, path).toBe(1);
    expect((await search('events')).pagination.total).toBeLessThan(before - MANY);
    expect((await tenant.delete(`/v3/contacts/${contactId}`)).body.data).toMatchObject({
      notFoundIds: [contactId],
      jobId: null,
    });
    // The number is free again: the same person is somebody new.
    const again = await tenant.post('/v3/contacts', { phoneNumber: PHONE });
    expect(again.status).toBe(200);
    expect(again.body.data.id).not.toBe(contactId);

    await server.settle();
    const done = await jobOf(removal.jobId);
    expect(done).toMatchObject({ status: 'completed', failed: 0, errors: [], endedAt: expect.any(String) });
    expect(done.done).toBeGreaterThan(2 * MANY);
    expect(done.total).toBe(done.done);
    for (const table of ['messages', 'chats', 'automation_runs'])
      expect(await count(table, 'contact_id = $1', contactId), table).toBe(0);
    expect(await count('contacts', 'id = $1', contactId)).toBe(0);
    expect(await count('events', `tenant_id = $1 and data like '%filler%'`, tenant.id)).toBe(0);
    expect((await search('messages')).data).toMatchObject([{ chatId: kept.id }]);
    // The last event about it is that it was deleted, and it was delivered.
    const last = receiver.received
      .map(({ text }) => JSON.parse(text))
      .filter((one) => one.type === 'contact.deleted');
    expect(last).toMatchObject([{ data: { id: contactId } }]);
    expect(webhook.id).toBeDefined();
  });

  it('sends nothing more to it and delivers nothing more about it', async () => {
    await write(PHONE, 'hello');
    const { id: chatId, contact } = await chatOf(channel.id);
    await fillChat(server, tenant, chatId, MANY);
    await subscribe(tenant, receiver.url, [{ type: 'message.*' }]);
    await tenant.post(`/v3/chats/${chatId}/messages`, { text: 'queued' });
    const { jobId } = (await tenant.delete(`/v3/contacts/${contact.id}`)).body.data;
    await server.settle();
    expect((await tenant.get(`/v3/sandbox/${channel.id}/outbox`)).body.data).toEqual([]);
    expect(receiver.received).toEqual([]);
    expect((await jobOf(jobId)).status).toBe('completed');
  });

  it('happens once when it is asked for twice at once', async () => {
    await write(PHONE, 'hello');
    const { id: chatId, contact } = await chatOf(channel.id);
    await fillChat(server, tenant, chatId, MANY);
    const path = `/v3/contacts/${contact.id}`;
    const answers = await Promise.all(Array.from({ length: 4 }, () => tenant.delete(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter(({ body }) => body.data.jobId !== null)).toHaveLength(1);
    await server.settle();
    const published = await search('events', { query: 'eq(type,"contact.deleted")' });
    expect(published.pagination.total).toBe(1);
  });

  it('is done at once for a small contact', async () => {
    await write(PHONE, 'hello');
    const { contact } = await chatOf(channel.id);
    expect((await tenant.delete(`/v3/contacts/${contact.id}`)).body.data).toEqual({
      deletedIds: [contact.id],
      notFoundIds: [],
      jobId: null,
    });
    expect(await count('messages', 'contact_id = $1', contact.id)).toBe(0);
    expect(await count('contacts', 'id = $1', contact.id)).toBe(0);
  });
});

describe('I10: deleting a channel with many messages', () => {
  it('answers with a job, hides everything at once, and deletes it in batches', async () => {
    const other = await tenant.channel('sms');
    await write(PHONE, 'hello');
    await write(PHONE, 'over there', other);
    const { id: chatId, contact } = await chatOf(channel.id);
    await fillChat(server, tenant, chatId, MANY);
    await tenant.post(`/v3/chats/${chatId}/messages`, { text: 'queued' });

    const removal = (await tenant.delete(`/v3/channels/${channel.id}`)).body.data;
    expect(removal).toMatchObject({ deletedIds: [channel.id], jobId: expect.any(String) });
    expect(await count('messages', 'channel_id = $1', channel.id)).toBe(MANY + 2);
    expect((await tenant.get(`/v3/channels/${channel.id}`)).status).toBe(404);
    expect((await tenant.get(`/v3/chats/${chatId}`)).status).toBe(404);
    expect((await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: PHONE, text: 'x' })).status).toBe(
      404,
    );
    expect((await search('channels')).data).toMatchObject([{ id: other.id }]);
    expect((await search('chats')).data).toMatchObject([{ channelId: other.id }]);
    expect((await search('messages')).pagination.total).toBe(1);
    expect((await tenant.get(`/v3/contacts/${contact.id}`)).status).toBe(200);

    await server.settle();
    expect(await jobOf(removal.jobId)).toMatchObject({ kind: 'delete_channel', status: 'completed' });
    for (const table of ['messages', 'chats', 'vendor_messages', 'inbound'])
      expect(await count(table, 'channel_id = $1', channel.id), table).toBe(0);
    expect(await count('channels', 'id = $1', channel.id)).toBe(0);
    expect(await count('removals', 'id = $1', channel.id)).toBe(0);
    // The contact is still there, with its chat on the other channel.
    expect((await search('chats')).data).toMatchObject([{ contact: { id: contact.id } }]);
  });

  it('cancels the runs in its chats, and starts none', async () => {
    const automation = (
      await tenant.post('/v3/automations', {
        name: 'Bot',
        trigger: { type: 'message_received', parameters: { channelId: channel.id } },
        steps: [
          { id: 'ask', type: 'send_message', parameters: { text: 'Yes?' } },
          { id: 'wait', type: 'wait', parameters: { for: 'PT1M' } },
          { id: 'more', type: 'send_message', parameters: { text: 'Still there?' } },
        ],
      })
    ).body.data;
    await tenant.post(`/v3/automations/${automation.id}/publish`);
    await write(PHONE, 'hello');
    const { id: chatId } = await chatOf(channel.id);
    await fillChat(server, tenant, chatId, MANY);
    expect((await search('automation_runs')).data).toMatchObject([{ status: 'waiting' }]);
    await tenant.delete(`/v3/channels/${channel.id}?force=true`);
    server.clock.advance(120_000);
    await server.settle();
    expect((await search('automation_runs')).data).toMatchObject([{ status: 'cancelled', chatId: null }]);
  });

  it('frees the vendor key at once', async () => {
    const config = {
      phoneNumberId: '106540352242922',
      businessAccountId: '102290129340398',
      accessToken: 'EAAG0123456789',
      appSecret: '0123456789abcdef0123456789abcdef',
      verifyToken: 'verify-me-please',
    };
    const create = (one: TestTenant) =>
      one.post('/v3/channels', {
        kind: 'whatsapp',
        provider: 'whatsapp_cloud',
        name: 'Real',
        address: '+15550009999',
        config,
      });
    const real = (await create(tenant)).body.data;
    // As if the vendor had accepted its credentials: no other channel can have the key then.
    await db.query('update channels set vendor_confirmed_at = now() where id = $1', [real.id]);
    const neighbour = await server.tenant();
    expect((await create(neighbour)).status).toBe(400);
    const { rows } = await db.query('select gen_random_uuid() as id', []);
    await db.query(
      `insert into vendor_messages (channel_id, tenant_id, vendor_id, status_rank, created_at)
       select $1, $2, $3 || n, 0, now() from generate_series(1, $4::int) as n`,
      [real.id, tenant.id, rows[0]?.id, MANY],
    );
    expect((await tenant.delete(`/v3/channels/${real.id}`)).body.data.jobId).not.toBeNull();
    expect((await create(tenant)).status).toBe(200);
    expect((await create(neighbour)).status).toBe(200);
  });
});

describe('deleting a large tenant', () => {
  it('I10: answers with a job, refuses its tokens, sends nothing more, and deletes everything', async () => {
    await subscribe(tenant, receiver.url, [{ type: 'message.*' }]);
    await write(PHONE, 'hello');
    receiver.received.length = 0;
    const { id: chatId, contact } = await chatOf(channel.id);
    await fillChat(server, tenant, chatId, MANY);
    await fillEvents(server, tenant, contact.id, MANY);
    await tenant.post(`/v3/chats/${chatId}/messages`, { text: 'queued' });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: PHONE, text: 'waits' });
    await db.query(`insert into held_rows values ('messages', gen_random_uuid(), $1)`, [tenant.id]);
    await db.query(
      `insert into run_replies (id, tenant_id, run_id, shard, due_at, created_at)
       values (gen_random_uuid(), $1, gen_random_uuid(), 0, 'infinity', now())`,
      [tenant.id],
    );
    const bystander = await server.tenant();
    await bystander.channel();

    const removal = (await admin('DELETE', `/admin/tenants/${tenant.id}`)).body.data;
    expect(removal).toMatchObject({ deletedIds: [tenant.id], jobId: expect.any(String) });
    expect((await tenant.get('/v3/me')).status).toBe(401);
    const listed = (await admin('GET', '/admin/tenants')).body.data.map(({ id }: { id: string }) => id);
    expect(listed).not.toContain(tenant.id);
    expect((await admin('PUT', `/admin/tenants/${tenant.id}`, { name: 'x' })).status).toBe(404);
    expect((await admin('POST', `/admin/tenants/${tenant.id}/tokens`)).status).toBe(404);
    expect((await admin('GET', `/admin/jobs/${removal.jobId}`)).body.data).toMatchObject({
      kind: 'delete_tenant',
      status: 'queued',
    });
    expect((await bystander.get(`/v3/jobs/${removal.jobId}`)).status).toBe(404);

    await server.settle();
    expect((await admin('GET', `/admin/jobs/${removal.jobId}`)).body.data).toMatchObject({
      status: 'completed',
      failed: 0,
    });
    expect(receiver.received).toEqual([]);
    const { rows: tables } = await db.query(
      `select c.table_name as name from information_schema.columns c
         join information_schema.tables t using (table_schema, table_name)
        where c.column_name = 'tenant_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE'
          and c.table_name not in ('jobs', 'file_removals')`,
      [],
    );
    for (const { name } of tables)
      expect(await count(String(name), 'tenant_id = $1', tenant.id), String(name)).toBe(0);
    expect((await bystander.get('/v3/me')).status).toBe(200);
    expect((await bystander.post('/v3/channels/search', {})).body.data).toHaveLength(1);
  });

  it('X20: leaves no event behind and nothing that fails when it happens under load', async () => {
    await write(PHONE, 'hello');
    const { id: chatId, contact } = await chatOf(channel.id);
    await fillChat(server, tenant, chatId, MANY);
    const writing = Array.from({ length: 30 }, (_, n) =>
      tenant.put(`/v3/contacts/${contact.id}`, { firstName: `Name ${n}` }),
    );
    const removal = admin('DELETE', `/admin/tenants/${tenant.id}`);
    const answers = await Promise.all([...writing, ...writing.map(() => tenant.get('/v3/me'))]);
    for (const { status } of answers) expect([200, 401, 404]).toContain(status);
    const { jobId } = (await removal).body.data;
    await server.settle();
    expect((await admin('GET', `/admin/jobs/${jobId}`)).body.data.status).toBe('completed');
    expect(await count('events', 'tenant_id = $1', tenant.id)).toBe(0);
    expect(server.system.worker?.failures().filter(({ failures }) => failures > 0)).toEqual([]);
  });

  it('X20: fails nothing when a small tenant is deleted while its events are numbered', async () => {
    for (let round = 0; round < 10; round += 1) {
      const small = await server.tenant();
      for (let n = 0; n < 20; n += 1)
        await small.post('/v3/contacts', { phoneNumber: `+1555000${1000 + n}` });
      const numbering = server.settle();
      const removal = await admin('DELETE', `/admin/tenants/${small.id}`);
      expect([removal.status, removal.body.data.jobId]).toEqual([200, null]);
      await numbering;
      await server.settle();
      expect(await count('events', 'tenant_id = $1', small.id)).toBe(0);
      expect(await count('tenant_counters', 'tenant_id = $1', small.id)).toBe(0);
    }
    expect(server.system.worker?.failures().filter(({ failures }) => failures > 0)).toEqual([]);
  });

  it('I10: continues in another process where the first one stopped', async () => {
    await write(PHONE, 'hello');
    const { id: chatId } = await chatOf(channel.id);
    await fillChat(server, tenant, chatId, 4 * MANY);
    const { jobId } = (await admin('DELETE', `/admin/tenants/${tenant.id}`)).body.data;
    const first = await useServer({ databaseUrl: server.databaseUrl, isSoleProcess: true });
    const working = first.settle();
    let done = 0;
    while (done === 0) done = (await admin('GET', `/admin/jobs/${jobId}`)).body.data.done;
    await first.stop(0);
    await working.catch(() => {});
    const left = await count('messages', 'tenant_id = $1', tenant.id);
    expect(left).toBeGreaterThan(0);
    await server.settle();
    expect((await admin('GET', `/admin/jobs/${jobId}`)).body.data.status).toBe('completed');
    expect(await count('messages', 'tenant_id = $1', tenant.id)).toBe(0);
  });
});

it('a job that does not exist is not found, and neither is that of another tenant', async () => {
  expect((await tenant.get('/v3/jobs/none')).body.error.messageKey).toBe('job_not_found');
  expect((await admin('GET', '/admin/jobs/019a82a0-0000-7000-8000-000000000000')).status).toBe(404);
});
