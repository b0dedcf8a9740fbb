import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { attributesOf } from '../../src/attributes/find-attributes.ts';
import { newId } from '../../src/base/ids.ts';
import { valueToCompare } from '../../src/contacts/attributes/values.ts';
import type { Contact } from '../../src/contacts/schema.ts';
import { contactSearchable } from '../../src/contacts/search.ts';
import { evaluateFilter } from '../../src/search/evaluate.ts';
import { parseFilter } from '../../src/search/grammar/filter.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let labels: string[];
const contacts: Contact[] = [];

const attributes = {
  city: 'text',
  size: 'number',
  isPaying: 'boolean',
  born: 'date',
  seen: 'datetime',
  site: 'url',
  plan: 'select',
};
const values: Record<string, string[]> = {
  city: ['Berlin', 'berlin', 'Paris', 'São Paulo', 'Ber%', '😀', 'x'.repeat(300), `${'x'.repeat(300)}y`],
  size: ['-1', '0', '9', '10', '44.5', '1e3'],
  isPaying: ['true', 'false'],
  born: ['1815-12-10', '1906-12-09', '2000-02-29'],
  seen: ['2026-11-15T01:02:03.004Z', '2026-11-15T01:02:03.005Z', '2026-11-14T23:00:00-05:00'],
  site: ['https://example.com', 'http://example.org/a?b=c'],
  plan: ['free', 'paid'],
};
const names = ['Ada', 'ada', 'Grace Brewster', "O'Neil", 'Äda', null];

/** Contacts that differ in every field, created through the API. */
beforeAll(async () => {
  tenant = await server.tenant();
  for (const [externalId, type] of Object.entries(attributes))
    await tenant.post('/v3/attributes', {
      name: externalId,
      externalId,
      type,
      ...(type === 'select' ? { options: ['free', 'paid'] } : {}),
    });
  labels = await Promise.all(
    ['A', 'B', 'C'].map(async (name) => (await tenant.post('/v3/labels', { name })).body.data.id),
  );
  const seeds = fc.sample(
    fc.record({
      firstName: fc.constantFrom(...names),
      lastName: fc.constantFrom(...names),
      hasPhone: fc.boolean(),
      hasEmail: fc.boolean(),
      isSubscribed: fc.boolean(),
      labels: fc.subarray([0, 1, 2]),
      attributes: fc.record(
        Object.fromEntries(
          Object.entries(values).map(([name, some]) => [name, fc.constantFrom(null, ...some)]),
        ),
      ),
    }),
    { numRuns: 60, seed: 4 },
  );
  for (const [n, seed] of seeds.entries()) {
    if (n % 3 === 0) server.clock.advance(1000);
    const made = await tenant.post('/v3/contacts', {
      firstName: seed.firstName,
      lastName: seed.lastName,
      phoneNumber: seed.hasPhone ? `+1555000${1000 + n}` : null,
      email: seed.hasEmail ? `p${n}@example.com` : null,
      handles: [{ type: 'instagram_id', value: `ig-${n}` }],
      isSubscribed: seed.isSubscribed,
      labels: seed.labels.map((index) => ({ id: labels[index] })),
      attributes: Object.entries(seed.attributes).map(([externalId, value]) => ({ externalId, value })),
    });
    expect(made.status).toBe(200);
    contacts.push(made.body.data);
  }
});

const search = (body: unknown) => tenant.post('/v3/contacts/search', body);
const idsOf = async (body: object): Promise<string[]> => {
  const { body: answer, status } = await search({ ...body, pagination: { limit: 100 } });
  expect([status, answer.error]).toEqual([200, undefined]);
  expect(answer.pagination.total).toBe(answer.data.length);
  return answer.data.map(({ id }: { id: string }) => id);
};

/** The values of a contact that filters compare. */
function shownIn(contact: Contact, field: string): unknown {
  if (field === 'labelIds') return contact.labels.map(({ id }) => id);
  if (!field.startsWith('attributes.')) return contact[field as keyof Contact];
  const found = contact.attributes.find(({ externalId }) => `attributes.${externalId}` === field);
  return found && valueToCompare(found.type as never, found.value);
}

