import { beforeEach, describe, expect, it } from 'vitest';
import { mergeContacts } from '../../src/contacts/merge/merge-contacts.ts';
import { automationOf } from '../kit/automations.ts';
import { fillChat } from '../kit/bulk.ts';
import { listener } from '../kit/events.ts';
import { useGraph } from '../kit/graph.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { contactsOf, messagesOf, useNumber, type WhatsAppNumber } from '../kit/whatsapp.ts';

const server = await useServer();
const graph = await useGraph();
const NUMBER = '15550001111';
const USER_ID = 'US.13491208655302741918';

let tenant: TestTenant;
let shop: WhatsAppNumber;
beforeEach(async () => {
  tenant = await server.tenant();
  shop = await useNumber(server, tenant, graph);
});

const post = async (path: string, body: object = {}) => {
  const answer = await tenant.post(path, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
};
const chatsOf = async () => post('/v3/chats/search', { sortBy: 'asc(createdAt)' });
const merge = (survivingId: string, mergedId: string) =>
  server.system.db.forTenant(tenant.id).transaction((tx) => mergeContacts(tx, survivingId, mergedId));

describe('a message with a number and an id of two contacts', () => {
  it('makes one contact of them, which has everything that both had', async () => {
    const attribute = await post('/v3/attributes', { externalId: 'city', name: 'City', type: 'text' });
    const [vip, news] = [
      await post('/v3/labels', { name: 'VIP' }),
      await post('/v3/labels', { name: 'News' }),
    ];
    const older = await post('/v3/contacts', {
      firstName: 'Ada',
      phoneNumber: `+${NUMBER}`,
      labels: [{ id: vip.id }],
      language: 'fr',
      metadata: { plan: 'gold' },
    });
    await shop.text({ number: NUMBER }, 'by number');
    await shop.text({ userId: USER_ID, name: 'Somebody Else' }, 'by id');
    const newer = (await contactsOf(tenant))[1];
    await tenant.put(`/v3/contacts/${newer.id}`, {
      labels: [{ id: vip.id }, { id: news.id }],
      attributes: [{ id: attribute.id, value: 'Paris' }],
      metadata: { plan: 'silver', shoe: 38 },
      language: 'de',
      timezone: 'Europe/Paris',
      isSubscribed: false,
    });
    const [first, second] = await chatsOf();
    await post(`/v3/chats/${second.id}/notes`, { text: 'Prefers mornings' });
    const published = listener(server, tenant);
    await published();

    await shop.text({ number: NUMBER, userId: USER_ID }, 'by both');
    const [contact, ...others] = await contactsOf(tenant);
    expect(others).toEqual([]);
    expect(contact).toMatchObject({
      id: older.id,
      fullName: 'Ada',
      isSubscribed: false,
      metadata: { plan: 'gold', shoe: 38 },
      language: 'fr',
      timezone: 'Europe/Paris',
      handles: [
        { type: 'phone_number', value: `+${NUMBER}`, isPrimary: true },
        { type: 'whatsapp_id', value: USER_ID, isPrimary: true },
      ],
      attributes: [{ externalId: 'city', value: 'Paris' }],
    });
    expect(contact.labels.map(({ name }: { name: string }) => name).sort()).toEqual(['News', 'VIP']);
    expect((await tenant.get(`/v3/contacts/${newer.id}`)).status).toBe(404);
    expect(await post(`/v3/contacts/${older.id}/consents/search`)).toHaveLength(4);

    const [chat, ...rest] = await chatsOf();
    expect(rest).toEqual([]);
    expect(chat).toMatchObject({ id: first.id, contactId: older.id, unreadCount: 3, status: 'open' });
    expect(
      (await messagesOf(tenant)).map(({ text, chatId, contactId }: Record<string, string>) => [
        text,
        chatId === chat.id && contactId === older.id,
      ]),
    ).toEqual([
      ['by number', true],
      ['by id', true],
      ['by both', true],
    ]);
    expect(await post(`/v3/chats/${chat.id}/notes/search`)).toMatchObject([{ text: 'Prefers mornings' }]);

    const events = (await published()).filter(({ type }) => type === 'contact.merged');
    expect(events).toMatchObject([
      {
        data: {
          mergedContactId: newer.id,
          contact: { id: older.id },
          mergedChats: [{ chatId: second.id, intoChatId: first.id }],
        },
      },
    ]);
    // The same again changes nothing.
    await shop.text({ number: NUMBER, userId: USER_ID }, 'again');
    expect(await contactsOf(tenant)).toHaveLength(1);
    expect((await published()).filter(({ type }) => type === 'contact.merged')).toEqual([]);
  });

  it('lets a run go on that waits for a reply in the chat of the one that disappears', async () => {
    await post('/v3/contacts', { phoneNumber: `+${NUMBER}` });
    await shop.text({ number: NUMBER }, 'before the bot');
    await automationOf(tenant, {
      trigger: { type: 'message_received', parameters: { keywords: ['hello'] } },
      steps: [
        { id: 'ask', type: 'send_message', parameters: { text: 'What do you need?' } },
        { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        { id: 'thanks', type: 'send_message', parameters: { text: 'You said {{ message.text }}' } },
      ],
    });
    await shop.text({ userId: USER_ID }, 'hello');
    const runs = () => post('/v3/automation_runs/search', { sortBy: 'asc(createdAt)' });
    expect(await runs()).toMatchObject([{ status: 'waiting' }]);
    graph.taken.length = 0;
    await shop.text({ number: NUMBER, userId: USER_ID }, 'shoes');
    const [contact] = await contactsOf(tenant);
    expect(await runs()).toMatchObject([{ status: 'completed', contactId: contact.id }]);
    expect(graph.taken.map(({ text }) => text.body)).toEqual(['You said shoes']);
  });

  it('S2: makes the chat sensitive if one of both was', async () => {
    await shop.text({ number: NUMBER }, 'by number');
    await shop.text({ userId: USER_ID }, 'by id');
    const [, second] = await chatsOf();
    expect((await tenant.put(`/v3/chats/${second.id}`, { isSensitive: true })).status).toBe(200);
    await shop.text({ number: NUMBER, userId: USER_ID }, 'by both');
    expect(await chatsOf()).toMatchObject([{ isSensitive: true }]);
  });
});

it('I8: two numbers of the business that get such messages at once make one contact, without a deadlock', async () => {
  const second = await useNumber(server, tenant);
  const numbers = Array.from({ length: 5 }, (_, index) => `1555000${7000 + index}`);
  for (const number of numbers) {
    await shop.text({ number }, 'by number');
    await second.text({ userId: `US.${number}` }, 'by id');
  }
  expect(await contactsOf(tenant)).toHaveLength(10);
  const value = (phoneNumberId: string) => ({
    field: 'messages',
    value: {
      metadata: { phone_number_id: phoneNumberId },
      messages: numbers.map((number) => ({
        from: number,
        from_user_id: `US.${number}`,
        id: `wamid.${phoneNumberId}.${number}`,
        timestamp: '1794704523',
        type: 'text',
        text: { body: 'by both' },
      })),
    },
  });
  await Promise.all([shop, second].map((one) => one.post([value(one.phoneNumberId)])));
  await server.settle();
  expect(await contactsOf(tenant)).toHaveLength(5);
  expect((await chatsOf()).length).toBe(10);
  const { rows } = await server.system.db.query('select error from inbound where tenant_id = $1', [
    tenant.id,
  ]);
  expect(rows).toEqual([]);
});

describe('merging two contacts', () => {
  it('keeps two chats over two numbers, and each gets what is written to its number', async () => {
    await shop.text({ number: NUMBER }, 'one');
    await shop.text({ number: '15550002222' }, 'two');
    const [first, second] = await contactsOf(tenant);
    const merged = await merge(first.id, second.id);
    expect(merged).toMatchObject({ mergedContactId: second.id, mergedChats: [] });
    await shop.text({ number: '15550002222' }, 'two again');
    const chats = await chatsOf();
    expect(chats).toMatchObject([
      { contactId: first.id, latestMessage: { text: 'one' } },
      { contactId: first.id, latestMessage: { text: 'two again' } },
    ]);
    expect(merged.contact).toMatchObject({
      phoneNumber: `+${NUMBER}`,
      handles: [{ isPrimary: true }, { value: '+15550002222', isPrimary: false }],
    });
  });

  it('is refused for a contact that does not exist, and for a contact with itself', async () => {
    const { id } = await post('/v3/contacts', { firstName: 'Ada' });
    const other = await (await server.tenant()).post('/v3/contacts', { firstName: 'Bob' });
    for (const unknown of ['x', '019a82a0-0000-7000-8000-00000000ffff', other.body.data.id])
      await expect(merge(id, unknown)).rejects.toMatchObject({ key: 'contact_not_found' });
    await expect(merge(id, id)).rejects.toMatchObject({ key: 'conflict' });
    expect(await contactsOf(tenant)).toHaveLength(1);
  });

  it('sends a campaign once to a person who was two recipients of it', async () => {
    const sandbox = await tenant.channel();
    const automation = await automationOf(tenant, {
      trigger: { type: 'campaign' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'News' } }],
    });
    for (const number of ['+15550003333', '+15550004444'])
      await post(`/v3/sandbox/${sandbox.id}/inbound`, { from: number, text: 'Hello' });
    await server.settle();
    const [first, second] = await contactsOf(tenant);
    const campaign = await post('/v3/campaigns', {
      name: 'News',
      channelId: sandbox.id,
      automationId: automation,
      status: 'draft',
      contacts: [{ phoneNumber: '+15550003333' }, { phoneNumber: '+15550004444' }],
    });
    await merge(first.id, second.id);
    const recipients = await post(`/v3/campaigns/${campaign.id}/recipients/search`);
    expect(recipients).toMatchObject([{ contactId: first.id }]);
  });

  it('lets the link of a mail unsubscribe the contact that is left', async () => {
    const first = await post('/v3/contacts', { firstName: 'Ada', email: 'ada@example.com' });
    const second = await post('/v3/contacts', { firstName: 'Ada', email: 'ada@work.example.com' });
    const { unsubscribeUrl } = await import('../../src/contacts/consent/unsubscribe-link.ts');
    const url = unsubscribeUrl(server.keys, '', {
      tenantId: tenant.id,
      contactId: second.id,
      messageId: null,
    });
    await merge(first.id, second.id);
    expect((await server.call('POST', url, { raw: '' })).status).toBe(200);
    expect((await tenant.get(`/v3/contacts/${first.id}`)).body.data).toMatchObject({
      subscriptions: [{ channelKind: 'email', status: 'unsubscribed' }],
    });
  });

  it('moves many messages in the background, and nothing is hidden meanwhile', async () => {
    await shop.text({ number: NUMBER }, 'one');
    await shop.text({ number: '15550002222' }, 'two');
    const [first, second] = await contactsOf(tenant);
    const chat = (await chatsOf())[1];
    await fillChat(server, tenant, chat.id, 1_500);
    const { rows: before } = await server.system.db.query(
      'select count(*)::int as n from messages where chat_id = $1',
      [chat.id],
    );
    await merge(first.id, second.id);
    expect(await contactsOf(tenant)).toMatchObject([{ id: first.id }]);
    expect((await tenant.get(`/v3/contacts/${second.id}`)).status).toBe(404);
    expect((await post(`/v3/chats/${chat.id}/messages/search`, { pagination: { limit: 1 } })).length).toBe(1);
    await server.settle();
    const { rows } = await server.system.db.query(
      `select count(*)::int as n, count(*) filter (where contact_id = $2)::int as moved,
              (select count(*)::int from contacts where tenant_id = $3) as contacts,
              (select count(*)::int from removals where tenant_id = $3) as removals,
              (select count(*)::int from events where tenant_id = $3 and contact_id = $4) as events
         from messages where chat_id = $1`,
      [chat.id, first.id, tenant.id, second.id],
    );
    expect(rows).toEqual([{ n: before[0]?.n, moved: before[0]?.n, contacts: 1, removals: 0, events: 0 }]);
  });

  it('S1: leaves nothing of either after the contact is erased, even while messages are being moved', async () => {
    await shop.text({ number: NUMBER }, 'one');
    await shop.text({ number: '15550002222', name: 'Planted Name' }, 'planted text');
    const [first, second] = await contactsOf(tenant);
    await fillChat(server, tenant, (await chatsOf())[1].id, 1_500);
    await merge(first.id, second.id);
    expect((await tenant.delete(`/v3/contacts/${first.id}`)).status).toBe(200);
    await server.settle();
    for (const table of ['contacts', 'handles', 'chats', 'messages', 'merged_contacts']) {
      const { rows } = await server.system.db.query(`select 1 from ${table} where tenant_id = $1`, [
        tenant.id,
      ]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    const { rows } = await server.system.db.query('select data from events where tenant_id = $1', [
      tenant.id,
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/[Pp]lanted/);
  });
});
