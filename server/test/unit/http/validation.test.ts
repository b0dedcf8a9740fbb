import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Nullable, OneOf, Timestamp, timestamp, Uuid } from '../../../src/http/schema.ts';
import { compileSchema, isDateTime } from '../../../src/http/validation.ts';

const check = (schema: object, value: unknown) => compileSchema(() => schema, 'body')(value)?.params;

const Whole = Type.Object({
  id: Uuid(),
  name: Type.String({ minLength: 2, maxLength: 3 }),
  kind: OneOf(['a', 'b']),
  at: Timestamp(),
  count: Type.Integer({ minimum: 1, maximum: 9 }),
  code: Type.String({ pattern: '^[a-z]+$' }),
  list: Type.Array(Type.Object({ id: Uuid() }), { minItems: 1, maxItems: 2 }),
  maybe: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  either: Type.Optional(
    Type.Union([Type.Object({ to: Type.String() }), Type.Object({ by: Type.Integer() })]),
  ),
});
const good = {
  id: '019a82a0-0000-7000-8000-000000000001',
  name: 'ab',
  kind: 'a',
  at: '2026-11-15T01:02:03Z',
  count: 1,
  code: 'x',
  list: [{ id: '019A82A0-0000-4000-8000-000000000001' }],
};

describe('a schema', () => {
  it('names every wrong parameter at once, by its dotted path, with the codes of zod 3', () => {
    const issues = check(Whole, {
      id: 'urn:uuid:019a82a0-0000-7000-8000-000000000001',
      name: 'abcd',
      kind: 'c',
      at: '2026-11-15 01:02:03Z',
      count: 10,
      code: 'X',
      list: [{ id: good.id }, { id: 1 }, {}],
      maybe: 0,
      either: { by: 'x' },
    });
    expect(issues).toEqual({
      id: { key: 'invalid_string', message: `Must be a UUID, received "urn:uuid:${good.id}"` },
      name: { key: 'too_big', message: 'Must have at most 3 character(s), received 4' },
      kind: { key: 'invalid_enum_value', message: 'Must be one of "a", "b", received "c"' },
      at: {
        key: 'invalid_string',
        message: expect.stringMatching(/^Must be an ISO 8601 date-time.*received "2026-11-15 01/),
      },
      count: { key: 'too_big', message: 'Must be <= 9, received 10' },
      code: { key: 'invalid_string', message: 'Must match ^[a-z]+$, received "X"' },
      list: { key: 'too_big', message: 'Must contain at most 2 item(s), received 3' },
      'list.1.id': { key: 'invalid_type', message: 'Expected string, received integer' },
      'list.2.id': { key: 'invalid_type', message: 'Required' },
      maybe: { key: 'too_small', message: 'Must be >= 1, received 0' },
      either: { key: 'invalid_union', message: expect.stringContaining('received object') },
    });
  });

  it('says what is too small, and what is missing', () => {
    expect(check(Whole, { ...good, name: 'a', count: 0, list: [] })).toEqual({
      name: { key: 'too_small', message: 'Must have at least 2 character(s), received 1' },
      count: { key: 'too_small', message: 'Must be >= 1, received 0' },
      list: { key: 'too_small', message: 'Must contain at least 1 item(s), received 0' },
    });
    expect(Object.values(check(Whole, {}) ?? {})).toEqual(
      Array.from({ length: 7 }, () => ({ key: 'invalid_type', message: 'Required' })),
    );
  });

  it('takes what fits as it is, unknown keys and all', () => {
    for (const more of [
      {},
      { maybe: null },
      { maybe: 1 },
      { either: { by: 1 } },
      { unknown: { toString: 1 } },
    ]) {
      const value = { ...good, ...more };
      expect(check(Whole, value)).toBeUndefined();
      expect(value).toEqual({ ...good, ...more });
    }
  });

  it.each([
    ['count', '1', 'Expected integer, received string'],
    ['count', 1.5, 'Expected integer, received number'],
    ['count', true, 'Expected integer, received boolean'],
    ['count', null, 'Expected integer, received null'],
    ['name', 12, 'Expected string, received integer'],
    ['name', ['ab'], 'Expected string, received array'],
    ['list', { 0: {} }, 'Expected array, received object'],
    ['maybe', '1', 'Expected integer or null, received string'],
  ])('never makes a value fit: %s of %j', (name, value, message) => {
    expect(check(Whole, { ...good, [name]: value })).toEqual({ [name]: { key: 'invalid_type', message } });
  });

  it('counts characters as people do', () => {
    expect(check(Whole, { ...good, name: '😀😀😀' })).toBeUndefined();
    expect(check(Whole, { ...good, name: '😀😀😀😀' })?.name?.message).toBe(
      'Must have at most 3 character(s), received 4',
    );
  });

  it('names parameters that every object has by inheritance', () => {
    const names = ['toString', 'valueOf', 'hasOwnProperty'];
    const schema = Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])));
    const issues = check(schema, { toString: 1, valueOf: 1, hasOwnProperty: 1 });
    expect(Object.keys(issues ?? {})).toEqual(names);
  });

  it('names at most 100', () => {
    const schema = Type.Object({ list: Type.Array(Type.Integer()) });
    const issues = check(schema, { list: Array.from({ length: 5000 }, () => 'x') });
    expect(Object.keys(issues ?? {})).toHaveLength(100);
  });

  it('shows no more of a long value than a line', () => {
    const message = check(Whole, { ...good, kind: 'x'.repeat(100_000) })?.kind?.message ?? '';
    expect(message.length).toBeLessThan(120);
  });
});

describe('a time', () => {
  it.each([
    '2026-11-15T01:02:03Z',
    '2026-11-15T01:02:03.4Z',
    '2026-11-15T01:02:03.456789+05:30',
    '2024-02-29T00:00:00-12:00',
  ])('is %s', (text) => expect(isDateTime(text)).toBe(true));

  it.each([
    '2026-11-15',
    '2026-11-15T01:02:03',
    '2026-11-15 01:02:03Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-15T25:00:00Z',
    '2026-11-15T01:02:03+99:99',
    '١٩٩٩-11-15T01:02:03Z',
    '',
  ])('is not %s', (text) => expect(isDateTime(text)).toBe(false));

  it('has one spelling in answers, from a column and from the database’s own JSON', () => {
    expect(timestamp(new Date('2026-11-15T01:02:03.450Z'))).toBe('2026-11-15T01:02:03.450Z');
    expect(timestamp('2026-11-15T01:02:03.45+00:00')).toBe('2026-11-15T01:02:03.450Z');
    expect(timestamp('2026-11-15T01:02:03+00:00')).toBe('2026-11-15T01:02:03.000Z');
    expect(timestamp('2026-11-15T01:02:03.456789+00:00')).toBe('2026-11-15T01:02:03.456Z');
  });
});
