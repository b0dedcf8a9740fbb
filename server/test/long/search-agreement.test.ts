import fc from 'fast-check';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { compareBySort, evaluateFilter } from '../../src/search/evaluate.ts';
import type { Filter } from '../../src/search/grammar/filter.ts';
import { completeSort, type Sort } from '../../src/search/grammar/sort.ts';
import { parseSearchRequest } from '../../src/search/request.ts';
import { runSearch } from '../../src/search/run-search.ts';
import type { SearchBody, SearchPagination } from '../../src/search/schema.ts';
import type { SearchSource } from '../../src/search/source.ts';
import { foldCase } from '../../src/search/text.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { printFilter, printSort } from '../kit/print-search.ts';
import { filter, getField, ITEM_TABLES, type Item, item, items, sort } from '../kit/search-samples.ts';
import { freshDatabase } from '../kit/server.ts';

const source: SearchSource = { select: 'i.id, i.name', from: 'items i', tenantColumn: 'i.tenant_id' };

/** Each tenant has rows of its own, so every test also checks that a search stays within its tenant. */
const tenants = [1, 2, 3].map((seed) => ({
  id: newId(),
  rows: fc.sample(item, { numRuns: 40 * seed, seed }),
}));
const anyTenant = fc.constantFrom(...tenants);
type Tenant = (typeof tenants)[number];

let client: pg.Client;

beforeAll(async () => {
  client = await usePgClient(await freshDatabase());
  await client.query(ITEM_TABLES);
  for (const { id, rows } of tenants) for (const row of rows) await insert(id, row);
});

async function insert(tenantId: string, row: Item): Promise<void> {
  const values = [
    ...[
      tenantId,
      row.id,
      row.createdAt,
      row.name,
      row.code,
      row.ownerId,
      row.unreadCount,
      row.ratio,
      row.score,
    ],
    ...[row.isOpen, row.status, row.openUntil, row.labelIds, row.tags, JSON.stringify(row.attributes)],
    ...[row.nick, `before\n${row.nick ?? ''}\nafter`],
  ];
  const places = values.map((_, index) => `$${index + 1}`).join(', ');
  await client.query(`insert into items values (${places})`, values);
  const kept: [string, unknown, number | null, string | null][] = [
    ['city', row.city, null, null],
    ['size', row.size, row.size, null],
    ['since', row.since, null, row.since],
    ['isActive', row.isActive, null, null],
  ];
  for (const value of kept.filter(([, value]) => value !== null))
    await client.query(
      'insert into item_values (item_id, name, value, number, time) values ($1, $2, $3, $4, $5)',
      [row.id, ...value],
    );
  for (const mark of row.marks) await client.query('insert into item_marks values ($1, $2)', [row.id, mark]);
}

const search = (tenant: Tenant, body: SearchBody, from: SearchSource = source) =>
  runSearch(client, items, from, tenant.id, parseSearchRequest(body, items, new Date()));

/** Limits that lead to each of the plans, and to exact and capped counts. */
const limits = fc.record(
  {
    countCap: fc.constantFrom(3, 1000),
    maxSorted: fc.constantFrom(3, 1000),
    window: fc.constantFrom(6, 2000),
    stops: fc.constant({ within: ['status'], unless: ['ownerId'], afterMs: Number.POSITIVE_INFINITY }),
  },
  { requiredKeys: [] },
);

/** Reads every page from the first to the last, by cursor. */
async function readAllPages(
  tenant: Tenant,
  body: SearchBody,
  limit: number,
  from: SearchSource = source,
): Promise<{ ids: unknown[]; totals: number[] }> {
  const ids: unknown[] = [];
  const totals: number[] = [];
  let cursor: string | null = null;
  do {
    const pagination = cursor === null ? { limit } : { limit, cursor };
    const result = await search(tenant, { ...body, pagination }, from);
    expect(result.pagination.page).toBe(totals.length);
    ids.push(...result.rows.map((row) => row.id));
    totals.push(result.pagination.total);
    cursor = result.pagination.nextCursor;
    if (totals.length > tenant.rows.length + 1) throw new Error('The cursors do not come to an end.');
  } while (cursor !== null);
  return { ids, totals };
}

function findExpected(tenant: Tenant, by: Sort | undefined, where?: Filter): string[] {
  return tenant.rows
    .filter((row) => where === undefined || evaluateFilter(where, (field) => getField(row, field)))
    .toSorted(compareBySort(completeSort(by, items), getField))
    .map((row) => row.id);
}

