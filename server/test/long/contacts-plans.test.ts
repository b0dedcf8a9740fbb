import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import '../../src/contacts/page.ts';
import { COUNT_CAP, contactSource, searchableContacts } from '../../src/contacts/search.ts';
import { queryable } from '../../src/db/queryable.ts';
import { noHooks } from '../../src/db/tenant.ts';
import { parseSearchRequest } from '../../src/search/request.ts';
import { runSearch } from '../../src/search/run-search.ts';
import type { SearchBody } from '../../src/search/schema.ts';
import {
  connectToFreshDatabase,
  countReadRows,
  explain,
  explainDeclared,
  type PlanNode,
  SEARCH_SETTINGS,
} from '../kit/explain.ts';

const client = await connectToFreshDatabase(SEARCH_SETTINGS);

const CONTACTS = 30_000;
/** Small, so that a few rows show the difference between reading what is needed and reading everything. */
const CAP = 500;
const WINDOW = 1_000;
const source = { ...contactSource, countCap: CAP, window: WINDOW };
/** How much may be read of one table: matches up to the cap, a window of rows, and the page. */
const MAX_READ = 2 * (CAP + WINDOW);
/** The number of the oldest contacts: more than the cap, and outside of any window. */
const OLD = 2 * CAP;
const MIDDLE = CONTACTS / 2;

const tenants = [newId(), newId()] as const;
const [tenant] = tenants;
const [city, size, born] = [newId(), newId(), newId()];
const [all, half, rare, old, middle, young] = [newId(), newId(), newId(), newId(), newId(), newId()];

/** A tenant's contacts with numbers; `n % m` decides how many of them have a label or value. */
const seed = `(select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
                 from generate_series(1, ${CONTACTS}) n)`;

beforeAll(async () => {
  const [own, other] = tenants;
  await client.query(
    `insert into tenants (id, name, plan, created_at, updated_at)
     select t, 'test', 'scale', now(), now() from unnest($1::uuid[]) t`,
    [[own, other]],
  );
  for (const [id, externalId, type] of [
    [city, 'city', 'text'],
    [size, 'size', 'number'],
    [born, 'born', 'date'],
  ])
    await client.query(
      `insert into attributes (id, tenant_id, external_id, name, type, created_at, updated_at)
       values ($1, $2, $3, $3, $4, now(), now())`,
      [id, own, externalId, type],
    );
  await client.query(
    `insert into labels (id, tenant_id, name, created_at, updated_at) select l, $1, l::text, now(), now() from unnest($2::uuid[]) l`,
    [own, [all, half, rare, old, middle, young]],
  );
  // Building the index after the inserts takes a fraction of the time.
  const { rows } = await client.query(`select indexdef from pg_indexes where indexname = 'contacts_search'`);
  await client.query('drop index contacts_search');
  const insertContacts = (count: number) => `
    insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at)
    select id, $1, first, 'Fam' || n, n % 1000 <> 0, '{}', first || ' Fam' || n || E'\\n+1555' || (1000000 + n),
           timestamptz '2026-01-01' + n * interval '1 minute', now()
      from ${seed} s, lateral (select case when n <= ${OLD} then 'Anna Olga' else 'Anna' end) as named (first)
     where n <= ${count}`;
  await client.query(insertContacts(CONTACTS), [own]);
  await client.query(insertContacts(3000), [other]);
  await client.query(rows[0].indexdef);
  await client.query(
    `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select id, $1, id, 'phone_number', '+1555' || (1000000 + n), true, '{}', now(), now() from ${seed} s`,
    [own],
  );
  await client.query(
    `insert into contact_attributes (contact_id, attribute_id, tenant_id, value, number, time, updated_at)
     select s.id, a.id, $1, case a.name when 'city' then case when n % 2 = 0 then 'Berlin' else 'Town' || n % 3000 end else n::text end,
            case a.name when 'size' then n end, case a.name when 'born' then date '1900-01-01' + n end, now()
       from ${seed} s cross join unnest($2::uuid[], $3::text[]) as a (id, name)`,
    [own, [city, size, born], ['city', 'size', 'born']],
  );
  await client.query(
    `insert into contact_labels (contact_id, label_id, tenant_id, created_at)
     select s.id, l.id, $1, now() from ${seed} s cross join unnest($2::uuid[], $3::int[]) as l (id, every)
      where n % l.every = 0`,
    [own, [all, half, rare], [1, 2, 1000]],
  );
  await client.query(
    `insert into contact_labels (contact_id, label_id, tenant_id, created_at)
     select s.id, l.id, $1, now() from ${seed} s
       join unnest($2::uuid[], $3::int[]) as l (id, last) on n > l.last - ${OLD} and n <= l.last`,
    [own, [old, middle, young], [OLD, MIDDLE, CONTACTS]],
  );
  await client.query('vacuum analyze contacts, handles, contact_attributes, contact_labels');
}, 120_000);

