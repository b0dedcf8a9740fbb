import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from './client.ts';
import * as make from './fixtures.ts';
import { useServerUnderTest } from './server-under-test.ts';
import * as tables from './tables.ts';
import { expectField, expectFits } from './tables.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Resource = any;

const server = await useServerUnderTest();
const tenant = await server.tenant();

const made = async (path: string, body: object) => dataOf(await tenant.post(path, body));
const label = await make.label(tenant);
const attribute = await make.attribute(tenant);
const user = await made('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
const team = await made('/v3/teams', { name: 'Support', userIds: [user.id] });
const known = await make.contact(tenant, {
  lastName: 'Lovelace',
  email: 'ada@example.com',
  labels: [{ id: label.id }],
  attributes: [{ externalId: attribute.externalId, value: '38' }],
  metadata: { crm: { id: 7 }, tags: ['vip'] },
});
const { id: fullId } = await make.chat(tenant, { from: known.phoneNumber, text: 'Hello' });
await tenant.put(`/v3/chats/${fullId}`, { isSensitive: true });
await tenant.post(`/v3/chats/${fullId}/assignment`, { userId: user.id, teamId: team.id });

/** A chat with every field, one with a sender without a name, and one without messages. */
const full = dataOf(await tenant.get(`/v3/chats/${fullId}`));
const nameless = await make.chat(tenant, { kind: 'email' });
const { id: channelId } = await make.channel(tenant, 'sms');
const silent = await made('/v3/chats', { channelId, contactId: known.id });
const chats = [full, nameless, silent];
const contacts = chats.map(({ contact }) => contact);

describe('Resources / Chat (v3)', () => {
  it.each(Object.entries(tables.chat))('has %s: %s', (name, type) => expectField(chats, name, type));

  it('has null for what is unknown, and never lacks a field', () => {
    expect(silent).toMatchObject({
      openUntil: null,
      latestMessage: null,
      assignedUserId: null,
      assignedTeamId: null,
      isSensitive: false,
    });
    for (const chat of chats) expectFits(tables.chat, chat);
  });

  it('can be open', () => expect(full.status).toBe('open'));

  it('embeds the contact, the handle and the message whose ids it has', () => {
    expect(full.contact.id).toBe(full.contactId);
    expect(full.handle.id).toBe(full.handleId);
    expect(full.latestMessage.text).toBe('Hello');
    expect(full.contactId).toBe(known.id);
  });

  it('counts unread messages', () => {
    expect([full.unreadCount, full.isUnread]).toEqual([1, true]);
    expect([silent.unreadCount, silent.isUnread]).toEqual([0, false]);
  });

  it('is open for a free-form reply for 24 hours after the last message on WhatsApp', () => {
    const window = Date.parse(full.openUntil) - Date.parse(full.latestMessage.timestamp);
    expect(window).toBe(24 * 3600_000);
    expect(nameless.openUntil).toBeNull();
  });

  it('has its assignees and its sensitivity', () => {
    expect(full).toMatchObject({ assignedUserId: user.id, assignedTeamId: team.id, isSensitive: true });
  });
});

describe('Resources / Contact (v3)', () => {
  it.each(Object.entries(tables.contact))('has %s: %s', (name, type) => expectField(contacts, name, type));

  it('is the same by itself and embedded in a chat', async () => {
    const { body } = await tenant.get(`/v3/contacts/${known.id}`);
    const embedded = dataOf(await tenant.get(`/v3/chats/${fullId}`)).contact;
    expect(body.data).toEqual(embedded);
  });

  it('has a full name and a display name', () => {
    expect(full.contact).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      fullName: 'Ada Lovelace',
      displayName: 'Ada Lovelace',
      isSubscribed: true,
    });
    expect(nameless.contact).toMatchObject({ firstName: null, lastName: null, fullName: '' });
    expect(nameless.contact.displayName).toBe(nameless.handle.value);
  });

  it('has handles', () => {
    for (const { handles } of contacts) for (const handle of handles) expectFits(tables.handle, handle);
    expect(full.contact.handles).toHaveLength(2);
    expect(full.contact).toMatchObject({ phoneNumber: known.phoneNumber, email: 'ada@example.com' });
  });

  it('has labels with id, name and color', () => {
    const { id, name, color } = label;
    expect(full.contact.labels).toEqual([{ id, name, color }]);
  });

  it('has attributes with id, externalId, name, type and value', () => {
    const { id, externalId, name } = attribute;
    expect(full.contact.attributes).toEqual([{ id, externalId, name, type: 'text', value: '38' }]);
  });

  it('has chats with id, channelId, status and updatedAt', () => {
    for (const { id, status, updatedAt, contact, ...chat } of [full, nameless])
      expect(contact.chats).toContainEqual({ id, channelId: chat.channelId, status, updatedAt });
  });

  it('returns its metadata unchanged', () => {
    expect(full.contact.metadata).toEqual({ crm: { id: 7 }, tags: ['vip'] });
    expect(nameless.contact.metadata).toEqual({});
  });
});

