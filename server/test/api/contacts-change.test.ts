import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let published: ReturnType<typeof listener>;
let id: string;
// biome-ignore lint/suspicious/noExplicitAny: as the API shows it
let before: any;

beforeEach(async () => {
  tenant = await server.tenant();
  published = listener(server, tenant);
  for (const [externalId, type] of [
    ['size', 'number'],
    ['city', 'text'],
  ])
    await tenant.post('/v3/attributes', { name: externalId, externalId, type });
  const made = await tenant.post('/v3/contacts', {
    firstName: 'Ada',
    lastName: 'Lovelace',
    phoneNumber: '+15550001111',
    email: 'ada@example.com',
    attributes: [{ externalId: 'size', value: '44' }],
    metadata: { a: 1 },
  });
  before = made.body.data;
  id = before.id;
  await published();
  server.clock.advance(1000);
});

const change = (body: unknown) => tenant.put(`/v3/contacts/${id}`, body);
const types = async (): Promise<string[]> => (await published()).map((event) => event.type);
/** Creates a chat with the contact's first phone number. */
async function chat(): Promise<void> {
  const channel = await tenant.channel();
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
  await server.settle();
  await published();
}
const phones = (contact: { handles: { type: string; value: string; isPrimary: boolean }[] }) =>
  contact.handles
    .filter((handle) => handle.type === 'phone_number')
    .map((handle) => `${handle.value}${handle.isPrimary ? ' shown' : ''}`)
    .sort();

describe('updating a contact', () => {
  it('changes the given fields: null clears one, and one that is left out stays', async () => {
    const { body } = await change({ firstName: null, lastName: 'King', metadata: { b: [2] } });
    expect(body.data).toEqual({
      ...before,
      firstName: null,
      lastName: 'King',
      fullName: 'King',
      displayName: 'King',
      metadata: { b: [2] },
      updatedAt: server.clock.now().toISOString(),
    });
    expect(await published()).toEqual([{ type: 'contact.updated', contactId: id, data: body.data }]);
    expect((await change({ metadata: null })).body.data.metadata).toEqual({});
  });

  it('publishes no event if nothing is different', async () => {
    for (const body of [
      {},
      undefined,
      { firstName: ' Ada ' },
      { phoneNumber: '+1 555 000 1111', email: 'ADA@example.com' },
      { attributes: [{ externalId: 'size', value: 44 }] },
      { attributes: [{ externalId: 'city', value: null }] },
      { metadata: { a: 1 }, isSubscribed: true, labels: [] },
      before,
    ])
      expect((await change(body)).body.data).toEqual(before);
    expect(await types()).toEqual([]);
  });

  it('merges attributes, and null removes a value', async () => {
    const first = await change({ attributes: [{ externalId: 'city', value: 'London' }] });
    expect(first.body.data.attributes).toMatchObject([{ value: '44' }, { value: 'London' }]);
    const second = await change({ attributes: [{ externalId: 'size', value: null }] });
    expect(second.body.data.attributes).toMatchObject([{ externalId: 'city', value: 'London' }]);
    expect(await types()).toEqual(['contact.updated', 'contact.updated']);
    expect(
      (await change({ attributes: [{ externalId: 'size', value: 'x' }] })).body.error.invalidParams,
    ).toEqual({
      'attributes.0.value': { key: 'invalid_string', message: 'Must be a number such as 42 or -0.5' },
    });
  });

  it('replaces the labels if they are given, and publishes what was added and removed', async () => {
    const [vip, late] = await Promise.all(
      ['VIP', 'Late'].map(async (name) => (await tenant.post('/v3/labels', { name })).body.data.id),
    );
    await change({ labels: [{ id: vip }] });
    expect(await types()).toEqual(['contact.labels_added']);
    expect((await change({ firstName: 'A' })).body.data.labels).toHaveLength(1);
    const { body } = await change({ labels: [{ id: late }] });
    expect(body.data.labels).toMatchObject([{ name: 'Late' }]);
    expect(await types()).toEqual(['contact.updated', 'contact.labels_added', 'contact.labels_removed']);
    const refused = await change({ labels: [{ id: newId() }], firstName: 'B' });
    expect(Object.keys(refused.body.error.invalidParams)).toEqual(['labels.0.id']);
    expect((await tenant.get(`/v3/contacts/${id}`)).body.data).toEqual(body.data);
  });

  it('publishes an opt-out once, and an opt-in', async () => {
    await change({ isSubscribed: false });
    expect(await types()).toEqual(['contact.updated', 'contact.unsubscribed']);
    await change({ isSubscribed: false });
    expect(await types()).toEqual([]);
    await change({ isSubscribed: true });
    expect(await types()).toEqual(['contact.updated', 'contact.subscribed']);
  });

  it('cannot remove all names and handles', async () => {
    const nothing = { firstName: null, lastName: null, phoneNumber: null, email: null };
    expect((await change(nothing)).body.error.invalidParams.body.key).toBe('custom');
    expect((await tenant.get(`/v3/contacts/${id}`)).body.data).toEqual(before);
    expect((await change({ ...nothing, firstName: 'A' })).body.data).toMatchObject({
      handles: [],
      displayName: 'A',
    });
  });

  it('of an unknown contact is 404', async () => {
    for (const unknown of [newId(), 'nothing'])
      expect(
        (await tenant.put(`/v3/contacts/${unknown}`, { phoneNumber: '+15550009999' })).body.error.messageKey,
      ).toBe('contact_not_found');
  });
});