const TABLES = ['contacts', 'contact_attributes', 'contact_labels', 'handles'];

/** Runs a search and explains each of its statements. */
async function explainSearch(body: SearchBody) {
  const db = {
    ...noHooks,
    ...queryable((query) => client.query(query), tenant),
    tenantId: tenant,
    now: new Date(),
  };
  const scans: PlanNode[] = [];
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      const nodes = await explain(client, text, values);
      scans.push(...nodes.filter((node) => TABLES.includes(node['Relation Name'] ?? '')));
      return client.query(text, values);
    },
  };
  const searchable = await searchableContacts(db);
  const result = await runSearch(
    explaining,
    searchable,
    source,
    tenant,
    parseSearchRequest(body, searchable, new Date()),
  );
  const countRead = (table: string): number =>
    scans
      .filter((scan) => scan['Relation Name'] === table)
      .reduce((sum, scan) => sum + countReadRows(scan) + countRechecked(scan), 0);
  return { result, scans, read: Math.max(...TABLES.map(countRead)) };
}

const countRechecked = (scan: PlanNode): number =>
  (scan['Rows Removed by Index Recheck'] ?? 0) * scan['Actual Loops'];

const few: [string, SearchBody, total: number][] = [
  ['a time of creation', { query: 'lt(createdAt,"2026-01-01T01:00:00Z")' }, 59],
  ['a phone number', { query: 'eq(phoneNumber,"+15551000077")' }, 1],
  ['some phone numbers', { query: 'in(phoneNumber,"+15551000077","+15551000078","+1")' }, 2],
  ['a part of a phone number', { query: 'contains(phoneNumber,"1000077")' }, 1],
  ['a last name', { query: 'eq(lastName,"Fam777")' }, 1],
  ['the beginning of a full name', { query: 'startsWith(fullName,"anna fam2999")' }, 11],
  ['contacts who opted out', { query: 'eq(isSubscribed,false)' }, 30],
  ['a text', { query: 'eq(attributes.city,"Town77")' }, 10],
  ['some texts', { query: 'in(attributes.city,"Town77","Town79")' }, 20],
  ['a part of a text', { query: 'contains(attributes.city,"own77")' }, 60],
  ['the beginning of a text', { query: 'startsWith(attributes.city,"town77")' }, 60],
  ['a substring that no text has', { query: 'contains(attributes.city,"village")' }, 0],
  ['a number', { query: 'eq(attributes.size,77)' }, 1],
  ['a range of numbers', { query: 'and(ge(attributes.size,100),lt(attributes.size,120))' }, 20],
  ['a range of dates', { query: 'lt(attributes.born,"1900-02-01")' }, 30],
  ['a label', { query: `contains(labelIds,"${rare}")` }, 30],
  ['a label or a text', { query: `or(contains(labelIds,"${rare}"),eq(attributes.city,"Town77"))` }, 40],
  ['a label and a text', { query: `and(contains(labelIds,"${rare}"),eq(attributes.city,"Berlin"))` }, 30],
  ['a part of a name', { search: 'fam29' }, 1111],
  ['a part of a name that one contact has', { search: 'FAM29999' }, 1],
  ['a part of a name and a label', { search: 'fam7000', query: `contains(labelIds,"${half}")` }, 1],
  ['a name that no contact has', { search: 'nobody at all' }, 0],
  ['a label that no contact has', { query: `contains(labelIds,"${newId()}")` }, 0],
];
const many: [string, SearchBody][] = [
  ['no condition', {}],
  ['a text that half of them have', { query: 'eq(attributes.city,"Berlin")' }],
  ['a text that they do not have', { query: 'ne(attributes.city,"Berlin")' }],
  ['a wide range of numbers', { query: 'gt(attributes.size,50)' }],
  ['a wide range of dates', { query: 'gt(attributes.born,"1910-01-01")' }],
  ['a label that all have', { query: `contains(labelIds,"${all}")` }],
  ['a label that the youngest have', { query: `contains(labelIds,"${young}")` }],
  ['a number that the youngest have', { query: `gt(attributes.size,${CONTACTS - OLD})` }],
  ['one of two labels', { query: `in(labelIds,"${all}","${half}")` }],
  ['a label that half of them have', { query: `contains(labelIds,"${half}")` }],
  ['a name that all have', { search: 'anna' }],
  ['a part that all have, oldest first', { search: '+1555', sortBy: 'asc(createdAt)' }],
  ['contacts who are subscribed', { query: 'eq(isSubscribed,true)' }],
];

