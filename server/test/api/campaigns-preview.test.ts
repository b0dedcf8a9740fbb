import { beforeEach, describe, expect, it } from 'vitest';
import { groundFor, testContacts } from '../kit/campaigns.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const LATER = '2026-12-24T09:00:00.000Z';
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
});

const HELLO = [
  {
    id: 'hello',
    type: 'send_message',
    parameters: { text: 'Hello {{ contact.firstName | upcase }}, {{ variables.discount }} % off' },
  },
];
const VARIABLES = [{ name: 'discount', type: 'number', required: true }];
const discount = [{ name: 'discount', value: '20' }];
const create = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.post(path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.id;
};
const preview = (body: object) => tenant.post('/v3/campaigns/preview', body);
/** How many rows the tenant has in each table that a campaign writes. */
const countRows = async () =>
  (
    await db.query(
      `select ${[
        'campaigns',
        'recipients',
        'contacts',
        'handles',
        'chats',
        'messages',
        'automation_runs',
        'events',
        'labels',
      ]
        .map((table) => `(select count(*)::int from ${table} where tenant_id = $1) as ${table}`)
        .join(', ')}`,
      [tenant.id],
    )
  ).rows[0];

describe('a preview', () => {
  it('says whom a campaign would reach and why not others, shows messages, and changes nothing', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550002111' });
    await create('/v3/contacts', { firstName: 'Out', phoneNumber: '+15550002222', isSubscribed: false });
    await create('/v3/contacts', { firstName: 'Mail', email: 'mail@example.com' });
    await server.settle();
    const before = await countRows();
    const answer = await preview({
      ...ground,
      audience: 'in(firstName,"Ada","Out","Mail")',
      variables: discount,
      contacts: [{ firstName: 'New', phoneNumber: '+15550002333', labels: [{ name: 'Fresh' }] }],
    });
    expect(answer.status).toBe(200);
    const { samples, ...rest } = answer.body.data;
    expect({
      ...rest,
      skipped: rest.skipped.toSorted((a: { reason: string }, b: { reason: string }) =>
        a.reason < b.reason ? -1 : 1,
      ),
    }).toEqual({
      matched: 4,
      matchedIsCapped: false,
      quietHours: null,
      examined: 4,
      sendable: 2,
      skipped: [
        { reason: 'no_handle', count: 1 },
        { reason: 'unsubscribed', count: 1 },
      ],
      estimatedMinutes: 1,
    });
    expect(
      samples
        .map(
          ({
            displayName,
            message,
            error,
          }: {
            displayName: string;
            message: { text: string };
            error: null;
          }) => [displayName, message.text, error],
        )
        .sort(),
    ).toEqual([
      ['Ada', 'Hello ADA, 20 % off', null],
      ['New', 'Hello NEW, 20 % off', null],
    ]);
    await server.settle();
    expect(await countRows()).toEqual(before);
    expect(
      (await tenant.post('/v3/audit_entries/search', { query: 'eq(operation,"previewCampaign")' })).body.data,
    ).toEqual([]);
  });

  it('shows the same text that is then sent', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const body = { ...ground, name: 'Sale', variables: discount, contacts: testContacts(1) };
    const [sample] = (await preview(body)).body.data.samples;
    await create('/v3/campaigns', body);
    await server.settle();
    const [sent] = (await tenant.post('/v3/messages/search', {})).body.data;
    expect(sent.text).toBe(sample.message.text);
    expect(sent.text).toBe('Hello N0, 20 % off');
  });

  it('knows that a WhatsApp chat must be open for a text', async () => {
    const ground = await groundFor(tenant, { kind: 'whatsapp', steps: HELLO, variables: VARIABLES });
    await tenant.post(`/v3/sandbox/${ground.channelId}/inbound`, {
      from: '+15550002111',
      name: 'Ada',
      text: 'hi',
    });
    await server.settle();
    const { data } = (
      await preview({
        ...ground,
        variables: discount,
        contacts: [{ phoneNumber: '+15550002111' }, { phoneNumber: '+15550002222' }],
      })
    ).body;
    expect(data).toMatchObject({ matched: 2, sendable: 1, skipped: [{ reason: 'window_closed', count: 1 }] });
    expect(data.samples).toMatchObject([{ displayName: 'Ada', message: { text: 'Hello ADA, 20 % off' } }]);
  });

  it('says why there is no message', async () => {
    const wait = [{ id: 'wait', type: 'wait', parameters: { for: 'P1D' } }, ...HELLO];
    const ground = await groundFor(tenant, { steps: wait, variables: VARIABLES });
    const { data } = (await preview({ ...ground, variables: discount, contacts: testContacts(1) })).body;
    expect(data.samples).toMatchObject([{ message: null, error: { code: 'waits' } }]);
    const empty = await groundFor(tenant, {
      steps: [{ id: 'x', type: 'send_message', parameters: { text: '{{ contact.lastName }}' } }],
    });
    const failed = (await preview({ ...empty, contacts: testContacts(1, 1) })).body.data;
    expect(failed.samples).toMatchObject([{ message: null, error: { code: 'empty_text' } }]);
  });

  it('refuses what the campaign would be refused for', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const issuesOf = async (more: object) => {
      const answer = await preview({ ...ground, variables: discount, ...more });
      return [answer.status, Object.keys(answer.body.error.invalidParams)];
    };
    expect(await issuesOf({ channelId: UNKNOWN })).toEqual([400, ['channelId']]);
    expect(await issuesOf({ variables: [] })).toEqual([400, ['variables']]);
    expect(await issuesOf({ audience: 'nope(' })).toEqual([400, ['audience']]);
    expect(await issuesOf({ contacts: [{ phoneNumber: 'x' }] })).toEqual([400, ['contacts.0.phoneNumber']]);
    const token = await tenant.tokenWith(['campaigns:write']);
    const answer = await tenant.post(
      '/v3/campaigns/preview',
      { ...ground, variables: discount, audience: 'eq(isSubscribed,true)' },
      { token },
    );
    expect(Object.keys(answer.body.error.invalidParams)).toEqual(['audience']);
  });
});