describe('the handles of a contact', () => {
  it('are replaced by a new phoneNumber, and the contact is found by it', async () => {
    const { body } = await change({ phoneNumber: '+15550002222' });
    expect([body.data.phoneNumber, phones(body.data)]).toEqual(['+15550002222', ['+15550002222 shown']]);
    const found = await tenant.post('/v3/contacts', { phoneNumber: '+15550002222' });
    expect(found.body.error.message).toContain(id);
    expect((await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).status).toBe(200);
  });

  it('with chats are kept when there is a new phoneNumber', async () => {
    await chat();
    const { body } = await change({ phoneNumber: '+15550002222' });
    expect(phones(body.data)).toEqual(['+15550001111', '+15550002222 shown']);
    const back = await change({ phoneNumber: '+15550001111' });
    expect(phones(back.body.data)).toEqual(['+15550001111 shown']);
  });

  it('are removed by null, unless they have chats', async () => {
    expect((await change({ email: null })).body.data.email).toBeNull();
    await chat();
    const refused = await change({ phoneNumber: null, firstName: 'Changed' });
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain('+15550001111 has chats');
    const [{ id: chatId }] = (await tenant.get(`/v3/contacts/${id}`)).body.data.chats;
    await tenant.delete(`/v3/chats/${chatId}`);
    const { body } = await change({ phoneNumber: null });
    expect([body.data.phoneNumber, body.data.firstName]).toEqual([null, 'Ada']);
  });

  it('given as a list replace the earlier list', async () => {
    const { body } = await change({
      handles: [
        { type: 'phone_number', value: '+15550001111' },
        { type: 'phone_number', value: '+15550002222', isPrimary: true },
        { type: 'whatsapp_id', value: 'US.1' },
      ],
    });
    expect(phones(body.data)).toEqual(['+15550001111', '+15550002222 shown']);
    expect(body.data.email).toBeNull();
    // The one that stays keeps its id.
    const kept = (contact: { handles: { id: string; value: string }[] }) =>
      contact.handles.find((handle) => handle.value === '+15550001111')?.id;
    expect(kept(body.data)).toBe(kept(before));
    await chat();
    const refused = await change({ handles: [{ type: 'whatsapp_id', value: 'US.1' }] });
    expect(refused.status).toBe(409);
    const both = await change({ handles: [{ type: 'email', value: 'b@example.com' }], email: null });
    expect(both.body.error.invalidParams.email.key).toBe('custom');
  });

  it('of another contact are a conflict that names it, and nothing changes', async () => {
    const other = (await tenant.post('/v3/contacts', { email: 'taken@example.com' })).body.data.id;
    await published();
    const { status, body } = await change({ firstName: 'X', email: 'taken@example.com' });
    expect([status, body.error.messageKey]).toEqual([409, 'conflict']);
    expect(body.error.message).toContain(other);
    expect((await tenant.get(`/v3/contacts/${id}`)).body.data).toEqual(before);
    expect(await types()).toEqual([]);
  });

  it('set by 50 requests at once belong to one contact, and each contact has one primary handle', async () => {
    const others = await Promise.all(
      Array.from(
        { length: 5 },
        async (_, n) => (await tenant.post('/v3/contacts', { firstName: `N${n}` })).body.data.id,
      ),
    );
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        tenant.put(`/v3/contacts/${others[n % 5]}`, { phoneNumber: `+1555000${2000 + (n % 7)}` }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const { rows } = await server.system.db.query(
      `select count(*) as all, count(distinct value) as values, max(per) as most from (
         select value, count(*) filter (where is_primary) over (partition by contact_id) as per from handles
          where tenant_id = $1 and contact_id = any ($2::uuid[])) h`,
      [tenant.id, others],
    );
    expect(rows[0]?.all).toBe(rows[0]?.values);
    expect(Number(rows[0]?.most)).toBe(1);
  });
});
