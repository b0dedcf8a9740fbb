import { expect, it } from 'vitest';
import { parseFilter } from '../../../../src/search/grammar/filter.ts';
import { compileRowFilter } from '../../../../src/search/sql/row-filter.ts';
import { bindTo } from '../../../../src/search/sql/statement.ts';
import { items } from '../../../kit/search-samples.ts';

it('compileRowFilter checks the values of one row at a time', () => {
  const params: unknown[] = [];
  const compile = (text: string) =>
    compileRowFilter(parseFilter(text, items, new Date()), items, bindTo(params));
  expect(compile('gt(size,5)')).toBe(
    'exists (select from item_values v where v.item_id = i.id and v.name = $1::text and ((v.number) > $2::bigint) offset 0)',
  );
  expect(compile('ne(size,5)')).toBe(
    "((select v.number from item_values v where v.item_id = i.id and v.name = 'size') is distinct from $3::bigint)",
  );
  expect(compile('eq(nick,"abc")')).toBe('((i.nick) = $4::text)');
});
