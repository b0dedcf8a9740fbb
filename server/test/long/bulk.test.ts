import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { fillTenant } from '../kit/bulk.ts';
import { usePerson } from '../kit/people.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer();
const receiver = await useReceiver();
const { db } = server.system;
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
  channel = await tenant.channel();
  receiver.received.length = 0;
});

const phoneOf = (number: number): string => `+1555000${String(number).padStart(4, '0')}`;
/** So many people write, each in a chat of its own. Returns the ids of the chats. */
async function receive(count: number, over = channel, first = 0): Promise<string[]> {
  for (let number = first; number < first + count; number += 1)
    await tenant.post(`/v3/sandbox/${over.id}/inbound`, { from: phoneOf(number), text: 'hello' });
  await server.settle();
  const { rows } = await db.query(
    `select c.id from chats c join handles h on h.id = c.handle_id where c.channel_id = $1 order by h.value`,
    [over.id],
  );
  return rows.map(({ id }) => String(id)).slice(-count);
}
const bulk = (of: 'chats' | 'contacts', body: object, by: Pick<TestTenant, 'post'> = tenant) =>
  by.post(`/v3/${of}/bulk`, body);
const jobOf = async (started: Answer) => {
  await server.settle();
  return (await tenant.get(`/v3/jobs/${started.body.data.jobId}`)).body.data;
};
const chatOf = async (id: string) => (await tenant.get(`/v3/chats/${id}`)).body.data;
const issuesOf = (answer: Answer) => Object.keys(answer.body.error.invalidParams ?? {});
const eventsOf = async (type: string) =>
  (await tenant.post('/v3/events/search', { query: `eq(type,"${type}")`, pagination: { limit: 100 } })).body;

