import { describe, expect, it } from 'vitest';
import { ApiError, type InvalidParams } from '../../src/base/errors.ts';
import { searchRequest, writeCursor } from '../../src/search/page.ts';
import { runSearch } from '../../src/search/run-search.ts';
import type { SearchBody } from '../../src/search/schema.ts';
import { items } from '../kit/search-samples.ts';

const id = '0197a5c0-0000-7000-8000-00000000000a';
const time = '2026-11-15T01:02:03.456789Z';

function invalidParamsOf(body: SearchBody): InvalidParams | undefined {
  try {
    searchRequest(body, items);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).key).toBe('invalid_body_params');
    return (error as ApiError).invalidParams;
  }
  return undefined;
}

describe('the request of a search', () => {
  it('has defaults for everything', () => {
    expect(searchRequest({}, items)).toMatchObject({
      filter: undefined,
      search: undefined,
      sort: [
        { direction: 'desc', field: 'createdAt' },
        { direction: 'desc', field: 'id' },
      ],
      page: 0,
      limit: 10,
      after: undefined,
      echo: { query: null, sortBy: null, search: null },
    });
  });

  it('takes what is blank for absent, and echoes it as it came', () => {
    const request = searchRequest({ query: '', sortBy: ' ', search: '  ' }, items);
    expect(request).toMatchObject({ filter: undefined, search: undefined });
    expect(request.sort).toHaveLength(2);
    expect(request.echo).toEqual({ query: '', sortBy: ' ', search: '  ' });
  });

  it('names every wrong piece at once', () => {
    const body = { query: 'eq(nmae,1)', sortBy: 'name', search: 'a\0', pagination: { cursor: 'x' } };
    expect(invalidParamsOf(body)).toEqual({
      query: { key: 'invalid_string', message: 'Unknown field "nmae" at column 4; did you mean "name"?' },
      sortBy: { key: 'invalid_string', message: expect.stringContaining('Expected asc(field)') },
      search: { key: 'invalid_string', message: 'A character that is not valid text at column 2' },
      'pagination.cursor': { key: 'invalid_string', message: expect.stringContaining('Not a cursor') },
    });
  });
});

describe('a cursor', () => {
  const request = searchRequest({ search: 'anna', pagination: { page: 4, limit: 7 } }, items);
  const cursor = writeCursor(request, [time, id]);
  const problem = (given: string, rest: SearchBody = { search: 'anna' }) =>
    invalidParamsOf({ ...rest, pagination: { cursor: given } })?.['pagination.cursor'];
  const forged = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

  it('goes on where the page before it ended, to the microsecond', () => {
    const next = searchRequest({ search: 'anna', pagination: { cursor, page: 2 } }, items);
    expect(next).toMatchObject({ page: 5, limit: 10, after: [time, id] });
  });

  it('is refused by another search and by another resource', () => {
    const foreign = { key: 'custom', message: expect.stringContaining('belongs to another search') };
    expect(problem(cursor, { search: 'Anna' })).toEqual(foreign);
    expect(problem(cursor, {})).toEqual(foreign);
    expect(problem(cursor, { search: 'anna', query: 'isNull(name)' })).toEqual(foreign);
    expect(problem(cursor, { search: 'anna', sortBy: 'desc(createdAt)' })).toEqual(foreign);
    const other = { ...items, id: 'o.id' };
    expect(() => searchRequest({ search: 'anna', pagination: { cursor } }, other)).toThrow(ApiError);
  });

  it('is refused when it was tampered with', () => {
    const of = request.fingerprint;
    const tampered = [
      '',
      '!!!',
      'bnVsbA',
      cursor.slice(0, -4),
      forged(null),
      forged({}),
      forged([]),
      forged([2, of, 1, time, id]),
      forged([1, of, -1, time, id]),
      forged([1, of, 0.5, time, id]),
      forged([1, of, '1', time, id]),
      forged([1, of, 1]),
      forged([1, of, 1, time]),
      forged([1, of, 1, time, id, id]),
      forged([1, of, 1, 'yesterday', id]),
      forged([1, of, 1, '2026-02-30T00:00:00.000000Z', id]),
      forged([1, of, 1, '0000-01-01T00:00:00.000000Z', id]),
      forged([1, of, 1, 5, id]),
      forged([1, of, 1, time, "' or true --"]),
      forged([1, of, 1, time, { toString: 'x' }]),
      Buffer.from('['.repeat(12_000)).toString('base64url'),
    ];
    for (const one of tampered) {
      expect(problem(one), one).toEqual({
        key: 'invalid_string',
        message: expect.stringContaining('Not a cursor'),
      });
    }
  });

  it('holds only values that PostgreSQL can cast to the type of their field', () => {
    const sortBy = 'asc(score),asc(isOpen),asc(name)';
    const of = searchRequest({ sortBy }, items).fingerprint;
    const isAccepted = (...key: unknown[]) =>
      problem(forged([1, of, 1, ...key, id]), { sortBy }) === undefined;
    for (const number of ['1', '-12', '123456789012345678901', '0.1', '1e+300', '-1.5e-07', null]) {
      expect(isAccepted(number, 'true', 'x'), String(number)).toBe(true);
    }
    for (const number of ['', 'NaN', 'Infinity', '1e+999', '1e-999', '0x1', '1_0', ' 1', '1'.repeat(500)]) {
      expect(isAccepted(number, 'true', 'x'), number).toBe(false);
    }
    expect(isAccepted('1', 'yes', 'x')).toBe(false);
    expect(isAccepted('1', null, '\0')).toBe(false);
    expect(isAccepted('1', null, '\ud83d')).toBe(false);
  });
});

describe('running a search', () => {
  it('asks for no total when the page shows where the rows end', async () => {
    const asked: string[] = [];
    const queryable = {
      query: async (text: string) => {
        asked.push(text);
        return { rows: [{ id, $key: [time, id] }] };
      },
    };
    const source = { select: 'i.id', from: 'items i', tenantColumn: 'i.tenant_id' };
    const result = await runSearch(queryable, items, source, id, searchRequest({}, items));
    expect(asked).toHaveLength(1);
    expect(result).toEqual({
      rows: [{ id }],
      pagination: { page: 0, limit: 10, total: 1, nextCursor: null },
      query: { query: null, sortBy: null, search: null },
    });
  });
});
