import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf, testContacts } from '../kit/campaigns.ts';
import { useEventStream } from '../kit/event-client.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const LATER = '2026-12-24T09:00:00.000Z';
const EVERYBODY = 'ge(createdAt,"1970-01-01T00:00:00Z")';
let tenant: TestTenant;
let channelId: string;

beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
  ({ id: channelId } = await tenant.channel('sms'));
});

const create = async (path: string, body: object) => {
  const answer = await tenant.post(path, body);
  expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined]);
  return answer.body.data;
};
const campaignOf = (more: object = {}) =>
  create('/v3/campaigns', { channelId, name: 'Sale', message: {}, ...more });
const put = (id: string, body: object) => tenant.call('PUT', `/v3/campaigns/${id}`, { body });
const start = (id: string) => tenant.post(`/v3/campaigns/${id}/status`, { status: 'running' });
const read = async (id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;
const textsSent = async (): Promise<[string, string][]> =>
  (await tenant.get(`/v3/sandbox/${channelId}/outbox`)).body.data.map(
    ({ to, text }: { to: string; text: string }) => [to, text],
  );
/** Its end is noticed a second later. */
const settleToEnd = async (): Promise<void> => {
  await server.settle();
  server.clock.set(new Date('2026-11-15T01:02:10Z'));
  await server.settle();
};
const issuesOf = (answer: { body: { error?: { invalidParams?: object } } }) =>
  Object.keys(answer.body.error?.invalidParams ?? {});
const templateOf = (on: string, body = 'Hello {{name}}') =>
  create('/v3/message_templates', { channelId: on, name: 'sale', language: 'en', body });
const chatsOf = async () =>
  (await tenant.post('/v3/chats/search', { sortBy: 'asc(createdAt)' })).body.data as {
    contactId: string;
    status: string;
    closedAt: string | null;
  }[];

describe('a campaign with a message of its own', () => {
  it('is prepared bit by bit, and sends the text to everybody when it starts', async () => {
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550002111' });
    const { id, status, automationId } = await campaignOf();
    expect([status, automationId]).toEqual(['draft', null]);
    // Not even the draft's text is required, and its audience does not start it.
    expect((await put(id, { audience: EVERYBODY })).body.data).toMatchObject({
      status: 'draft',
      message: {},
    });
    const tooEarly = await start(id);
    expect([tooEarly.status, issuesOf(tooEarly)]).toEqual([400, ['message']]);
    await put(id, { message: { text: '' } });
    expect(issuesOf(await start(id))).toEqual(['message.text']);
    await put(id, { message: { text: 'Hi {{ contact.firstName' } });
    expect(issuesOf(await start(id))).toEqual(['message.text']);
    expect(await read(id)).toMatchObject({ status: 'draft', automationId: null });

    await put(id, { message: { text: 'Hi {{ contact.firstName }} 🎉 <b>' } });
    expect((await start(id)).body.data).toMatchObject({
      status: 'running',
      automationId: expect.any(String),
    });
    await settleToEnd();
    expect(await textsSent()).toEqual([['+15550002111', 'Hi Ada 🎉 <b>']]);
    expect(await read(id)).toMatchObject({
      status: 'completed',
      message: { text: 'Hi {{ contact.firstName }} 🎉 <b>' },
    });
  });

  it('has an automation that nobody sees in a list and that does not count for the limit', async () => {
    const { automationId } = await campaignOf({
      message: { text: 'x' },
      contacts: testContacts(1),
      scheduledAt: LATER,
    });
    expect(automationId).toEqual(expect.any(String));
    expect((await tenant.post('/v3/automations/search', {})).body.data).toEqual([]);
    expect((await tenant.get('/v3/tenant')).body.data.usage.activeAutomations).toBe(0);
  });

  it('that waits for its time stays complete: a change that is not is refused, another one counts', async () => {
    const { id } = await campaignOf({
      message: { text: 'first' },
      contacts: testContacts(1),
      scheduledAt: LATER,
    });
    const refused = await put(id, { message: {} });
    expect([refused.status, issuesOf(refused)]).toEqual([400, ['message']]);
    expect((await put(id, { message: { text: 'second' } })).body.data.status).toBe('scheduled');
    server.clock.set(new Date(LATER));
    await server.settle();
    expect((await textsSent()).map(([, text]) => text)).toEqual(['second']);
  });

  it('has a message or an automation, and one replaces the other', async () => {
    const automationId = await automationOf(tenant, {
      steps: [{ id: 'a', type: 'send_message', parameters: { text: 'automation' } }],
    });
    const neither = await tenant.post('/v3/campaigns', { channelId, name: 'x' });
    expect(issuesOf(neither)).toEqual(['automationId']);
    const both = await tenant.post('/v3/campaigns', { channelId, name: 'x', automationId, message: {} });
    expect(issuesOf(both)).toEqual(['message']);
    const { id } = await campaignOf({ message: { text: 'text' } });
    expect((await put(id, { automationId })).body.data).toMatchObject({ automationId, message: null });
    expect((await put(id, { message: { text: 'text' } })).body.data).toMatchObject({
      automationId: null,
      message: { text: 'text' },
    });
    // Of version 2, which knows automations only, it is no broadcast.
    expect((await tenant.get(`/v2/${channelId}/broadcasts`)).body.data.broadcasts).toEqual([]);
  });

  it('fills the variables of a template, and refuses the template of another channel', async () => {
    const template = await templateOf(channelId);
    const other = await templateOf((await tenant.channel('sms')).id);
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550002111' });
    const variables = { name: '{{ contact.firstName | upcase }}' };
    const foreign = { channelId, name: 'x', message: { template: { templateId: other.id, variables } } };
    expect(issuesOf(await tenant.post('/v3/campaigns', foreign))).toEqual(['message.template.templateId']);
    const { id } = await campaignOf({ message: { template: { templateId: template.id, variables } } });
    await put(id, { audience: EVERYBODY });
    const preview = await tenant.post('/v3/campaigns/preview', {
      channelId,
      message: { template: { templateId: template.id, variables } },
      audience: EVERYBODY,
    });
    expect(preview.body.data.samples).toMatchObject([{ messages: [{ text: 'Hello ADA' }] }]);
    await start(id);
    await server.settle();
    expect((await textsSent()).map(([, text]) => text)).toEqual(['Hello ADA']);
  });

  it('is named by a template that it uses, and fails if that is deleted all the same', async () => {
    const template = await templateOf(channelId, 'Hello');
    const { id } = await campaignOf({
      name: 'Autumn',
      message: { template: { templateId: template.id } },
      contacts: testContacts(1),
      scheduledAt: LATER,
    });
    const path = `/v3/message_templates/${template.id}`;
    const used = await tenant.call('DELETE', path);
    expect([used.status, used.text.includes('the campaign \\"Autumn\\"')]).toEqual([409, true]);
    expect(used.text).not.toContain('the automation');
    expect((await tenant.call('DELETE', `${path}?force=true`)).status).toBe(200);
    server.clock.set(new Date(LATER));
    await server.settle();
    expect(await read(id)).toMatchObject({ status: 'failed', error: { code: 'template_deleted' } });
    expect(await textsSent()).toEqual([]);
  });

  it('is tried out with one contact, while it stays a draft', async () => {
    const { id: contactId } = await create('/v3/contacts', { firstName: 'Me', phoneNumber: '+15550002111' });
    const { id } = await campaignOf({ message: { text: 'Hi {{ contact.firstName }}' } });
    const test = await tenant.post(`/v3/campaigns/${id}/test`, { contactId });
    expect(test.body.data).toMatchObject({ isTest: true, status: 'running' });
    await server.settle();
    expect(await textsSent()).toEqual([['+15550002111', 'Hi Me']]);
    expect(await read(id)).toMatchObject({ status: 'draft', automationId: null });
    const { id: empty } = await campaignOf();
    expect(issuesOf(await tenant.post(`/v3/campaigns/${empty}/test`, { contactId }))).toEqual(['message']);
  });

  it('is deleted with its automation', async () => {
    const { id, automationId } = await campaignOf({
      message: { text: 'x' },
      contacts: testContacts(1),
      scheduledAt: LATER,
    });
    expect((await tenant.call('DELETE', `/v3/campaigns/${id}`)).status).toBe(200);
    expect((await tenant.get(`/v3/automations/${automationId}`)).status).toBe(404);
  });
});

describe('closeChats', () => {
  it('keeps chats that the campaign creates closed until the contact replies, and no others', async () => {
    const from = '+15550002111';
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'I was here before' });
    await server.settle();
    const [before] = await chatsOf();
    const { id } = await campaignOf({
      message: { text: 'Sale' },
      closeChats: true,
      contacts: [{ phoneNumber: from }, { phoneNumber: '+15550002222' }],
    });
    expect((await read(id)).closeChats).toBe(true);
    await server.settle();
    expect(await textsSent()).toHaveLength(2);
    const chats = await chatsOf();
    expect(chats.find(({ contactId }) => contactId === before?.contactId)?.status).toBe('open');
    const created = chats.find(({ contactId }) => contactId !== before?.contactId);
    expect(created).toMatchObject({ status: 'closed', closedAt: '2026-11-15T01:02:03.456Z' });
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550002222', text: 'Yes please' });
    await server.settle();
    expect((await chatsOf()).map(({ status }) => status)).toEqual(['open', 'open']);
  });

  it('is off by default', async () => {
    await campaignOf({ message: { text: 'Sale' }, contacts: testContacts(1) });
    await server.settle();
    expect((await chatsOf()).map(({ status }) => status)).toEqual(['open']);
  });
});

