import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { useGraph } from '../kit/graph.ts';
import { send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { contactsOf, messagesOf, useNumber, type WhatsAppNumber } from '../kit/whatsapp.ts';

const server = await useServer();
const graph = await useGraph();
const [OLD_NUMBER, NEW_NUMBER] = ['16505551234', '12195555358'];
const [OLD_ID, NEW_ID] = ['US.111', 'US.222'];

let tenant: TestTenant;
let shop: WhatsAppNumber;
beforeEach(async () => {
  tenant = await server.tenant();
  shop = await useNumber(server, tenant, graph);
});

const chatsOf = async () => (await tenant.post('/v3/chats/search', {})).body.data;
const valuesOf = (contact: { handles: { value: string }[] }) =>
  contact.handles.map(({ value }) => value).sort();
const system = (from: object, change: object) =>
  shop.value({
    messages: [{ id: 'wamid.system', timestamp: '1753851315', type: 'system', ...from, system: change }],
  });
const changedNumber = () =>
  system(
    { from: OLD_NUMBER },
    { type: 'user_changed_number', wa_id: NEW_NUMBER, user_id: NEW_ID, previous_user_id: OLD_ID },
  );

describe('somebody with another number or id', () => {
  it('is the same contact in the same chat, and the old ones are free', async () => {
    await shop.text({ number: OLD_NUMBER, userId: OLD_ID }, 'before');
    await changedNumber();
    await changedNumber();
    await shop.text({ number: NEW_NUMBER, userId: NEW_ID }, 'after');
    const [contact, ...others] = await contactsOf(tenant);
    expect([valuesOf(contact), others]).toEqual([[`+${NEW_NUMBER}`, NEW_ID], []]);
    expect(await chatsOf()).toHaveLength(1);
    await shop.text({ number: OLD_NUMBER, userId: 'US.333' }, 'I have your old number');
    expect(await contactsOf(tenant)).toHaveLength(2);
    expect(await chatsOf()).toHaveLength(2);
  });

  it('is the same contact if the first message came before the change was reported', async () => {
    await shop.text({ number: OLD_NUMBER, userId: OLD_ID, name: 'Ada' }, 'before');
    await shop.text({ number: NEW_NUMBER, userId: NEW_ID, name: 'Ada' }, 'after');
    expect(await contactsOf(tenant)).toHaveLength(2);
    await changedNumber();
    const [contact, ...others] = await contactsOf(tenant);
    expect([valuesOf(contact), others]).toEqual([[`+${NEW_NUMBER}`, NEW_ID], []]);
    expect(await chatsOf()).toMatchObject([{ unreadCount: 2, latestMessage: { text: 'after' } }]);
    expect(await messagesOf(tenant)).toHaveLength(2);
  });

  it('keeps the contact of somebody who had the new number before, as long as only the number is known', async () => {
    await tenant.post('/v3/contacts', { firstName: 'Grace', phoneNumber: `+${NEW_NUMBER}` });
    await shop.text({ number: OLD_NUMBER }, 'before');
    await system({ from: OLD_NUMBER }, { type: 'user_changed_number', wa_id: NEW_NUMBER });
    expect((await contactsOf(tenant)).map(valuesOf)).toEqual([[`+${NEW_NUMBER}`], [`+${OLD_NUMBER}`]]);
  });

  it.each([
    [
      'user_changed_user_id',
      () =>
        system(
          { from_user_id: OLD_ID },
          { type: 'user_changed_user_id', user_id: NEW_ID, previous_user_id: OLD_ID },
        ),
    ],
    [
      'user_id_update',
      () =>
        shop.change('user_id_update', {
          user_id_update: [{ user_id: { previous: OLD_ID, current: NEW_ID }, timestamp: '1753851315' }],
        }),
    ],
  ])('has the new id after %s', async (_, report) => {
    await shop.text({ userId: OLD_ID }, 'before');
    await report();
    await report();
    await shop.text({ userId: NEW_ID }, 'after');
    expect((await contactsOf(tenant)).map(valuesOf)).toEqual([[NEW_ID]]);
    expect(await chatsOf()).toMatchObject([{ unreadCount: 2 }]);
  });
});

describe('an opt-out at WhatsApp that names a number and an id', () => {
  const stop = (wa_id: string, user_id: string) =>
    shop.change('user_preferences', {
      user_preferences: [
        { wa_id, user_id, category: 'marketing_messages', value: 'stop', timestamp: 1731705721 },
      ],
    });
  const historyOf = async (contactId: string) =>
    (await tenant.post(`/v3/contacts/${contactId}/consents/search`, {})).body.data;

  it('concerns the contact of whom only the id is known', async () => {
    await shop.text({ userId: OLD_ID }, 'hello');
    await stop(OLD_NUMBER, OLD_ID);
    const [contact] = await contactsOf(tenant);
    expect(contact).toMatchObject({ isSubscribed: false });
  });

  it('is recorded once for a contact with both', async () => {
    await shop.text({ number: OLD_NUMBER, userId: OLD_ID }, 'hello');
    await stop(OLD_NUMBER, OLD_ID);
    const [contact] = await contactsOf(tenant);
    expect(contact).toMatchObject({ isSubscribed: false });
    expect(await historyOf(contact.id)).toMatchObject([{ status: 'unsubscribed', source: 'vendor' }]);
  });
});

describe('a number with two spellings', () => {
  it.each([
    ['Brazil', '+5531987654321', '553187654321'],
    ['Brazil, the other way round', '+553187654321', '5531987654321'],
    ['Argentina', '+541123456789', '5491123456789'],
  ])('is one person: %s', async (_, stored, written) => {
    const made = await tenant.post('/v3/contacts', { firstName: 'Ada', phoneNumber: stored });
    await shop.text({ number: written, userId: 'US.1' }, 'hello');
    const [contact, ...others] = await contactsOf(tenant);
    expect(others).toEqual([]);
    expect(contact).toMatchObject({ id: made.body.data.id, phoneNumber: stored });
    await shop.text({ number: written }, 'again');
    const chats = await chatsOf();
    expect(chats).toMatchObject([{ unreadCount: 2, handle: { value: stored } }]);
    await shop.change('user_preferences', {
      user_preferences: [
        { wa_id: written, category: 'marketing_messages', value: 'stop', timestamp: 1731705721 },
      ],
    });
    expect((await contactsOf(tenant))[0]).toMatchObject({ isSubscribed: false });
  });

  it('is one chat, also if both were stored by then', async () => {
    await tenant.post('/v3/contacts', { phoneNumber: '+5531987654321' });
    await shop.text({ number: '5531987654321' }, 'one');
    const [chat] = await chatsOf();
    await send(tenant, chat, { text: 'an answer' });
    await server.system.db.query(
      `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, 'phone_number', '+553187654321', false, '{}', now(), now())`,
      [tenant.id, chat.contactId],
    );
    await shop.text({ number: '553187654321' }, 'two');
    expect(await chatsOf()).toMatchObject([{ id: chat.id, handle: { value: '+5531987654321' } }]);
    expect(await messagesOf(tenant)).toHaveLength(3);
  });

  it('merges two contacts that were made of it', async () => {
    await shop.text({ number: '5531987654321' }, 'one');
    const [{ id }] = await contactsOf(tenant);
    await server.system.db.query(
      `with other as (
         insert into contacts (id, tenant_id, first_name, is_subscribed, metadata, created_at, updated_at)
         values (gen_random_uuid(), $1, 'Ada', true, '{}', now() + interval '1 day', now()) returning id)
       insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
       select gen_random_uuid(), $1, other.id, 'phone_number', '+553187654321', true, '{}', now(), now() from other`,
      [tenant.id],
    );
    await shop.text({ number: '553187654321' }, 'two');
    expect(await contactsOf(tenant)).toMatchObject([{ id, firstName: 'Ada' }]);
    expect(await chatsOf()).toMatchObject([{ unreadCount: 2 }]);
  });

  it('is a conflict for a second contact, and is found by the list of a campaign and by `to`', async () => {
    const { id } = (await tenant.post('/v3/contacts', { phoneNumber: '+5531987654321' })).body.data;
    const second = await tenant.post('/v3/contacts', { phoneNumber: '+553187654321' });
    expect([second.status, second.body.error.message]).toEqual([409, expect.stringContaining(id)]);
    const automationId = await automationOf(tenant, { trigger: { type: 'campaign' } });
    const contacts = [{ phoneNumber: '+553187654321', firstName: 'Ada' }];
    const campaign = { name: 'News', channelId: shop.channelId, automationId, status: 'draft', contacts };
    expect((await tenant.post('/v3/campaigns', campaign)).status).toBe(200);
    await shop.text({ number: '553187654321' }, 'Hello');
    const answer = { channelId: shop.channelId, to: '+553187654321', text: 'Hi' };
    expect((await tenant.post('/v3/messages', answer)).body.data).toMatchObject({ contactId: id });
    expect(await contactsOf(tenant)).toMatchObject([{ id, firstName: 'Ada' }]);
  });
});
