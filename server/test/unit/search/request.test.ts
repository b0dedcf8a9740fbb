import { describe, expect, it } from 'vitest';
import { ApiError, type InvalidParams } from '../../../src/base/errors.ts';
import { parseSearchRequest } from '../../../src/search/request.ts';
import type { SearchBody } from '../../../src/search/schema.ts';
import { items } from '../../kit/search-samples.ts';

function catchInvalidParams(body: SearchBody): InvalidParams | undefined {
  try {
    parseSearchRequest(body, items, new Date());
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).key).toBe('invalid_body_params');
    return (error as ApiError).invalidParams;
  }
  return undefined;
}

describe('parseSearchRequest', () => {
  it('has defaults for everything', () => {
    expect(parseSearchRequest({}, items, new Date())).toMatchObject({
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

  it('treats blank texts as absent and echoes them unchanged', () => {
    const request = parseSearchRequest({ query: '', sortBy: ' ', search: '  ' }, items, new Date());
    expect(request).toMatchObject({ filter: undefined, search: undefined });
    expect(request.sort).toHaveLength(2);
    expect(request.echo).toEqual({ query: '', sortBy: ' ', search: '  ' });
  });

  it('reports every wrong part at once', () => {
    const body = { query: 'eq(nmae,1)', sortBy: 'name', search: 'a\0', pagination: { cursor: 'x' } };
    expect(catchInvalidParams(body)).toEqual({
      query: { key: 'invalid_string', message: 'Unknown field "nmae" at column 4; did you mean "name"?' },
      sortBy: { key: 'invalid_string', message: expect.stringContaining('Expected asc(field)') },
      search: { key: 'invalid_string', message: 'Invalid character at column 2' },
      'pagination.cursor': { key: 'invalid_string', message: expect.stringContaining('Not a cursor') },
    });
  });
});