describe('campaign.progressed', () => {
  it('tells streams how many have what, and of a change of the campaign at once', async () => {
    const client = await useEventStream(server.system.app.server, {
      token: tenant.token,
      query: '?types=campaign.progressed',
    });
    const { id } = await campaignOf({ message: { text: 'Sale' } });
    await put(id, { name: 'Autumn sale' });
    await expect.poll(() => client.heard.map(({ data }) => data.data.name)).toContain('Autumn sale');
    await put(id, { audience: EVERYBODY });
    await create('/v3/contacts', { phoneNumber: '+15550002111' });
    await create('/v3/contacts', { phoneNumber: '+15550002222', isSubscribed: false });
    await start(id);
    await settleToEnd();
    await expect.poll(() => client.heard.at(-1)?.data.data.status).toBe('completed');
    expect(client.heard.at(-1)?.data).toMatchObject({
      type: 'campaign.progressed',
      channelId,
      sequence: null,
      data: { id, recipientCounts: { queued: 0, skipped: 1, failed: 0 } },
    });
  });

  it('is not for another tenant', async () => {
    const other = await server.tenant();
    const client = await useEventStream(server.system.app.server, {
      token: other.token,
      query: '?types=campaign.progressed,contact.created',
    });
    await campaignOf({ message: { text: 'Sale' }, contacts: testContacts(1) });
    await server.settle();
    await other.post('/v3/contacts', { firstName: 'Own' });
    await server.settle();
    await client.until(1);
    expect(client.heard.map(({ event }) => event)).toEqual(['contact.created']);
  });
});