describe('Resources / Handle (v3)', () => {
  const handles = [full.handle, nameless.handle, silent.handle];
  it.each(Object.entries(tables.handle))('has %s: %s', (name, type) => expectField(handles, name, type));

  it('can be a phone_number', () => {
    expect(full.handle).toMatchObject({ type: 'phone_number', value: known.phoneNumber, isPrimary: true });
  });

  it('is an email on an email channel', () => expect(nameless.handle.type).toBe('email'));

  it('shows whether it has chats', () => {
    const byType = (type: string) => full.contact.handles.find((one: { type: string }) => one.type === type);
    expect(full.handle.hasChats).toBe(true);
    expect(byType('email').hasChats).toBe(false);
  });

  it('keeps the data of the vendor in extra', async () => {
    expect((await make.chat(tenant, { name: 'Grace' })).handle.extra).toMatchObject({ name: 'Grace' });
  });
});

describe('Resources / Message (v3, as embedded in a chat)', () => {
  const messages = [full.latestMessage, nameless.latestMessage];
  it.each(Object.entries(tables.message))('has %s: %s', (name, type) => expectField(messages, name, type));

  it('is inbound when a customer wrote it', () => expect(full.latestMessage.sender).toBe('inbound'));

  it('can be a text', () => expect(full.latestMessage).toMatchObject({ type: 'text', text: 'Hello' }));
});

describe('Resources / API webhook (v3)', () => {
  let ids: string[];
  let webhook: Resource;
  beforeAll(async () => {
    ids = [(await make.channel(tenant)).id, (await make.channel(tenant)).id].toSorted();
    const events = [{ scopes: [{ type: 'channel', ids }] }, { type: 'message.received', scopes: [] }];
    webhook = await make.webhook(tenant, { events });
  });

  it.each(Object.entries(tables.apiWebhook))('has %s: %s', (name, type) =>
    expectField([webhook], name, type));

  it('is active at first', () => expect(webhook.status).toBe('active'));

  it('has events with scopes, each of the type channel with ids of channels', () => {
    const [first, second] = webhook.events;
    expect(first.scopes).toEqual([{ type: 'channel', ids: expect.any(Array) }]);
    expect(first.scopes[0].ids.toSorted()).toEqual(ids);
    expect(second.scopes).toEqual([]);
  });
});

describe('Resources / Automation (v3)', () => {
  let channelOfTrigger: string;
  let automations: Resource[];
  beforeAll(async () => {
    channelOfTrigger = (await make.channel(tenant)).id;
    const trigger = { type: 'message_received', parameters: { channelId: channelOfTrigger } };
    await make.automation(tenant, { name: 'Greeting', trigger });
    await make.automation(tenant, { name: 'Draft', isDraft: true });
    automations = dataOf(await tenant.post('/v3/automations/search', { sortBy: 'asc(name)' }));
  });

  it.each(Object.entries(tables.automation))('has %s: %s', (name, type) =>
    expectField(automations, name, type));

  it('has the ids of its versions and their triggers', () => {
    const [draft, greeting] = automations;
    expect(greeting).toMatchObject({
      name: 'Greeting',
      status: 'active',
      activeVersionId: greeting.latestVersionId,
      activeVersionTriggerType: 'message_received',
      activeVersionTriggerParametersChannelId: channelOfTrigger,
      latestVersionTriggerType: 'message_received',
      latestVersionTriggerParametersChannelId: channelOfTrigger,
    });
    expect(draft).toMatchObject({
      name: 'Draft',
      status: 'draft',
      activeVersionId: null,
      activeVersionTriggerType: null,
      activeVersionTriggerParametersChannelId: null,
      latestVersionTriggerType: 'api',
      latestVersionTriggerParametersChannelId: null,
    });
  });
});

describe('Resources / Delete result', () => {
  const deletable: [string, () => Promise<string>][] = [
    ['/v3/chats', async () => (await make.chat(tenant)).id],
    ['/v3/api_webhooks', async () => (await make.webhook(tenant)).id],
    ['/v3/message_templates', async () => (await make.template(tenant, (await make.channel(tenant)).id)).id],
  ];
  const legacy: [string, () => Promise<string>][] = [
    ['/v2/api_webhooks', async () => (await make.v2Webhook(tenant)).id],
    ['/v2/attributes', async () => (await make.attribute(tenant)).id],
  ];
  const all = server.servesV2 ? [...deletable, ...legacy] : deletable;

  it.each(all)('of %s has the ids that were deleted and those that were not found', async (path, create) => {
    const id = await create();
    const remove = async (one: string) => dataOf(await tenant.delete(`${path}/${one}`));
    expect(await remove(id)).toEqual({ deletedIds: [id], notFoundIds: [] });
    for (const gone of [id, 'c1a0c1a0-0000-4000-8000-000000000000', 'not-an-id', '0'])
      expect(await remove(gone)).toEqual({ deletedIds: [], notFoundIds: [gone] });
  });

  it.each(all)('of %s does not affect another tenant', async (path, create) => {
    const id = await create();
    const otherTenant = await server.tenant();
    expect(dataOf(await otherTenant.delete(`${path}/${id}`))).toEqual({ deletedIds: [], notFoundIds: [id] });
    expect(dataOf(await tenant.delete(`${path}/${id}`)).deletedIds).toEqual([id]);
  });
});

describe('Resources / File public URL', () => {
  it('is a string called publicUrl', async () => {
    const { id } = await make.file(tenant, 'hello');
    expect(dataOf(await tenant.get(`/v3/files/${id}/public_url`))).toEqual({ publicUrl: expect.any(String) });
  });
});
