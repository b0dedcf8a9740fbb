import { type Bind, requireSortField, type Searchable } from '../fields.ts';
import type { Sort } from '../grammar/sort.ts';
import { compileOrderedField } from './field.ts';

/** Null is the largest value: last in `asc`, first in `desc`, as is PostgreSQL's default. */
export const compileOrder = (sort: Sort, searchable: Searchable, bind: Bind): string =>
  sort
    .map((key) => `${compileOrderedField(requireSortField(searchable, key.field), bind)} ${key.direction}`)
    .join(', ');

/** The same order in a form that no index provides: the planner must find the rows first and then sort them. */
export const compileUnindexedOrder = (sort: Sort, searchable: Searchable, bind: Bind): string =>
  sort
    .map(
      (key) =>
        `(select ${compileOrderedField(requireSortField(searchable, key.field), bind)}) ${key.direction}`,
    )
    .join(', ');
