import { expect, it } from 'vitest';
import { completeSort, parseSort } from '../../../../src/search/grammar/sort.ts';
import { compileAfter } from '../../../../src/search/sql/key.ts';
import { bindTo } from '../../../../src/search/sql/statement.ts';
import { items } from '../../../kit/search-samples.ts';

const uuid = '0197a5c0-0000-7000-8000-00000000000a';

it('compileAfter uses one comparison of rows if an index can answer it', () => {
  const compile = (text: string, key: (string | null)[]) =>
    compileAfter(completeSort(parseSort(text, items), items), key, items, bindTo([]));
  const time = '2026-11-15T01:02:03.456000Z';
  expect(compile('desc(createdAt)', [time, uuid])).toBe(
    '(((i.created_at), (i.id)) < ($1::timestamptz, $2::uuid))',
  );
  expect(compile('asc(score),desc(id)', ['5', uuid])).toBe(
    '((i.score) > $1::bigint or ((i.score) = $1::bigint and ((i.id) < $2::uuid)))',
  );
  expect(compile('asc(openUntil)', [null, uuid])).toContain('((i.open_until) is null and');
});
