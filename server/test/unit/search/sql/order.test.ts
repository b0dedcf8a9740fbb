import { expect, it } from 'vitest';
import type { Searchable } from '../../../../src/search/fields.ts';
import { completeSort, parseSort } from '../../../../src/search/grammar/sort.ts';
import { compileOrder, compileUnindexedOrder } from '../../../../src/search/sql/order.ts';
import { bindTo } from '../../../../src/search/sql/statement.ts';
import { items } from '../../../kit/search-samples.ts';

const complete = (text: string | undefined, searchable: Searchable = items) =>
  completeSort(text === undefined ? undefined : parseSort(text, searchable), searchable);

it('compileOrder breaks ties by id in the direction of the last field', () => {
  const compile = (text: string | undefined, searchable: Searchable = items) =>
    compileOrder(complete(text, searchable), searchable, bindTo([]));
  expect(compile(undefined)).toBe('(i.created_at) desc, (i.id) desc');
  expect(compile('asc(name)')).toBe('((i.name) collate "C") asc, (i.id) asc');
  expect(compile('asc(id),desc(name)')).toBe('(i.id) asc');
  expect(compile(undefined, { ...items, fields: {} })).toBe('(i.id) desc');
});

it('compileUnindexedOrder hides each expression from indexes', () => {
  expect(compileUnindexedOrder(complete('asc(name)'), items, bindTo([]))).toBe(
    '(select ((i.name) collate "C")) asc, (select (i.id)) asc',
  );
});