describe('a bulk action on chats', () => {
  it('closes what matches, with an event for each that it changes, and one for the job', async () => {
    const ids = await receive(3);
    await tenant.post(`/v3/chats/${ids[0]}/status`, { status: 'closed' });
    await server.settle();
    await subscribe(tenant, receiver.url, [{ type: 'chat.status_changed' }, { type: 'job.completed' }]);
    const started = await bulk('chats', {
      query: `eq(channelId,"${channel.id}")`,
      action: { type: 'status', status: 'closed' },
    });
    expect(started.body.data).toMatchObject({
      kind: 'change_chats',
      status: 'queued',
      action: { type: 'status', status: 'closed' },
      author: { type: 'api' },
      done: 0,
      total: 3,
    });
    const job = await jobOf(started);
    expect(job).toMatchObject({ status: 'completed', done: 3, total: 3, failed: 0, errors: [] });
    for (const id of ids) expect((await chatOf(id)).status).toBe('closed');
    const bodies = receiver.received.map(({ body }) => body);
    expect(
      bodies
        .filter(({ type }) => type === 'chat.status_changed')
        .map(({ data }) => data.id)
        .sort(),
    ).toEqual(ids.slice(1).sort());
    expect(bodies.filter(({ type }) => type === 'job.completed').map(({ data }) => data)).toEqual([job]);
  });

  it.each([
    ['assign', {}, { assignedUserId: 'USER', assignedTeamId: null }],
    ['status', { status: 'snoozed', snoozedUntil: '2026-11-16T00:00:00.000Z' }, { status: 'snoozed' }],
    ['status', { status: 'closed' }, { status: 'closed' }],
    ['status', { status: 'open' }, { status: 'open' }],
    ['read', {}, { isUnread: false, unreadCount: 0 }],
    ['unread', {}, { isUnread: true }],
  ])('%s %j does what the operation for one chat does', async (type, more, expected) => {
    const [one, other] = await receive(2);
    const { id: userId } = (
      await tenant.post('/v3/users', { name: 'Bob', email: 'bob@example.com', role: 'agent' })
    ).body.data;
    const action = { type, ...more, ...(type === 'assign' ? { userId } : {}) };
    const job = await jobOf(await bulk('chats', { ids: [one, other], action }));
    expect(job).toMatchObject({ status: 'completed', done: 2, failed: 0 });
    for (const id of [one, other])
      expect(await chatOf(id as string)).toMatchObject(
        JSON.parse(JSON.stringify(expected).replace('USER', userId)),
      );
    if ('snoozedUntil' in more) {
      server.clock.set(new Date('2026-11-16T00:00:00.000Z'));
      await server.settle();
      expect((await chatOf(one as string)).status).toBe('open');
    }
  });

  it('adds and removes labels of the contacts, once for a contact with several chats', async () => {
    const [one] = await receive(1);
    const [other] = await receive(1, await tenant.channel());
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    const change = (type: string) => bulk('chats', { ids: [one, other], action: { type, labelId } });
    expect(await jobOf(await change('add_label'))).toMatchObject({ status: 'completed', done: 2 });
    expect((await chatOf(one as string)).contact.labels).toMatchObject([{ id: labelId }]);
    expect(await jobOf(await change('add_label'))).toMatchObject({ status: 'completed', done: 2 });
    expect((await eventsOf('contact.labels_added')).pagination.total).toBe(1);
    expect(await jobOf(await change('remove_label'))).toMatchObject({ status: 'completed', done: 2 });
    expect((await chatOf(other as string)).contact.labels).toEqual([]);
    expect((await eventsOf('contact.labels_removed')).pagination.total).toBe(1);
  });

  it('is done to what matched when it was asked for', async () => {
    const [first, second] = await receive(2);
    const started = await bulk('chats', { query: 'eq(status,"open")', action: { type: 'unread' } });
    await tenant.post(`/v3/chats/${first}/status`, { status: 'closed' });
    await tenant.post(`/v3/chats/${first}/read`);
    await tenant.post(`/v3/chats/${second}/read`);
    const [later] = await receive(1, channel, 7);
    await tenant.post(`/v3/chats/${later}/read`);
    expect(await jobOf(started)).toMatchObject({ status: 'completed', total: 2, done: 2 });
    expect((await chatOf(first as string)).isUnread).toBe(true);
    expect((await chatOf(second as string)).isUnread).toBe(true);
    expect((await chatOf(later as string)).isUnread).toBe(false);
  });

  it('goes on without a chat that was deleted meanwhile, and counts unknown ids as failed', async () => {
    const [gone, stays] = await receive(2);
    const other = await server.tenant();
    const foreign = (await other.channel()).id;
    await other.post(`/v3/sandbox/${foreign}/inbound`, { from: phoneOf(1), text: 'hello' });
    await server.settle();
    const foreignChat = (await other.post('/v3/chats/search', {})).body.data[0].id;
    const started = await bulk('chats', {
      ids: [gone, stays, UNKNOWN, foreignChat],
      action: { type: 'status', status: 'closed' },
    });
    expect(started.body.data).toMatchObject({ total: 4, failed: 2 });
    await tenant.delete(`/v3/chats/${gone}`);
    const job = await jobOf(started);
    expect(job).toMatchObject({ status: 'completed', done: 1, total: 4, failed: 3 });
    expect(job.errors).toContain(`There is no chat ${UNKNOWN}`);
    expect(job.errors).toContain(`There is no chat ${gone}`);
    expect((await other.get(`/v3/chats/${foreignChat}`)).body.data.status).toBe('open');
    expect((await chatOf(stays as string)).status).toBe('closed');
  });

  it('works in batches, takes turns with other jobs, and can be cancelled', async () => {
    const ids = await receive(60);
    const started = await bulk('chats', { ids, action: { type: 'status', status: 'closed' } });
    const cancelled = await tenant.post(`/v3/jobs/${started.body.data.jobId}/cancel`);
    expect(cancelled.body.data).toMatchObject({ status: 'cancelled', done: 0, endedAt: expect.any(String) });
    expect((await tenant.post(`/v3/jobs/${started.body.data.jobId}/cancel`)).body.data).toEqual(
      cancelled.body.data,
    );
    await server.settle();
    expect((await chatOf(ids[0] as string)).status).toBe('open');
    expect((await eventsOf('job.completed')).data).toMatchObject([{ data: { status: 'cancelled' } }]);
    const again = await jobOf(await bulk('chats', { ids, action: { type: 'status', status: 'closed' } }));
    expect(again).toMatchObject({ status: 'completed', done: 60 });
    expect((await eventsOf('chat.status_changed')).pagination.total).toBe(60);
    const found = await tenant.post('/v3/jobs/search', { query: 'eq(kind,"change_chats")' });
    expect(found.body.data.map(({ status }: { status: string }) => status)).toEqual([
      'completed',
      'cancelled',
    ]);
  });

  it('neither waits for a long one of the tenant nor for one of another tenant', async () => {
    await fillTenant((text, values) => db.query(text, values), tenant.id, channel.id, 1_000, 0);
    const other = await server.tenant();
    const foreign = await other.channel();
    await other.post(`/v3/sandbox/${foreign.id}/inbound`, { from: phoneOf(1), text: 'hello' });
    await server.settle();
    const close = { query: 'eq(status,"open")', action: { type: 'status', status: 'closed' } };
    const long = await bulk('chats', close);
    expect(long.body.data.total).toBe(1_000);
    const { rows } = await db.query('select id from chats where tenant_id = $1 limit 1', [tenant.id]);
    const short = await bulk('chats', { ids: [rows[0]?.id], action: { type: 'unread' } });
    const others = await bulk('chats', close, other);
    const ended = await jobOf(long);
    expect(ended).toMatchObject({ status: 'completed', done: 1_000 });
    const foreignJob = (await other.get(`/v3/jobs/${others.body.data.jobId}`)).body.data;
    for (const job of [await jobOf(short), foreignJob]) {
      expect(job).toMatchObject({ status: 'completed', done: 1 });
      expect(Date.parse(job.endedAt)).toBeLessThan(Date.parse(ended.endedAt));
    }
    expect((await eventsOf('chat.status_changed')).pagination.total).toBe(1_000);
  });

  it('fails when it became impossible', async () => {
    const ids = await receive(2);
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    const started = await bulk('chats', { ids, action: { type: 'add_label', labelId } });
    await tenant.delete(`/v3/labels/${labelId}`);
    const job = await jobOf(started);
    expect(job).toMatchObject({ status: 'failed', done: 0, failed: 2 });
    expect(job.errors).toEqual([`labelId: There is no label ${labelId}`]);
  });

  it('of a tenant that is deleted meanwhile ends without an event', async () => {
    const ids = await receive(2);
    const started = await bulk('chats', { ids, action: { type: 'status', status: 'closed' } });
    const admin = (method: string, path: string) =>
      server.call(method, path, { token: 'operator-token-for-tests-0123456789abcdef' });
    await admin('DELETE', `/admin/tenants/${tenant.id}`);
    await server.settle();
    expect((await admin('GET', `/admin/jobs/${started.body.data.jobId}`)).body.data.endedAt).not.toBeNull();
    const { rows } = await db.query('select 1 from events where tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([]);
  });

  it('refuses what is wrong, names it, and starts nothing', async () => {
    const [id] = await receive(1);
    const refused = async (body: object) => {
      const answer = await bulk('chats', body);
      expect(answer.status).toBe(400);
      return issuesOf(answer);
    };
    const close = { type: 'status', status: 'closed' };
    expect(await refused({ action: close })).toEqual(['query']);
    expect(await refused({ query: '', action: close })).toEqual(['query']);
    expect(await refused({ query: 'eq(nope,1)', action: close })).toEqual(['query']);
    expect(await refused({ query: 'eq(status,"open")', ids: [id], action: close })).toEqual(['ids']);
    expect(await refused({ ids: [], action: close })).toEqual(['ids']);
    expect(await refused({ ids: ['x'], action: close })).toEqual(['ids.0']);
    expect(await refused({ ids: [id], action: { type: 'explode' } })).toEqual(['action.type']);
    expect(await refused({ ids: [id], action: { ...close, labelId: UNKNOWN } })).toEqual(['action.labelId']);
    expect(await refused({ ids: [id], action: { type: 'assign' } })).toEqual(['action.userId']);
    expect(await refused({ ids: [id], action: { type: 'assign', userId: UNKNOWN } })).toEqual([
      'action.userId',
    ]);
    const status = { type: 'status' };
    expect(await refused({ ids: [id], action: status })).toEqual(['action.status']);
    const snooze = { ...status, status: 'snoozed' };
    expect(await refused({ ids: [id], action: snooze })).toEqual(['action.snoozedUntil']);
    for (const action of [snooze, close])
      expect(
        await refused({ ids: [id], action: { ...action, snoozedUntil: '2020-01-01T00:00:00Z' } }),
      ).toEqual(['action.snoozedUntil']);
    expect(await refused({ ids: [id], action: { type: 'add_label' } })).toEqual(['action.labelId']);
    expect(await refused({ ids: [id], action: { type: 'add_label', labelId: UNKNOWN } })).toEqual([
      'action.labelId',
    ]);
    expect(await refused({ ids: [id], action: close, userId: UNKNOWN })).toEqual(['userId']);
    expect((await tenant.post('/v3/jobs/search', {})).body.data).toEqual([]);
  });

  it('with the same idempotency key happens once', async () => {
    const ids = await receive(1);
    const body = { ids, action: { type: 'status', status: 'closed' } };
    const headers = { 'idempotency-key': 'once' };
    const [one, two] = [
      await tenant.post('/v3/chats/bulk', body, { headers }),
      await tenant.post('/v3/chats/bulk', body, { headers }),
    ];
    expect(two.body.data.jobId).toBe(one.body.data.jobId);
    expect((await tenant.post('/v3/jobs/search', {})).body.pagination.total).toBe(1);
  });
});

describe('a bulk action of a user', () => {
  it('who is restricted to teams changes only what the user sees, and is seen by the user', async () => {
    const [own, hidden] = [channel, await tenant.channel()];
    const [mine] = await receive(1, own);
    const [other] = await receive(1, hidden);
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    const colleague = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', {
      name: 'Own',
      userIds: [agent.userId, colleague.userId],
      channelIds: [own.id],
    });
    const byQuery = await bulk(
      'chats',
      { query: 'eq(status,"open")', action: { type: 'status', status: 'closed' } },
      agent,
    );
    expect(byQuery.body.data).toMatchObject({ total: 1, author: { type: 'user', id: agent.userId } });
    const byIds = await bulk(
      'chats',
      { ids: [mine, other], action: { type: 'status', status: 'closed' } },
      agent,
    );
    expect(byIds.body.data).toMatchObject({ total: 2, failed: 1 });
    await server.settle();
    expect((await chatOf(mine as string)).status).toBe('closed');
    expect((await chatOf(other as string)).status).toBe('open');
    const path = `/v3/jobs/${byIds.body.data.jobId}`;
    expect((await agent.get(path)).status).toBe(200);
    expect((await colleague.get(path)).status).toBe(404);
    expect((await colleague.post(`${path}/cancel`)).status).toBe(404);
    expect((await agent.post('/v3/jobs/search', {})).body.pagination.total).toBe(2);
    expect((await colleague.post('/v3/jobs/search', {})).body.pagination.total).toBe(0);
    const seen = await colleague.post('/v3/events/search', { query: 'eq(type,"job.completed")' });
    expect(seen.body.data).toEqual([]);
  });

  it('marks chats as read in the name of the user', async () => {
    const ids = await receive(1);
    const agent = await usePerson(server, tenant, 'agent');
    await jobOf(await bulk('chats', { ids, action: { type: 'read' } }, agent));
    expect((await chatOf(ids[0] as string)).isUnread).toBe(false);
  });

  it('needs the scope of the action', async () => {
    const ids = await receive(1);
    const chats = await tenant.tokenWith(['chats:write']);
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    const labels = await tenant.post(
      '/v3/chats/bulk',
      { ids, action: { type: 'add_label', labelId } },
      { token: chats },
    );
    expect([labels.status, labels.body.error.message]).toEqual([
      403,
      expect.stringContaining('contacts:write'),
    ]);
    const contacts = await tenant.tokenWith(['contacts:write']);
    const erase = await tenant.post(
      '/v3/contacts/bulk',
      { query: 'isNull(firstName)', action: { type: 'delete' } },
      { token: contacts },
    );
    expect([erase.status, erase.body.error.message]).toEqual([
      403,
      expect.stringContaining('contacts:delete'),
    ]);
    const closing = await bulk('chats', { ids, action: { type: 'status', status: 'closed' } });
    const cancel = await tenant.post(`/v3/jobs/${closing.body.data.jobId}/cancel`, {}, { token: contacts });
    expect(cancel.status).toBe(403);
  });
});