const farDown: [string, SearchBody, first?: number][] = [
  ['a label', { query: `contains(labelIds,"${old}")` }],
  ['a label in the middle', { query: `contains(labelIds,"${middle}")` }, MIDDLE],
  [
    'a number in the middle',
    { query: `and(gt(attributes.size,${MIDDLE - OLD}),le(attributes.size,${MIDDLE}))` },
    MIDDLE,
  ],
  ['a label, and another', { query: `and(contains(labelIds,"${all}"),contains(labelIds,"${old}"))` }],
  ['a label or another', { query: `or(contains(labelIds,"${old}"),contains(labelIds,"${newId()}"))` }],
  ['a label, and a name', { query: `contains(labelIds,"${old}")`, search: 'anna' }],
  ['a number', { query: `le(attributes.size,${OLD})` }],
  ['a date', { query: 'lt(attributes.born,"1902-09-29")' }],
  ['a part of a name', { search: 'olga' }],
  ['a time of creation', { query: 'le(createdAt,"2026-01-01T16:40:00Z")' }],
];

describe('a search among many contacts reads no more rows than it needs', () => {
  it.each(few)('few matches: %s', async (_, body, total) => {
    const { result, scans, read } = await explainSearch(body);
    expect(result.pagination).toMatchObject(total > CAP ? { total: CAP, totalIsCapped: true } : { total });
    expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
    expect(read).toBeLessThanOrEqual(MAX_READ);
  });

  it.each(many)('many matches, first page and a later one: %s', async (_, body) => {
    const first = await explainSearch(body);
    expect(first.result.pagination).toMatchObject({ total: CAP, totalIsCapped: true });
    expect(first.result.rows).toHaveLength(10);
    const cursor = first.result.pagination.nextCursor as string;
    const later = await explainSearch({ ...body, pagination: { cursor, limit: 100 } });
    expect(later.result.rows).toHaveLength(100);
    for (const { scans, read } of [first, later]) {
      expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
      expect(read).toBeLessThanOrEqual(MAX_READ);
    }
  });

  it.each(farDown)('many matches, all of them far from the first page: %s', async (_, body, first = OLD) => {
    const { result, scans, read } = await explainSearch(body);
    expect(result.pagination).toMatchObject({ total: CAP, totalIsCapped: true });
    const { rows } = await client.query(
      `select c.last_name from unnest($1::uuid[]) with ordinality as found (id, number)
         join contacts c on c.id = found.id and c.tenant_id = $2 order by found.number limit 2`,
      [result.rows.map(({ id }) => id), tenant],
    );
    expect(rows.map((row) => row.last_name)).toEqual([`Fam${first}`, `Fam${first - 1}`]);
    expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
    // If the filter has two labels, both are read.
    expect(read).toBeLessThanOrEqual(MAX_READ + 2 * OLD);
  });
});

describe('a page in the order of creation', () => {
  const END = `'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'`;
  const scansOf = async (db: typeof client, position: string, offset = 0) =>
    (await explainDeclared(db, 'contacts.page', `11, ${offset}, ${position}, true, '${tenant}'`)).filter(
      (node) => node['Relation Name'] === 'contacts',
    );

  it('reads the page and what is skipped, and counts in the index alone', async () => {
    await client.query('set plan_cache_mode = force_generic_plan');
    const middle = `'2026-01-10T00:00:00.000000Z', '${newId()}'`;
    for (const [position, offset] of [
      [END, 0],
      [middle, 0],
      [END, 200],
    ] as const) {
      const scans = await scansOf(client, position, offset);
      expect(scans.map((node) => node['Node Type'])).toEqual(['Index Only Scan', 'Index Scan']);
      expect(scans[1]?.['Index Name']).toBe('contacts_by_tenant');
      expect(scans.map(countReadRows)).toEqual([COUNT_CAP + 1, 11 + offset]);
    }
    await client.query(`set plan_cache_mode = ${SEARCH_SETTINGS.plan_cache_mode}`);
  });

  it('has the same plan if it is made while the table is empty', async () => {
    const empty = await connectToFreshDatabase();
    const page = (await scansOf(empty, END)).at(-1);
    expect(page?.['Index Name']).toBe('contacts_by_tenant');
  });
});
