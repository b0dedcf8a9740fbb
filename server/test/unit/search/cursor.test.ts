import { describe, expect, it } from 'vitest';
import { ApiError, type InvalidParams } from '../../../src/base/errors.ts';
import { writeCursor } from '../../../src/search/cursor.ts';
import { parseSearchRequest } from '../../../src/search/request.ts';
import type { SearchBody } from '../../../src/search/schema.ts';
import { items } from '../../kit/search-samples.ts';

const id = '0197a5c0-0000-7000-8000-00000000000a';
const time = '2026-11-15T01:02:03.456789Z';

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

describe('cursors', () => {
  const request = parseSearchRequest(
    { search: 'anna', pagination: { page: 4, limit: 7 } },
    items,
    new Date(),
  );
  const cursor = writeCursor(request.fingerprint, { page: request.page + 1, key: [time, id] });
  const findIssue = (given: string, rest: SearchBody = { search: 'anna' }) =>
    catchInvalidParams({ ...rest, pagination: { cursor: given } })?.['pagination.cursor'];
  const forge = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

  it('start where the page before ended, to the microsecond', () => {
    const next = parseSearchRequest({ search: 'anna', pagination: { cursor, page: 2 } }, items, new Date());
    expect(next).toMatchObject({ page: 5, limit: 10, after: [time, id] });
  });

  it('may say how many matches came before', () => {
    const counting = writeCursor(request.fingerprint, { page: 5, key: [time, id], found: 12 });
    const next = parseSearchRequest({ search: 'anna', pagination: { cursor: counting } }, items, new Date());
    expect(next).toMatchObject({ page: 5, after: [time, id], foundBefore: 12 });
  });

  it('are rejected by another search and by another resource', () => {
    const foreign = { key: 'custom', message: expect.stringContaining('belongs to another search') };
    expect(findIssue(cursor, { search: 'Anna' })).toEqual(foreign);
    expect(findIssue(cursor, {})).toEqual(foreign);
    expect(findIssue(cursor, { search: 'anna', query: 'isNull(name)' })).toEqual(foreign);
    expect(findIssue(cursor, { search: 'anna', sortBy: 'desc(createdAt)' })).toEqual(foreign);
    const other = { ...items, id: 'o.id' };
    expect(() => parseSearchRequest({ search: 'anna', pagination: { cursor } }, other, new Date())).toThrow(
      ApiError,
    );
  });

  it('are rejected if they were changed', () => {
    const { fingerprint } = request;
    const tampered = [
      '',
      '!!!',
      'bnVsbA',
      cursor.slice(0, -4),
      forge(null),
      forge({}),
      forge([]),
      forge([2, fingerprint, 1, time, id]),
      forge([2, fingerprint, 1, -1, time, id]),
      forge([2, fingerprint, 1, '1', time, id]),
      forge([2, fingerprint, 1, 1, id]),
      forge([3, fingerprint, 1, time, id]),
      forge([1, fingerprint, -1, time, id]),
      forge([1, fingerprint, 0.5, time, id]),
      forge([1, fingerprint, '1', time, id]),
      forge([1, fingerprint, 1]),
      forge([1, fingerprint, 1, time]),
      forge([1, fingerprint, 1, time, id, id]),
      forge([1, fingerprint, 1, 'yesterday', id]),
      forge([1, fingerprint, 1, '2026-02-30T00:00:00.000000Z', id]),
      forge([1, fingerprint, 1, '0000-01-01T00:00:00.000000Z', id]),
      forge([1, fingerprint, 1, 5, id]),
      forge([1, fingerprint, 1, time, "' or true --"]),
      forge([1, fingerprint, 1, time, { toString: 'x' }]),
      Buffer.from('['.repeat(12_000)).toString('base64url'),
    ];
    for (const cursor of tampered) {
      expect(findIssue(cursor), cursor).toEqual({
        key: 'invalid_string',
        message: expect.stringContaining('Not a cursor'),
      });
    }
  });

  it('contain only values that PostgreSQL can cast to the type of their field', () => {
    const sortBy = 'asc(score),asc(isOpen),asc(name)';
    const { fingerprint } = parseSearchRequest({ sortBy }, items, new Date());
    const isAccepted = (...key: unknown[]) =>
      findIssue(forge([1, fingerprint, 1, ...key, id]), { sortBy }) === undefined;
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