const fields: Record<string, { values: unknown[]; kind: 'text' | 'number' | 'boolean' | 'time' | 'list' }> = {
  firstName: { values: [...names.slice(0, 5), 'ad', 'GRACE', 'rew'], kind: 'text' },
  lastName: { values: [...names.slice(0, 5), 'neil'], kind: 'text' },
  fullName: { values: ['Ada Ada', 'Grace Brewster', 'ada', ''], kind: 'text' },
  phoneNumber: { values: ['+15550001003', '+15550001004', '0001', '+1555'], kind: 'text' },
  email: { values: ['p1@example.com', 'p5@EXAMPLE.com', '@example', 'p1'], kind: 'text' },
  isSubscribed: { values: [true, false], kind: 'boolean' },
  labelIds: { values: [], kind: 'list' },
  'attributes.city': { values: [...(values.city as string[]), 'ber', 'xxx'], kind: 'text' },
  'attributes.size': { values: [-1, 0, 9, 10, 44.5, 1000], kind: 'number' },
  'attributes.isPaying': { values: [true, false], kind: 'boolean' },
  'attributes.born': { values: values.born as string[], kind: 'time' },
  'attributes.seen': { values: [...(values.seen as string[]), '2026-11-15'], kind: 'time' },
  'attributes.site': { values: [...(values.site as string[]), 'EXAMPLE'], kind: 'text' },
  'attributes.plan': { values: ['free', 'paid', 'fr'], kind: 'text' },
};
const OPERATORS = {
  text: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'contains', 'startsWith', 'isNull'],
  number: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'isNull'],
  time: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'isNull'],
  boolean: ['eq', 'ne', 'in', 'isNull'],
  list: ['contains', 'in'],
};
const leaf = fc.constantFrom(...Object.entries(fields)).chain(([name, { values: some, kind }]) =>
  fc.constantFrom(...OPERATORS[kind]).chain((op) => {
    const value = fc
      .constantFrom(
        ...(kind === 'list' ? [0, 1, 2].map((index) => () => labels[index]) : some.map((one) => () => one)),
      )
      .map((get) => JSON.stringify(get()));
    if (op === 'isNull') return fc.constant(`isNull(${name})`);
    if (op === 'in')
      return fc.array(value, { minLength: 1, maxLength: 3 }).map((list) => `in(${name},${list.join()})`);
    return value.map((one) => `${op}(${name},${one})`);
  }),
);
const filter = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
        .map(([op, of]) => `${op}(${of.join()})`),
    },
    { weight: 1, arbitrary: tie('node').map((of) => `not(${of})`) },
  ),
})).node;