describe('a bulk action on contacts', () => {
  const contacts = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1)
      ids.push((await tenant.post('/v3/contacts', { firstName: `Person ${number}` })).body.data.id);
    return ids;
  };
  const contactOf = async (id: string) => (await tenant.get(`/v3/contacts/${id}`)).body;

  it('sets attributes and removes them, with an event for each contact that changes', async () => {
    const ids = await contacts(3);
    const { id } = (await tenant.post('/v3/attributes', { name: 'Age', externalId: 'age', type: 'number' }))
      .body.data;
    await tenant.put(`/v3/contacts/${ids[0]}`, { attributes: [{ id, value: 44 }] });
    const set = (value: unknown) =>
      bulk('contacts', {
        query: 'startsWith(firstName,"Person")',
        action: { type: 'set_attributes', attributes: [{ externalId: 'age', value }] },
      });
    await server.settle();
    const before = (await eventsOf('contact.updated')).pagination.total;
    expect(await jobOf(await set(44))).toMatchObject({ status: 'completed', done: 3 });
    expect((await contactOf(ids[2] as string)).data.attributes).toMatchObject([{ value: '44' }]);
    expect((await eventsOf('contact.updated')).pagination.total).toBe(before + 2);
    expect(await jobOf(await set(null))).toMatchObject({ status: 'completed', done: 3 });
    expect((await contactOf(ids[0] as string)).data.attributes).toEqual([]);
    expect((await set('old')).body.error.invalidParams).toHaveProperty(['action.attributes.0.value']);
  });

  it.each(['contacts', 'chats'] as const)('%s: a label starts automations only if asked', async (of) => {
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    const trigger = { type: 'label_added', parameters: { labelId } };
    const automationId = await automationOf(tenant, { trigger, steps: [{ id: 'end', type: 'end' }] });
    const runs = async () =>
      (await tenant.post('/v3/automation_runs/search', { query: `eq(automationId,"${automationId}")` })).body
        .pagination.total;
    const chats = await receive(2);
    const contactIds = (await Promise.all(chats.map(chatOf))).map(({ contact }) => contact.id);
    const ids = of === 'chats' ? chats : contactIds;
    const add = async (more: object) =>
      jobOf(await bulk(of, { ids, action: { type: 'add_label', labelId, ...more } }));
    expect(await add({})).toMatchObject({ status: 'completed', done: 2 });
    expect(await runs()).toBe(0);
    await jobOf(await bulk(of, { ids, action: { type: 'remove_label', labelId } }));
    expect(await add({ triggerAutomations: true })).toMatchObject({ status: 'completed', done: 2 });
    expect(await runs()).toBe(2);
  });

  it('adds labels and erases', async () => {
    const ids = await contacts(3);
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'Old' })).body.data;
    const labelled = await bulk('contacts', {
      ids: ids.slice(0, 2),
      action: { type: 'add_label', labelId },
    });
    expect(await jobOf(labelled)).toMatchObject({ status: 'completed', done: 2 });
    const erased = await bulk('contacts', {
      query: `contains(labelIds,"${labelId}")`,
      action: { type: 'delete' },
    });
    expect(await jobOf(erased)).toMatchObject({ status: 'completed', done: 2 });
    expect((await contactOf(ids[0] as string)).success).toBe(false);
    expect((await contactOf(ids[2] as string)).success).toBe(true);
    expect((await eventsOf('contact.deleted')).pagination.total).toBe(2);
  });
});
