import { beforeEach, describe, expect, it } from 'vitest';
import type { ContactDeps } from '../../src/contacts/contact-labels.ts';
import { upsertContacts } from '../../src/contacts/import/upsert-contacts.ts';
import type { ContactItem } from '../../src/contacts/schema.ts';
import { publisher } from '../../src/engine/outbox.ts';
import { wakeUps } from '../../src/engine/wakeups.ts';
import type { HandleType } from '../../src/providers/adapter.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const deps: ContactDeps = { clock: server.clock, publisher: publisher(server.clock, wakeUps(db)) };

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const merge = (items: ContactItem[], matchBy: HandleType = 'phone_number', of = tenant): Promise<string[]> =>
  db.transaction((tx) => upsertContacts(tx, of.id, items, { matchBy }, deps));
const issuesOf = async (items: ContactItem[]): Promise<Record<string, { key: string; message: string }>> =>
  merge(items).then(
    () => ({}),
    (error) => error.invalidParams,
  );
const read = async (id: string | undefined, of = tenant) => (await of.get(`/v3/contacts/${id}`)).body.data;
const count = async (table: string): Promise<number> =>
  Number((await db.query(`select count(*) from ${table} where tenant_id = $1`, [tenant.id])).rows[0]?.count);
const told = async (): Promise<string[]> =>
  (await db.query('select type from events where tenant_id = $1 order by position', [tenant.id])).rows.map(
    (row) => row.type as string,
  );
const attribute = (externalId: string, type = 'text', options?: string[]) =>
  tenant.post('/v3/attributes', { name: externalId, externalId, type, ...(options ? { options } : {}) });

