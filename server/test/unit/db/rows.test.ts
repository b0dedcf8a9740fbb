import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ParameterOf, type RowOf, rowSet } from '../../../src/db/rows.ts';

const users = rowSet({ id: 'uuid', name: 'text?', tags: 'text[]', born_at: 'timestamptz?' });

describe('a row set', () => {
  it('is one parameter of a statement, with its columns and their types', () => {
    expect(users.from(2, 'p')).toBe(
      'jsonb_to_recordset($2::jsonb) as p (id uuid, name text, tags text[], born_at timestamptz)',
    );
  });

  it('can number its rows', () => {
    expect(users.fromNumbered(1, 'p')).toBe(
      'rows from (jsonb_to_recordset($1::jsonb) as (id uuid, name text, tags text[], born_at timestamptz)) with ordinality as p (id, name, tags, born_at, number)',
    );
  });

  it('is encoded without nulls, and without anything that is no column', () => {
    const ada = { id: '1', name: null, tags: ['a'], born_at: undefined, age: 36 };
    expect(users.encode([ada, { id: '2', name: 'Bob', tags: [], born_at: new Date(0) }])).toBe(
      '[{"id":"1","tags":["a"]},{"id":"2","name":"Bob","tags":[],"born_at":"1970-01-01T00:00:00.000Z"}]',
    );
    expect(users.encode([])).toBe('[]');
  });

  it('has the types of its columns, and is not mistaken for another row set or a text', () => {
    expectTypeOf<RowOf<typeof users>>().toEqualTypeOf<{
      readonly id: string;
      readonly name: string | null | undefined;
      readonly tags: readonly string[];
      readonly born_at: Date | 'infinity' | '-infinity' | null | undefined;
    }>();
    const ids = rowSet({ id: 'uuid' });
    expectTypeOf<ParameterOf<typeof ids>>().not.toExtend<ParameterOf<typeof users>>();
    expectTypeOf<string>().not.toExtend<ParameterOf<typeof users>>();
    expectTypeOf(users.encode([])).toEqualTypeOf<ParameterOf<typeof users>>();
  });
});
