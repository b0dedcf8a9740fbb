import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let published: ReturnType<typeof listener>;
beforeEach(async () => {
  tenant = await server.tenant();
  published = listener(server, tenant);
});

const create = (body: unknown) => tenant.post('/v3/contacts', body);
const issues = async (body: unknown): Promise<Record<string, string>> => {
  const answer = await create(body);
  expect(answer.status).toBe(400);
  return Object.fromEntries(
    Object.entries(answer.body.error.invalidParams as Record<string, { key: string }>).map(
      ([path, issue]) => [path, issue.key],
    ),
  );
};
const contacts = async (): Promise<number> =>
  Number(
    (await server.system.db.query('select count(*) from contacts where tenant_id = $1', [tenant.id])).rows[0]
      ?.count,
  );

describe('a contact', () => {
  it('is created with all fields and read, and is published once', async () => {
    const label = (await tenant.post('/v3/labels', { name: 'VIP', color: '#0f766e' })).body.data;
    const size = (await tenant.post('/v3/attributes', { name: 'Size', externalId: 'size', type: 'number' }))
      .body.data;
    await tenant.post('/v3/attributes', { name: 'Since', externalId: 'since', type: 'date' });
    const made = await create({
      firstName: ' Ada ',
      lastName: 'Lovelace',
      phoneNumber: '+1 (555) 000-1111',
      email: 'Ada@Example.com',
      handles: [{ type: 'instagram_id', value: '17841' }],
      labels: [{ id: label.id }, { id: label.id.toUpperCase() }],
      attributes: [
        { id: size.id, value: 44 },
        { externalId: 'since', value: '2026-11-15' },
      ],
      isSubscribed: false,
      metadata: { crm: { id: 7 } },
    });
    expect(made.body.data).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      fullName: 'Ada Lovelace',
      displayName: 'Ada Lovelace',
      isSubscribed: false,
      phoneNumber: '+15550001111',
      email: 'ada@example.com',
      labels: [{ id: label.id, name: 'VIP', color: '#0f766e' }],
      attributes: [
        { id: size.id, externalId: 'size', name: 'Size', type: 'number', value: '44' },
        { externalId: 'since', type: 'date', value: '2026-11-15' },
      ],
      chats: [],
      metadata: { crm: { id: 7 } },
    });
    const handles = made.body.data.handles as { type: string; isPrimary: boolean; hasChats: boolean }[];
    expect(handles.map((handle) => [handle.type, handle.isPrimary, handle.hasChats]).sort()).toEqual([
      ['email', true, false],
      ['instagram_id', true, false],
      ['phone_number', true, false],
    ]);
    expect((await tenant.get(`/v3/contacts/${made.body.data.id}`)).body).toEqual(made.body);
    expect(await published()).toEqual([
      { type: 'contact.created', contactId: made.body.data.id, data: made.body.data },
    ]);
  });

  it('has a language and a time zone, by which it is found', async () => {
    const { id, ...made } = (await create({ firstName: 'Ada', language: 'de_at', timezone: 'Europe/Vienna' }))
      .body.data;
    expect(made).toMatchObject({ language: 'de-AT', timezone: 'Europe/Vienna' });
    const other = (await create({ firstName: 'Bob' })).body.data;
    expect(other).toMatchObject({ language: null, timezone: null });
    const found = async (query: string) =>
      (await tenant.post('/v3/contacts/search', { query })).body.data.map(
        (contact: { id: string }) => contact.id,
      );
    expect(await found('startsWith(language,"de")')).toEqual([id]);
    expect(await found('eq(timezone,"Europe/Vienna")')).toEqual([id]);
    expect(await found('isNull(timezone)')).toEqual([other.id]);
    const changed = await tenant.put(`/v3/contacts/${id}`, { language: 'PT-br', timezone: null });
    expect(changed.body.data).toMatchObject({ language: 'pt-BR', timezone: null });
    for (const wrong of [
      { language: 'German!', timezone: 'Berlin' },
      { language: '', timezone: '' },
      { language: 'x'.repeat(30), timezone: '+01:00x' },
    ]) {
      expect(Object.keys((await create({ firstName: 'x', ...wrong })).body.error.invalidParams)).toEqual([
        'language',
        'timezone',
      ]);
      expect((await tenant.put(`/v3/contacts/${id}`, wrong)).status).toBe(400);
    }
  });

  it('is displayed by its name, or else its phone number, its email or another handle', async () => {
    const shown = async (body: unknown) => {
      const { displayName, fullName } = (await create(body)).body.data;
      return [displayName, fullName];
    };
    expect(await shown({ lastName: 'Lovelace', phoneNumber: '+15550001111' })).toEqual([
      'Lovelace',
      'Lovelace',
    ]);
    expect(await shown({ phoneNumber: '+15550002222', email: 'b@example.com' })).toEqual([
      '+15550002222',
      '',
    ]);
    expect(await shown({ email: 'c@example.com' })).toEqual(['c@example.com', '']);
    expect(await shown({ handles: [{ type: 'instagram_id', value: '17841' }] })).toEqual(['17841', '']);
  });

  it('needs a name or a handle', async () => {
    for (const body of [
      {},
      undefined,
      { firstName: ' ', lastName: null },
      { isSubscribed: true, handles: [] },
    ])
      expect(await issues(body)).toEqual({ body: 'custom' });
    expect(await contacts()).toBe(0);
  });

  it('has one primary handle of each type: the one marked as such, phoneNumber and email, or the first', async () => {
    const phone = (value: string, isPrimary?: boolean) => ({
      type: 'phone_number',
      value,
      ...(isPrimary === undefined ? {} : { isPrimary }),
    });
    const first = await create({ handles: [phone('+15550001111'), phone('+15550002222')] });
    expect(first.body.data.phoneNumber).toBe('+15550001111');
    const said = await create({ handles: [phone('+15550003333'), phone('+15550004444', true)] });
    expect(said.body.data.phoneNumber).toBe('+15550004444');
    const both = await create({ handles: [phone('+15550005555', true)], phoneNumber: '+15550006666' });
    expect(both.body.data.phoneNumber).toBe('+15550006666');
    expect(both.body.data.handles).toHaveLength(2);
    const double = await create({ handles: [phone('+1 555 000 7777')], phoneNumber: '+15550007777' });
    expect(double.body.data.handles).toHaveLength(1);
    expect(await issues({ handles: [phone('+15550008888', true), phone('+15550009999', true)] })).toEqual({
      'handles.1.isPrimary': 'custom',
    });
  });

  it('with invalid fields is refused with every issue, and nothing is stored', async () => {
    const other = await server.tenant();
    const foreignLabel = (await other.post('/v3/labels', { name: 'Theirs' })).body.data.id;
    const foreignAttribute = (await other.post('/v3/attributes', { name: 'x', externalId: 'theirs' })).body
      .data.id;
    const plan = { name: 'Plan', externalId: 'plan', type: 'select', options: ['free', 'paid'] };
    await tenant.post('/v3/attributes', plan);
    await tenant.post('/v3/attributes', { name: 'Size', externalId: 'size', type: 'number' });
    expect(
      await issues({
        phoneNumber: '0171 2345678',
        email: 'nobody',
        handles: [
          { type: 'email', value: 'x' },
          { type: 'phone_number', value: '+1' },
          { type: 'whatsapp_id', value: ' ' },
        ],
        labels: [{ id: newId() }, { id: foreignLabel }],
        attributes: [
          { externalId: 'plan', value: 'other' },
          { externalId: 'size', value: 'large' },
          { externalId: 'theirs', value: 'x' },
          { id: foreignAttribute, value: 'x' },
          { value: 'x' },
        ],
        metadata: { much: 'x'.repeat(20_000) },
      }),
    ).toEqual({
      phoneNumber: 'invalid_string',
      email: 'invalid_string',
      'handles.0.value': 'invalid_string',
      'handles.1.value': 'invalid_string',
      'handles.2.value': 'invalid_string',
      'labels.0.id': 'custom',
      'labels.1.id': 'custom',
      'attributes.0.value': 'invalid_enum_value',
      'attributes.1.value': 'invalid_string',
      'attributes.2.externalId': 'custom',
      'attributes.3.id': 'custom',
      'attributes.4.externalId': 'invalid_type',
      metadata: 'too_big',
    });
    expect([await contacts(), await published()]).toEqual([0, []]);
  });

  it('A2: a label or attribute of another tenant is refused like one that does not exist', async () => {
    const other = await server.tenant();
    const label = (await other.post('/v3/labels', { name: 'Theirs' })).body.data.id;
    const attribute = (await other.post('/v3/attributes', { name: 'x', externalId: 'theirs' })).body.data.id;
    const unknown = newId();
    const asked = async (body: (id: string) => unknown, foreign: string) => {
      const [answer, expected] = [await create(body(foreign)), await create(body(unknown))];
      const message = (text: string, id: string) =>
        text.replaceAll(id, 'ID').replaceAll(/req_[0-9a-f-]+/g, 'req');
      expect(message(answer.text, foreign)).toBe(message(expected.text, unknown));
      expect(answer.status).toBe(400);
    };
    await asked((id) => ({ firstName: 'A', labels: [{ id }] }), label);
    await asked((id) => ({ firstName: 'A', attributes: [{ id, value: 'x' }] }), attribute);
    expect(await contacts()).toBe(0);
  });

  it('with the handle of another contact is a conflict that names it', async () => {
    const { id } = (await create({ firstName: 'Ada', phoneNumber: '+15550001111', email: 'a@example.com' }))
      .body.data;
    await published();
    for (const body of [
      { phoneNumber: '+1 555 000 1111' },
      { firstName: 'Other', email: 'A@example.com' },
      { phoneNumber: '+15550009999', handles: [{ type: 'email', value: 'a@example.com' }] },
    ]) {
      const answer = await create(body);
      expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
      expect(answer.body.error.message).toContain(id);
    }
    expect([await contacts(), await published()]).toEqual([1, []]);
    // The phone number of the refused request is not stored either.
    expect((await create({ phoneNumber: '+15550009999' })).status).toBe(200);
  });

  it('with the handle of a sender is a conflict too', async () => {
    const channel = await tenant.channel('sms');
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '15550001111', text: 'hello' });
    await server.settle();
    const [created] = await published();
    expect(created?.data.phoneNumber).toBe('+15550001111');
    const answer = await create({ phoneNumber: '+15550001111' });
    expect(answer.body.error.message).toContain(created?.contactId);
  });

  it('created 50 times at once is one, and 49 conflicts name it', async () => {
    const bodies = Array.from({ length: 50 }, (_, n) => ({
      firstName: `N${n}`,
      phoneNumber: '+15550001111',
      ...(n % 2 ? { email: 'rush@example.com' } : {}),
    }));
    const answers = await Promise.all(bodies.map(create));
    const [made, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(49);
    for (const { body } of refused) expect(body.error.message).toContain(made?.body.data.id);
    expect([await contacts(), (await published()).length]).toEqual([1, 1]);
  });

  it('may have the same number as a contact of another tenant', async () => {
    const other = await server.tenant();
    const ours = await create({ phoneNumber: '+15550001111', firstName: 'Ours' });
    const theirs = await other.post('/v3/contacts', { phoneNumber: '+15550001111', firstName: 'Theirs' });
    expect([ours.status, theirs.status]).toEqual([200, 200]);
    expect(ours.body.data.id).not.toBe(theirs.body.data.id);
    expect((await other.get(`/v3/contacts/${ours.body.data.id}`)).body.error.messageKey).toBe(
      'contact_not_found',
    );
  });

  it('is found by its number in the spelling of its country, and so are its chats', async () => {
    const tenant = await server.tenant();
    const { id } = (await tenant.post('/v3/contacts', { phoneNumber: '+491700000777' })).body.data;
    await tenant.post('/v3/contacts', { phoneNumber: '+491700000888' });
    const channel = await tenant.channel('sms');
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+491700000777', text: 'hi' });
    await server.settle();
    for (const search of ['0170 0000777', '0049 170 0000777', '170/0000-777', '+491700000777']) {
      const found = await tenant.post('/v3/contacts/search', { search });
      expect(found.body.data.map((contact: { id: string }) => contact.id)).toEqual([id]);
      expect((await tenant.post('/v3/chats/search', { search })).body.data).toHaveLength(1);
    }
  });

  it('is found when its number sends a message', async () => {
    const { id } = (await create({ firstName: 'Ada', phoneNumber: '+15550001111' })).body.data;
    const channel = await tenant.channel();
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
      from: '+15550001111',
      text: 'hi',
      name: 'Countess',
    });
    await server.settle();
    const contact = (await tenant.get(`/v3/contacts/${id}`)).body.data;
    expect([contact.firstName, contact.chats.length, contact.handles[0].hasChats]).toEqual(['Ada', 1, true]);
  });
});