describe('a list of people', () => {
  it('becomes contacts, with names, handles, attributes and labels, and each is told of once', async () => {
    await attribute('size', 'number');
    const [ada, bob] = await merge([
      {
        firstName: 'Ada',
        lastName: 'Lovelace',
        phoneNumber: '+1 555 000 1111',
        email: 'Ada@Example.com',
        attributes: [{ externalId: 'size', value: '44' }],
        labels: [{ name: 'VIP' }, { name: 'vip' }],
      },
      { phoneNumber: '+15550002222', firstName: null },
    ]);
    expect(await read(ada)).toMatchObject({
      fullName: 'Ada Lovelace',
      phoneNumber: '+15550001111',
      email: 'ada@example.com',
      attributes: [{ externalId: 'size', type: 'number', value: '44' }],
      labels: [{ name: 'VIP' }],
    });
    expect(await read(bob)).toMatchObject({ fullName: '', displayName: '+15550002222', firstName: null });
    expect(await told()).toEqual(['contact.created', 'contact.created']);
    const { rows } = await db.query(
      `select data from events where tenant_id = $1 and contact_id = $2 and type = 'contact.created'`,
      [tenant.id, ada],
    );
    expect(JSON.parse(rows[0]?.data as string)).toEqual(await read(ada));
  });

  it('changes who is there already: null and what is left out stay, the rest is merged', async () => {
    await attribute('size');
    await attribute('city');
    const [first] = await merge([
      {
        firstName: 'Ada',
        phoneNumber: '+15550001111',
        attributes: [{ externalId: 'size', value: '44' }],
        labels: [{ name: 'VIP' }],
      },
    ]);
    const before = await read(first);
    server.clock.advance(1000);
    const [again] = await merge([
      {
        firstName: null,
        lastName: 'Lovelace',
        phoneNumber: '+15550001111',
        email: 'ada@example.com',
        attributes: [{ externalId: 'city', value: 'London' }],
        labels: [{ name: 'Late' }],
      },
    ]);
    expect(again).toBe(first);
    const after = await read(first);
    expect(after).toMatchObject({ fullName: 'Ada Lovelace', email: 'ada@example.com' });
    expect(after.attributes.map(({ value }: { value: string }) => value)).toEqual(['44', 'London']);
    expect(after.labels.map(({ name }: { name: string }) => name)).toEqual(['VIP', 'Late']);
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(await told()).toEqual(['contact.created', 'contact.updated', 'contact.labels_added']);
  });

  it('that says nothing new changes nothing and tells nobody', async () => {
    await attribute('size');
    const list = [
      {
        firstName: 'Ada',
        phoneNumber: '+15550001111',
        email: 'ada@example.com',
        attributes: [{ externalId: 'size', value: '44' }],
        labels: [{ name: 'VIP' }],
      },
    ];
    const [id] = await merge(list);
    const before = await read(id);
    server.clock.advance(1000);
    expect(await merge(list)).toEqual([id]);
    expect(await read(id)).toEqual(before);
    expect(await told()).toEqual(['contact.created']);
  });

  it('has doubles as one contact, and later words count more', async () => {
    const ids = await merge([
      { phoneNumber: '+15550001111', firstName: 'A', labels: [{ name: 'x' }] },
      { phoneNumber: '+1 (555) 000-1111', firstName: 'Ada', labels: [{ name: 'y' }] },
      { email: 'b@example.com' },
      { phoneNumber: '+15550002222', email: 'B@example.com', lastName: 'Bee' },
    ]);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(await count('contacts')).toBe(2);
    const ada = await read(ids[0]);
    expect([ada.firstName, ada.labels.length]).toEqual(['Ada', 2]);
    expect(await read(ids[2])).toMatchObject({
      phoneNumber: '+15550002222',
      email: 'b@example.com',
      lastName: 'Bee',
    });
  });

  it('never makes one of two contacts: a handle that somebody else has stays with them', async () => {
    const [phone, mail] = await merge([{ phoneNumber: '+15550001111' }, { email: 'ada@example.com' }]);
    expect(await merge([{ phoneNumber: '+15550001111', email: 'ada@example.com' }])).toEqual([phone]);
    expect(await merge([{ phoneNumber: '+15550001111', email: 'ada@example.com' }], 'email')).toEqual([mail]);
    expect((await read(phone)).email).toBeNull();
    expect((await read(mail)).phoneNumber).toBeNull();
  });

  it('adds a further email address beside the one that is shown', async () => {
    const [id] = await merge([{ phoneNumber: '+15550001111', email: 'one@example.com' }]);
    await merge([{ phoneNumber: '+15550001111', email: 'two@example.com' }]);
    const contact = await read(id);
    expect(contact.email).toBe('one@example.com');
    expect(
      contact.handles.map((one: { value: string; isPrimary: boolean }) => [one.value, one.isPrimary]),
    ).toEqual([
      ['+15550001111', true],
      ['one@example.com', true],
      ['two@example.com', false],
    ]);
    const [found] = await merge([{ email: 'two@example.com' }], 'email');
    expect(found).toBe(id);
  });

  it('makes labels by name, whatever the case, once', async () => {
    const vip = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data.id;
    const [id] = await merge([{ phoneNumber: '+15550001111', labels: [{ name: 'vip' }, { name: ' New ' }] }]);
    expect((await read(id)).labels).toMatchObject([{ id: vip, name: 'VIP' }, { name: 'New' }]);
    expect(await count('labels')).toBe(2);
  });

  it('in which anything is wrong is refused whole, with every fault at its path', async () => {
    await attribute('size', 'number');
    await attribute('born', 'date');
    await attribute('plan', 'select', ['free', 'paid']);
    const issues = await issuesOf([
      { phoneNumber: '+15550001111', labels: [{ name: 'VIP' }] },
      { phoneNumber: '5550001111' },
      { phoneNumber: '+15550002222', email: 'not an address' },
      {},
      {
        phoneNumber: '+15550003333',
        attributes: [
          { externalId: 'nothing', value: 'x' },
          { externalId: 'size', value: 'large' },
          { externalId: 'born', value: '2026-02-30' },
          { externalId: 'plan', value: 'other' },
        ],
        labels: [{ name: ' ' }],
      },
    ]);
    expect(Object.fromEntries(Object.entries(issues).map(([path, { key }]) => [path, key]))).toEqual({
      'contacts.1.phoneNumber': 'invalid_string',
      'contacts.2.email': 'invalid_string',
      'contacts.3.phoneNumber': 'custom',
      'contacts.4.attributes.0.externalId': 'custom',
      'contacts.4.attributes.1.value': 'invalid_string',
      'contacts.4.attributes.2.value': 'invalid_string',
      'contacts.4.attributes.3.value': 'invalid_enum_value',
      'contacts.4.labels.0.name': 'too_small',
    });
    expect([await count('contacts'), await count('labels'), await told()]).toEqual([0, 0, []]);
  });

  it('of nothing but faults names a hundred of them', async () => {
    const issues = await issuesOf(Array.from({ length: 5000 }, () => ({ phoneNumber: 'x' })));
    expect(Object.keys(issues)).toHaveLength(100);
  });

  it('A2: knows the attributes of its own tenant only', async () => {
    const other = await server.tenant();
    await other.post('/v3/attributes', { name: 'x', externalId: 'theirs' });
    const issues = await issuesOf([
      { phoneNumber: '+15550001111', attributes: [{ externalId: 'theirs', value: 'x' }] },
    ]);
    expect(Object.keys(issues)).toEqual(['contacts.0.attributes.0.externalId']);
  });

  it('leaves another tenant’s contact with the same number alone', async () => {
    const other = await server.tenant();
    const [ours] = await merge([{ phoneNumber: '+15550001111', firstName: 'Ours' }]);
    const [theirs] = await merge(
      [{ phoneNumber: '+15550001111', firstName: 'Theirs' }],
      'phone_number',
      other,
    );
    expect((await read(ours)).firstName).toBe('Ours');
    expect((await read(theirs, other)).firstName).toBe('Theirs');
  });

  it('merged many times at once, forwards and backwards, by either handle, makes each person once', async () => {
    const people = Array.from({ length: 60 }, (_, n) => ({
      phoneNumber: `+1555000${1000 + n}`,
      email: `p${n}@example.com`,
      firstName: `P${n}`,
      labels: [{ name: `L${n % 5}` }],
    }));
    const lists = Array.from({ length: 20 }, (_, n) => (n % 2 ? people : people.toReversed()));
    const all = await Promise.all(lists.map((list, n) => merge(list, n % 3 ? 'phone_number' : 'email')));
    const [first = []] = all;
    for (const [n, ids] of all.entries()) expect(n % 2 ? ids.toReversed() : ids).toEqual(first);
    expect(new Set(first).size).toBe(60);
    expect([await count('contacts'), await count('handles'), await count('labels')]).toEqual([60, 120, 5]);
    expect((await told()).filter((type) => type === 'contact.created')).toHaveLength(60);
  });

  it('of 5000 is merged at once', async () => {
    await attribute('size', 'number');
    const list = Array.from({ length: 5000 }, (_, n) => ({
      firstName: `First${n}`,
      lastName: `Last${n}`,
      phoneNumber: `+1555${String(2000000 + n)}`,
      email: `many${n}@example.com`,
      attributes: [{ externalId: 'size', value: String(n % 50) }],
      labels: [{ name: 'Many' }],
    }));
    const ids = await merge(list);
    expect(new Set(ids).size).toBe(5000);
    expect(await merge(list)).toEqual(ids);
    expect(await count('contact_attributes')).toBe(5000);
  });
});