describe('SQL and JavaScript', () => {
  it('agree on which rows a filter matches', async () => {
    const property = fc.asyncProperty(anyTenant, filter, limits, async (tenant, where, sourceLimits) => {
      const body = { query: printFilter(where), pagination: { limit: 100 } };
      const { ids } = await readAllPages(tenant, body, 40, { ...source, ...sourceLimits });
      expect(ids).toEqual(findExpected(tenant, undefined, where));
    });
    await fc.assert(property, { numRuns: 600 });
  });

  it('agree on the order, and cursors visit every row once despite ties and nulls', async () => {
    const limit = fc.integer({ min: 1, max: 9 });
    const property = fc.asyncProperty(anyTenant, sort, limit, async (tenant, by, limit) => {
      const { ids, totals } = await readAllPages(tenant, { sortBy: printSort(by) }, limit);
      expect(ids).toEqual(findExpected(tenant, by));
      expect(new Set(totals)).toEqual(new Set([tenant.rows.length]));
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('agree on the rows and their number if a search for a text stops after every window', async () => {
    const stops = { within: ['status'], unless: ['ownerId'], afterMs: -1 };
    const limit = fc.integer({ min: 1, max: 9 });
    const window = fc.integer({ min: 1, max: 30 });
    const text = fc.constantFrom('contains(name,"a")', 'contains(code,"zz zz")', 'startsWith(code,"a")');
    const sortBy = fc.constantFrom('desc(createdAt)', 'asc(createdAt)');
    const property = fc.asyncProperty(
      anyTenant,
      text,
      sortBy,
      limit,
      window,
      async (tenant, part, by, rows, size) => {
        const query = `and(${part},eq(status,"open"))`;
        const from = { ...source, countCap: 1000, window: size, stops };
        const expected = await readAllPages(tenant, { query, sortBy: by }, 100);
        const ids: unknown[] = [];
        let cursor: string | null = null;
        let pagination: SearchPagination;
        let previous: string | undefined;
        do {
          const at = cursor === null ? { limit: rows } : { limit: rows, cursor };
          const result = await search(tenant, { query, sortBy: by, pagination: at }, from);
          ids.push(...result.rows.map((row) => row.id));
          pagination = result.pagination;
          const { searchedTo, totalIsCapped, nextCursor } = pagination;
          if (searchedTo !== undefined) {
            expect([totalIsCapped, nextCursor]).toEqual([true, expect.any(String)]);
            if (previous !== undefined)
              expect(by.startsWith('desc') ? searchedTo <= previous : searchedTo >= previous).toBe(true);
            previous = searchedTo;
          }
          expect(result.rows.length).toBeLessThanOrEqual(rows);
          cursor = nextCursor;
        } while (cursor !== null);
        expect(ids).toEqual(expected.ids);
        expect(pagination).toMatchObject({ total: ids.length });
        expect(pagination).not.toHaveProperty('searchedTo');
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('agree on filter, order and page together', async () => {
    const property = fc.asyncProperty(
      anyTenant,
      filter,
      sort,
      fc.nat(4),
      limits,
      async (tenant, where, by, page, sourceLimits) => {
        const all = findExpected(tenant, by, where);
        const body = { query: printFilter(where), sortBy: printSort(by), pagination: { page, limit: 7 } };
        const { rows, pagination } = await search(tenant, body, { ...source, ...sourceLimits });
        expect(rows.map((row) => row.id)).toEqual(all.slice(page * 7, page * 7 + 7));
        const total = Math.min(all.length, sourceLimits.countCap ?? all.length);
        expect(pagination).toMatchObject({ page, limit: 7, total });
        expect(pagination.totalIsCapped === true).toBe(total < all.length);
        expect(pagination.nextCursor === null).toBe(all.length <= page * 7 + 7);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it('agree on the rows if there is no total, which is then exact or said to be capped', async () => {
    const property = fc.asyncProperty(
      anyTenant,
      fc.option(filter, { nil: undefined }),
      sort,
      fc.nat(4),
      fc.integer({ min: 1, max: 40 }),
      limits,
      async (tenant, where, by, page, limit, sourceLimits) => {
        const from = { ...source, ...sourceLimits };
        const all = findExpected(tenant, by, where);
        const body = {
          ...(where === undefined ? {} : { query: printFilter(where) }),
          sortBy: printSort(by),
        };
        const read = async (start: object, before: number | undefined, expected: string[]) => {
          const pagination = { limit, withTotal: false, ...start };
          const result = await search(tenant, { ...body, pagination }, from);
          const { total, totalIsCapped, nextCursor } = result.pagination;
          expect(result.rows.map((row) => row.id)).toEqual(expected);
          expect(total).toBeLessThanOrEqual(all.length);
          if (totalIsCapped) expect(total).toBeGreaterThanOrEqual((before ?? 0) + expected.length);
          else expect(total).toBe(all.length);
          return nextCursor;
        };
        const part = (start: number) => all.slice(start, start + limit);
        const isAfterLast = page * limit >= all.length;
        await read({ page }, isAfterLast ? undefined : page * limit, part(page * limit));
        // By cursors, of which the second starts at one that came with a total.
        const counted = await search(tenant, { ...body, pagination: { limit } }, from);
        let cursor = counted.pagination.nextCursor;
        if (cursor !== null) await read({ cursor }, undefined, part(limit));
        cursor = await read({}, 0, part(0));
        for (let start = limit; cursor !== null; start += limit) {
          expect(start).toBeLessThan(all.length);
          cursor = await read({ cursor }, start, part(start));
        }
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it('fold the case of every letter in the same way', async () => {
    // PostgreSQL 15 and later know the letters of Unicode 14. Whether they know later ones depends on the version.
    const { rows } = await client.query<{ letter: string; lower: string }>(
      `select chr(n) as letter, lower(chr(n)) as lower from generate_series(1, 120000) n
        where n not between 55296 and 57343 and n not between 42954 and 42999 and n not between 68944 and 68965
          and n not between 93856 and 93880 and n <> 7305 and lower(chr(n)) <> chr(n)`,
    );
    expect(rows.length).toBeGreaterThan(1300);
    expect(rows.filter(({ letter, lower }) => foldCase(letter) !== lower)).toEqual([]);
  });
});

describe('a search', () => {
  const first = tenants[0] as Tenant;

  it('matches a part of a name, ignoring case, or an exact id', async () => {
    const found = async (text: string) => (await readAllPages(first, { search: text }, 100)).ids;
    for (const part of ['a', 'Ä', 'σ', '%', '_', '\\', "'", '😀', '"a', '$1']) {
      const matching = first.rows.filter((row) =>
        [row.name, row.code].some((name) => name !== null && foldCase(name).includes(foldCase(part))),
      );
      expect((await found(part)).toSorted(), part).toEqual(matching.map((row) => row.id).toSorted());
    }
    const one = first.rows[0] as Item;
    expect(await found(one.id)).toEqual([one.id]);
    expect(await found(one.id.toUpperCase())).toEqual([one.id]);
    expect(await found(one.id.slice(0, -1))).toEqual([]);
    expect(await found(tenants[1]?.rows[0]?.id ?? '')).toEqual([]);
  });

  it('executes no text of the client (I1)', async () => {
    const injection = `'; drop table items; --`;
    for (const text of [injection, `") or true --`, `\\'; select pg_sleep(9) --`, '$1', '%', '{a,b}', '\\']) {
      const quoted = text.replace(/["\\]/g, '\\$&');
      const fields = ['name', 'attributes.city', `"attributes.${quoted}"`, 'ownerId', 'id'];
      for (const field of fields) {
        for (const op of ['eq', 'in', 'gt']) await search(first, { query: `${op}(${field},"${quoted}")` });
      }
      await search(first, { query: `contains(labelIds,"${quoted}")`, search: text });
      await search(first, { sortBy: `asc("attributes.${quoted}")` });
      expect(() => parseSearchRequest({ query: text }, items, new Date())).toThrow('Invalid body params');
      expect(() => parseSearchRequest({ sortBy: text }, items, new Date())).toThrow('Invalid body params');
      expect(() => parseSearchRequest({ sortBy: `asc(name) ${text}` }, items, new Date())).toThrow(
        'Invalid body params',
      );
    }
    expect((await search(first, {})).pagination.total).toBe(first.rows.length);
  });

  it('counts exactly, or up to a cap', async () => {
    const capped = (countCap: number, page = 0) =>
      search(first, { pagination: { limit: 5, page } }, { ...source, countCap });
    const total = first.rows.length;
    expect((await capped(total)).pagination).toMatchObject({ total });
    expect((await capped(total)).pagination).not.toHaveProperty('totalIsCapped');
    expect((await capped(total - 1)).pagination).toMatchObject({ total: total - 1, totalIsCapped: true });
    const lastPage = Math.floor((total - 1) / 5);
    expect((await capped(8, lastPage)).pagination).toMatchObject({ total: 8, totalIsCapped: true });
    expect((await capped(8, 999)).pagination).toMatchObject({ total: 8, totalIsCapped: true, page: 999 });
  });

  it('applies the condition of its route', async () => {
    const where: SearchSource['where'] = (bind) => `i.status = ${bind('open')}`;
    const query = 'in(status,"open","closed")';
    const { pagination } = await search(first, { query, search: 'a' }, { ...source, where });
    const open = first.rows.filter((row) => row.status === 'open' && /a/i.test(`${row.name} ${row.code}`));
    expect(pagination.total).toBe(open.length);
  });

  it('continues after a time with microseconds', async () => {
    const tenant = { id: newId(), rows: fc.sample(item, { numRuns: 6, seed: 9 }) };
    for (const row of tenant.rows) await insert(tenant.id, row);
    await client.query(
      `update items set created_at = '2026-11-15T00:00:00.000001Z'::timestamptz + ascii(substr(id::text, 8, 1)) * interval '1 microsecond'
        where tenant_id = $1`,
      [tenant.id],
    );
    const { rows } = await client.query(
      'select id from items where tenant_id = $1 order by created_at desc, id desc',
      [tenant.id],
    );
    expect((await readAllPages(tenant, {}, 1)).ids).toEqual(rows.map((row) => row.id));
  });
});
