import { beforeEach, describe, expect, it } from 'vitest';
import { upsertContacts } from '../../src/contacts/import/upsert-contacts.ts';
import type { ContactItem } from '../../src/contacts/schema.ts';
import type { HandleType } from '../../src/providers/kinds.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const merge = (items: ContactItem[], matchBy: HandleType = 'phone_number', of = tenant): Promise<string[]> =>
  db.forTenant(of.id).transaction((tx) => upsertContacts(tx, items, { matchBy }));
const issuesOf = async (items: ContactItem[]): Promise<Record<string, { key: string; message: string }>> =>
  merge(items).then(
    () => ({}),
    (error) => error.invalidParams,
  );
const read = async (id: string | undefined, of = tenant) => (await of.get(`/v3/contacts/${id}`)).body.data;
const count = async (table: string): Promise<number> =>
  Number((await db.query(`select count(*) from ${table} where tenant_id = $1`, [tenant.id])).rows[0]?.count);
const published = async (): Promise<string[]> =>
  (await db.query('select type from events where tenant_id = $1 order by position', [tenant.id])).rows.map(
    (row) => row.type as string,
  );
const attribute = (externalId: string, type = 'text', options?: string[]) =>
  tenant.post('/v3/attributes', { name: externalId, externalId, type, ...(options ? { options } : {}) });

describe('a list of contacts', () => {
  it('is stored with names, handles, attributes and labels, and each contact is published once', async () => {
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
    expect(await published()).toEqual(['contact.created', 'contact.created']);
    const { rows } = await db.query(
      `select data from events where tenant_id = $1 and contact_id = $2 and type = 'contact.created'`,
      [tenant.id, ada],
    );
    expect(JSON.parse(rows[0]?.data as string)).toEqual(await read(ada));
  });

  it('updates existing contacts: null and left-out fields stay, the rest is merged', async () => {
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
    expect(await published()).toEqual(['contact.created', 'contact.updated', 'contact.labels_added']);
  });

  it('without changes stores nothing and publishes nothing', async () => {
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
    expect(await published()).toEqual(['contact.created']);
  });

  it('stores duplicates as one contact, and later values count', async () => {
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

  it('never merges two contacts: a handle of another contact stays with it', async () => {
    const [phone, mail] = await merge([{ phoneNumber: '+15550001111' }, { email: 'ada@example.com' }]);
    expect(await merge([{ phoneNumber: '+15550001111', email: 'ada@example.com' }])).toEqual([phone]);
    expect(await merge([{ phoneNumber: '+15550001111', email: 'ada@example.com' }], 'email')).toEqual([mail]);
    expect((await read(phone)).email).toBeNull();
    expect((await read(mail)).phoneNumber).toBeNull();
  });

  it('adds another email address to the primary one', async () => {
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

  it('creates labels by name once, not case-sensitive', async () => {
    const vip = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data.id;
    const [id] = await merge([{ phoneNumber: '+15550001111', labels: [{ name: 'vip' }, { name: ' New ' }] }]);
    expect((await read(id)).labels).toMatchObject([{ id: vip, name: 'VIP' }, { name: 'New' }]);
    expect(await count('labels')).toBe(2);
  });

  it('with any issue is refused as a whole, with every issue at its path', async () => {
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
    expect([await count('contacts'), await count('labels'), await published()]).toEqual([0, 0, []]);
  });

  it('with more than a hundred issues reports a hundred', async () => {
    const issues = await issuesOf(Array.from({ length: 5000 }, () => ({ phoneNumber: 'x' })));
    expect(Object.keys(issues)).toHaveLength(100);
  });

  it('A2: uses only attributes of its own tenant', async () => {
    const other = await server.tenant();
    await other.post('/v3/attributes', { name: 'x', externalId: 'theirs' });
    const issues = await issuesOf([
      { phoneNumber: '+15550001111', attributes: [{ externalId: 'theirs', value: 'x' }] },
    ]);
    expect(Object.keys(issues)).toEqual(['contacts.0.attributes.0.externalId']);
  });

  it('does not change a contact of another tenant with the same number', async () => {
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

  it('merged many times at once, in both orders and by either handle, creates each contact once', async () => {
    const contacts = Array.from({ length: 60 }, (_, n) => ({
      phoneNumber: `+1555000${1000 + n}`,
      email: `p${n}@example.com`,
      firstName: `P${n}`,
      labels: [{ name: `L${n % 5}` }],
    }));
    const lists = Array.from({ length: 20 }, (_, n) => (n % 2 ? contacts : contacts.toReversed()));
    const all = await Promise.all(lists.map((list, n) => merge(list, n % 3 ? 'phone_number' : 'email')));
    const [first = []] = all;
    for (const [n, ids] of all.entries()) expect(n % 2 ? ids.toReversed() : ids).toEqual(first);
    expect(new Set(first).size).toBe(60);
    expect([await count('contacts'), await count('handles'), await count('labels')]).toEqual([60, 120, 5]);
    expect((await published()).filter((type) => type === 'contact.created')).toHaveLength(60);
  });

  it('can have 5000 contacts', async () => {
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