describe('searching contacts', () => {
  it('finds by every field what the same condition says about the contact', async () => {
    const searchable = contactSearchable(
      tenant.id,
      await attributesOf(server.system.db.forTenant(tenant.id)),
    );
    const property = fc.asyncProperty(filter, async (query) => {
      const condition = parseFilter(query, searchable, new Date());
      const expected = contacts.filter((contact) =>
        evaluateFilter(condition, (name) => shownIn(contact, name)),
      );
      expect((await idsOf({ query })).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('returns complete contacts, the newest first, page by page', async () => {
    const newestFirst = contacts.toSorted((a, b) =>
      a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1,
    );
    const seen: Contact[] = [];
    let cursor: string | null | undefined;
    do {
      const { body } = await search({ pagination: { limit: 7, ...(cursor ? { cursor } : {}) } });
      expect(body.pagination.total).toBe(contacts.length);
      seen.push(...body.data);
      cursor = body.pagination.nextCursor;
    } while (cursor);
    expect(seen).toEqual(newestFirst);
    const second = await search({ pagination: { page: 1, limit: 7 } });
    expect(second.body.data).toEqual(newestFirst.slice(7, 14));
  });

  it('sorts by names, handles and attributes, and contacts without the value last', async () => {
    const sorted = async (sortBy: string, field: string) => {
      const { body } = await search({ sortBy, pagination: { limit: 100 } });
      return body.data.map((contact: Contact) => shownIn(contact, field) ?? null);
    };
    const sizes = await sorted('asc(attributes.size)', 'attributes.size');
    const known = sizes.filter((size: number | null) => size !== null);
    expect(known).toEqual(known.toSorted((a: number, b: number) => a - b));
    expect(sizes.slice(known.length)).toEqual(Array(contacts.length - known.length).fill(null));
    const phones = await sorted('desc(phoneNumber)', 'phoneNumber');
    expect(phones.filter(Boolean)).toEqual(phones.filter(Boolean).toSorted().toReversed());
    expect((await search({ sortBy: 'asc(labelIds)' })).body.error.invalidParams.sortBy.message).toContain(
      'Cannot sort',
    );
  });

  it('searches for a part of a name, a number, an address or another handle, not case-sensitive, or an exact id', async () => {
    const found = async (text: string) => (await idsOf({ search: text })).toSorted();
    const texts = (contact: Contact) => [contact.fullName, ...contact.handles.map(({ value }) => value)];
    for (const part of [
      'ada',
      'BREWSTER',
      'a g',
      'äda',
      "o'n",
      '0001003',
      'P7@',
      'example.COM',
      'ig-1',
      '%',
      '_',
      'a',
      'zz',
    ])
      expect([part, await found(part)]).toEqual([
        part,
        contacts
          .filter((contact) => texts(contact).some((text) => text.toLowerCase().includes(part.toLowerCase())))
          .map(({ id }) => id)
          .toSorted(),
      ]);
    const [first] = contacts as [Contact];
    expect(await found(first.id)).toEqual([first.id]);
    expect(await found(newId())).toEqual([]);
  });

  it('reports what is wrong with a query, and suggests a similar attribute', async () => {
    const wrong = async (query: string): Promise<string> => {
      const { status, body } = await search({ query });
      expect([query, status, Object.keys(body.error?.invalidParams ?? {})]).toEqual([query, 400, ['query']]);
      return body.error.invalidParams.query.message;
    };
    expect(await wrong('eq(attributes.siez,1)')).toContain('did you mean "attributes.size"?');
    expect(await wrong('eq(atributes.city,"x")')).toContain('did you mean "attributes.city"?');
    expect(await wrong('eq(attributes.size,"large")')).toContain('Expected a number');
    expect(await wrong('gt(attributes.born,"soon")')).toContain('ISO 8601');
    expect(await wrong('eq(attributes.isPaying,1)')).toContain('true or false');
    expect(await wrong('eq(labelIds,"x")')).toContain('contains, in');
    expect(await wrong('in(labelIds,null)')).toContain('text in quotes');
    expect(await wrong('eq(search_text,"x")')).toContain('Unknown field');
  });

  it('A2: finds no contacts, labels or attributes of another tenant', async () => {
    const other = await server.tenant();
    await other.post('/v3/attributes', { name: 'x', externalId: 'theirs' });
    const [first] = contacts as [Contact];
    const ask = (body: unknown) => other.post('/v3/contacts/search', body);
    for (const body of [
      {},
      { search: 'ada' },
      { search: first.id },
      { query: `eq(id,"${first.id}")` },
      { query: `contains(labelIds,"${labels[0]}")` },
      { query: `eq(phoneNumber,"${contacts.find(({ phoneNumber }) => phoneNumber)?.phoneNumber}")` },
    ])
      expect((await ask(body)).body.data).toEqual([]);
    expect((await ask({ query: 'eq(attributes.city,"Berlin")' })).status).toBe(400);
    expect((await search({ query: 'eq(attributes.theirs,"x")' })).status).toBe(400);
  });

  it('finds a contact by its present values and not by earlier ones', async () => {
    const mine = await server.tenant();
    const found = async (text: string) =>
      (await mine.post('/v3/contacts/search', { search: text })).body.data.map(({ id }: Contact) => id);
    const channel = await mine.channel();
    await mine.post(`/v3/sandbox/${channel.id}/inbound`, {
      from: '15550007777',
      text: 'hi',
      name: 'Katherine Johnson',
    });
    await server.settle();
    const [id] = await found('erine john');
    expect(id).toBeDefined();
    expect(await found('+15550007777')).toEqual([id]);
    await mine.put(`/v3/contacts/${id}`, { firstName: 'Dorothy', lastName: null, email: 'dv@example.com' });
    expect([await found('katherine'), await found('DOROTHY'), await found('dv@')]).toEqual([[], [id], [id]]);
    await mine.put(`/v3/contacts/${id}`, { email: null });
    expect([await found('dv@'), await found('0007777')]).toEqual([[], [id]]);
    await mine.delete(`/v3/contacts/${id}`);
    expect(await found('dorothy')).toEqual([]);
  });
});
