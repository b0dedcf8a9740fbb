import { describe, expect, it } from 'vitest';
import { runSearch } from '../../../src/search/run-search.ts';
import type { SearchBody } from '../../../src/search/schema.ts';
import type { SearchSource } from '../../../src/search/source.ts';
import { createItemQuery, itemSource } from '../../kit/search-query.ts';

const id = '0197a5c0-0000-7000-8000-00000000000a';
const time = '2026-11-15T01:02:03.456789Z';
const row = { id, $key: [time, id] };
const LIMIT = 10;
const FULL_PAGE = Array(LIMIT + 1).fill(row);

type Statement = 'page in order' | 'matches' | 'rows by id' | 'window end' | 'rows by gathered ids' | 'count';

function identifyStatement(text: string): Statement {
  if (text.startsWith('with found')) return 'matches';
  if (text.startsWith('select (select count')) return 'count';
  if (text.startsWith('select array[')) return 'window end';
  if (text.includes('i.id = any($2::uuid[])')) return 'rows by id';
  return text.includes('order by (select') ? 'rows by gathered ids' : 'page in order';
}

/** Runs a search on a database that returns these rows, and lists the statements that it sends. */
async function run(
  body: SearchBody,
  rowsOf: Partial<Record<Statement, Record<string, unknown>[]>>,
  source: SearchSource = itemSource,
) {
  const sent: Statement[] = [];
  const queryable = {
    query: async (text: string) => {
      const statement = identifyStatement(text);
      sent.push(statement);
      return { rows: rowsOf[statement] ?? [] };
    },
  };
  const { searchable, tenantId, request } = createItemQuery({ pagination: { limit: LIMIT }, ...body });
  return { sent, result: await runSearch(queryable, searchable, source, tenantId, request) };
}

describe('runSearch without conditions', () => {
  it('reads the page in order, and no total if the page shows it', async () => {
    const { sent, result } = await run({}, { 'page in order': [row] });
    expect(sent).toEqual(['page in order']);
    expect(result).toEqual({
      rows: [{ id }],
      pagination: { page: 0, limit: LIMIT, total: 1, nextCursor: null },
      query: { query: null, sortBy: null, search: null },
    });
  });

  it('counts the rows if there is a next page', async () => {
    const { sent, result } = await run({}, { 'page in order': FULL_PAGE, count: [{ total: 70 }] });
    expect(sent).toEqual(['page in order', 'count']);
    expect(result.rows).toHaveLength(LIMIT);
    expect(result.pagination).toMatchObject({ total: 70, nextCursor: expect.any(String) });
  });

  it('does not count an append-only source again that has more rows than the cap', async () => {
    const source = { ...itemSource, countCap: 50, appendOnlyKey: 'run-search.test' };
    const rowsOf = { 'page in order': FULL_PAGE, count: [{ total: 51 }] };
    const first = await run({}, rowsOf, source);
    expect(first.sent).toEqual(['page in order', 'count']);
    const second = await run({}, rowsOf, source);
    expect(second.sent).toEqual(['page in order']);
    for (const { result } of [first, second])
      expect(result.pagination).toMatchObject({ total: 50, totalIsCapped: true });
  });
});

describe('runSearch without a total', () => {
  const query = 'eq(status,"open")';
  const pagination = { limit: LIMIT, withTotal: false };
  const windowEnd = [{ $key: [time, id] }];

  it('does not count the rows after the page', async () => {
    const { sent, result } = await run({ pagination }, { 'page in order': FULL_PAGE });
    expect(sent).toEqual(['page in order']);
    expect(result.pagination).toMatchObject({ total: LIMIT, totalIsCapped: true });
    expect(result.pagination.nextCursor).toEqual(expect.any(String));
  });

  it('counts them if the page comes after the last one', async () => {
    const body = { pagination: { ...pagination, page: 9 } };
    const { sent, result } = await run(body, { count: [{ total: 7 }] });
    expect(sent).toEqual(['page in order', 'count']);
    expect(result.pagination).toEqual({ page: 9, limit: LIMIT, total: 7, nextCursor: null });
  });

  it('with conditions, scans in order first', async () => {
    const rowsOf = { 'window end': windowEnd, 'page in order': FULL_PAGE };
    const { sent, result } = await run({ query, pagination }, rowsOf);
    expect(sent).toEqual(['window end', 'page in order']);
    expect(result.pagination).toMatchObject({ total: LIMIT, totalIsCapped: true });
  });

  it('sorts the matches if the scan does not fill the page', async () => {
    const few = [{ total: 2, ids: [id] }];
    const rowsOf = { 'window end': windowEnd, 'page in order': [row], matches: few, 'rows by id': [row] };
    const { sent, result } = await run({ query, pagination }, rowsOf);
    expect(sent).toEqual(['window end', 'page in order', 'matches', 'rows by id']);
    expect(result.pagination).toEqual({ page: 0, limit: LIMIT, total: 2, nextCursor: null });
  });
});

describe('runSearch with conditions', () => {
  const query = 'eq(status,"open")';
  const few = [{ total: 2, ids: [id] }];
  const none = [{ total: 0, ids: [] }];
  const many = [{ total: 10_001, ids: null }];
  const windowEnd = [{ $key: [time, id] }];

  it('sorts few matches and reads the rows of the page', async () => {
    const { sent, result } = await run({ query }, { matches: few, 'rows by id': [row] });
    expect(sent).toEqual(['matches', 'rows by id']);
    expect(result.pagination.total).toBe(2);
  });

  it('reads no rows if nothing matches', async () => {
    expect((await run({ query }, { matches: none })).sent).toEqual(['matches']);
  });

  it('scans a window in order if there are many matches', async () => {
    const rowsOf = { matches: many, 'window end': windowEnd, 'page in order': FULL_PAGE };
    const { sent, result } = await run({ query }, rowsOf, { ...itemSource, countCap: 10_000 });
    expect(sent).toEqual(['matches', 'window end', 'page in order']);
    expect(result.pagination).toMatchObject({ total: 10_000, totalIsCapped: true });
  });

  it('gathers ids if the window does not fill the page', async () => {
    const rowsOf = { matches: many, 'window end': windowEnd, 'page in order': [row] };
    const { sent } = await run({ query }, rowsOf, { ...itemSource, countCap: 10_000 });
    expect(sent).toEqual(['matches', 'window end', 'page in order', 'rows by gathered ids']);
  });

  it('accepts a page that is not full if the window reaches the last row', async () => {
    const { sent } = await run(
      { query },
      { matches: many, 'page in order': [row] },
      { ...itemSource, countCap: 10_000 },
    );
    expect(sent).toEqual(['matches', 'window end', 'page in order']);
  });

  it.each(['asc(name)', 'desc(createdAt),asc(id)'])('gathers ids at once in the order %s', async (sortBy) => {
    const { sent } = await run({ query, sortBy }, { matches: many }, { ...itemSource, countCap: 10_000 });
    expect(sent).toEqual(['matches', 'rows by gathered ids']);
  });

  it('counts many matches exactly if the source has no cap', async () => {
    const rowsOf = { matches: many, 'window end': windowEnd, 'page in order': FULL_PAGE };
    const { sent, result } = await run({ query }, { ...rowsOf, count: [{ total: 12_345 }] });
    expect(sent).toEqual(['matches', 'window end', 'page in order', 'count']);
    expect(result.pagination).toMatchObject({ total: 12_345 });
    expect(result.pagination).not.toHaveProperty('totalIsCapped');
  });
});