describe('a campaign that has not started', () => {
  const read = async (id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;

  it('can be changed, and what was read can be sent back', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const other = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      variables: discount,
      scheduledAt: LATER,
      contacts: testContacts(2),
    });
    const before = await read(id);
    server.clock.set(new Date('2026-11-15T02:00:00.000Z'));
    const same = await tenant.put(`/v3/campaigns/${id}`, before);
    expect(same.body.data).toEqual({ ...before, updatedAt: '2026-11-15T02:00:00.000Z' });
    const changed = await tenant.put(`/v3/campaigns/${id}`, {
      name: 'Winter sale',
      automationId: other.automationId,
      variables: [],
      scheduledAt: '2026-12-01T09:00:00.000Z',
      purpose: 'service',
      audience: 'eq(firstName,"Ada")',
    });
    expect(changed.body.data).toMatchObject({
      name: 'Winter sale',
      automationId: other.automationId,
      variables: [],
      purpose: 'service',
      status: 'scheduled',
      nextOccurrenceAt: '2026-12-01T09:00:00.000Z',
      audience: 'eq(firstName,"Ada")',
      recipientCounts: { queued: 2 },
    });
    server.clock.set(new Date('2026-12-01T09:00:00.000Z'));
    await server.settle();
    expect((await read(id)).startedAt).toBe('2026-12-01T09:00:00.000Z');
    const late = await tenant.put(`/v3/campaigns/${id}`, { name: 'Too late' });
    expect(late.status).toBe(409);
    expect((await tenant.delete(`/v3/campaigns/${id}`)).status).toBe(409);
  });

  it('becomes a draft without its time, and does not start by itself', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      scheduledAt: LATER,
      contacts: testContacts(1),
    });
    expect((await tenant.put(`/v3/campaigns/${id}`, { scheduledAt: null })).body.data).toMatchObject({
      status: 'draft',
      scheduledAt: null,
      nextOccurrenceAt: null,
    });
    server.clock.set(new Date('2027-01-01T09:00:00.000Z'));
    await server.settle();
    expect((await read(id)).status).toBe('draft');
    expect((await tenant.post(`/v3/campaigns/${id}/status`, { status: 'running' })).status).toBe(200);
  });

  it('is refused with the parameter that is wrong, and stays as it is', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const other = await tenant.channel('sms');
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      variables: discount,
      scheduledAt: LATER,
      contacts: testContacts(1),
    });
    const before = await read(id);
    for (const [body, path] of [
      [{ channelId: UNKNOWN }, 'channelId'],
      [{ channelId: other.id }, 'channelId'],
      [{ variables: [] }, 'variables'],
      [{ scheduledAt: '2026-01-01T00:00:00.000Z' }, 'scheduledAt'],
      [{ audience: 'nope(' }, 'audience'],
      [{ segmentId: UNKNOWN }, 'segmentId'],
      [{ recurrenceRules: ['FREQ=NEVER'] }, 'recurrenceRules.0'],
      [{ nmae: 'x' }, 'nmae'],
    ] as const) {
      const answer = await tenant.put(`/v3/campaigns/${id}`, body);
      expect([body, answer.status, Object.keys(answer.body.error.invalidParams ?? {})]).toEqual([
        body,
        400,
        [path],
      ]);
    }
    expect(await read(id)).toEqual(before);
    const another = await server.tenant();
    expect((await another.put(`/v3/campaigns/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await another.delete(`/v3/campaigns/${id}`)).body.data.notFoundIds).toEqual([id]);
  });

  it('can be changed between two occurrences, but not when it began', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Daily',
      recurrenceRules: ['FREQ=DAILY;COUNT=5'],
      contacts: testContacts(1),
    });
    await server.settle();
    // The end of an occurrence is checked a second later.
    server.clock.set(new Date('2026-11-15T01:02:10.000Z'));
    await server.settle();
    expect(await read(id)).toMatchObject({
      status: 'scheduled',
      nextOccurrenceAt: '2026-11-16T01:02:03.000Z',
    });
    const moved = await tenant.put(`/v3/campaigns/${id}`, { scheduledAt: LATER });
    expect([moved.status, Object.keys(moved.body.error.invalidParams)]).toEqual([400, ['scheduledAt']]);
    const weekly = await tenant.put(`/v3/campaigns/${id}`, { recurrenceRules: ['FREQ=WEEKLY;COUNT=5'] });
    expect(weekly.body.data).toMatchObject({
      status: 'scheduled',
      nextOccurrenceAt: '2026-11-22T01:02:03.000Z',
    });
    expect((await tenant.put(`/v3/campaigns/${id}`, { recurrenceRules: [] })).status).toBe(409);
    expect((await tenant.delete(`/v3/campaigns/${id}`)).status).toBe(409);
  });

  it('is deleted with its recipients, and its contacts stay', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      scheduledAt: LATER,
      contacts: testContacts(2),
    });
    expect((await tenant.delete(`/v3/campaigns/${id}`)).body.data).toEqual({
      deletedIds: [id],
      notFoundIds: [],
    });
    expect((await tenant.get(`/v3/campaigns/${id}`)).status).toBe(404);
    expect(await countRows()).toMatchObject({ campaigns: 0, recipients: 0, contacts: 2 });
  });
});

describe('a test of a campaign', () => {
  it('goes to one contact now, with the same text, and leaves the campaign as it is', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const me = await create('/v3/contacts', { firstName: 'Me', phoneNumber: '+15550002999' });
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      variables: discount,
      scheduledAt: LATER,
      recurrenceRules: ['FREQ=DAILY'],
      contacts: testContacts(2),
    });
    const before = (await tenant.get(`/v3/campaigns/${id}`)).body.data;
    const answer = await tenant.post(`/v3/campaigns/${id}/test`, { contactId: me });
    expect(answer.body.data).toMatchObject({
      name: 'Test: Sale',
      isTest: true,
      status: 'running',
      isReoccurring: false,
      recipientCounts: { queued: 1 },
    });
    await server.settle();
    const messages = (await tenant.post('/v3/messages/search', {})).body.data;
    expect(messages.map((one: { text: string; contactId: string }) => [one.text, one.contactId])).toEqual([
      ['Hello ME, 20 % off', me],
    ]);
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data).toEqual(before);
    const found = await tenant.post('/v3/campaigns/search', { query: 'eq(isTest,false)' });
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('needs a campaign and a contact that exist', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', { ...ground, name: 'Draft' });
    expect(
      (await tenant.post(`/v3/campaigns/${id}/test`, { contactId: UNKNOWN })).body.error.messageKey,
    ).toBe('contact_not_found');
    expect(
      (await tenant.post(`/v3/campaigns/${UNKNOWN}/test`, { contactId: UNKNOWN })).body.error.messageKey,
    ).toBe('campaign_not_found');
    expect((await countRows())?.campaigns).toBe(1);
  });
});
