import { isUuid } from '../base/ids.ts';
import { compileLeaf, compileLike, operandOf } from './conditions.ts';
import type { Bind, Searchable } from './fields.ts';
import { requireField } from './fields.ts';
import type { Filter, Sort } from './grammar.ts';
import {
  compileExists,
  compileKeys,
  compileSet,
  compileSome,
  compileWithin,
  hasTrigrams,
  splitOf,
} from './index-conditions.ts';
import type { Key } from './keyset.ts';

/** Adds values to a statement's parameters; nothing that a client wrote gets into the statement's text. */
export const bindTo =
  (params: unknown[]): Bind =>
  (value) =>
    `$${params.push(value)}`;

/**
 * How rows are looked for. `by index`: few match, so indexes on what is asked for find them. `row by row`: many match,
 * so rows are read in the asked order and looked at until there are enough; the condition is then written so that no
 * other index is tempting. `by key`: many match, and all of them are wanted; their keys are gathered first, since to
 * find many rows by what is asked for the planner would rather read all there are.
 */
export type How = 'by index' | 'row by row' | 'by key';

/**
 * The SQL condition of a filter; its values are pushed to `params`. The condition may come out as NULL where the
 * filter is false, which `where`, `and` and `or` take alike; `not` is written as `is not true` and `ne` as
 * `is distinct from`, so that the filter as a whole has the two truth values that the evaluator gives it. Wrapping
 * every comparison in `coalesce` would say the same and keep the indexes from being used.
 */
export function compileFilter(
  filter: Filter,
  searchable: Searchable,
  params: unknown[],
  how: How = 'by index',
): string {
  return compile(filter, searchable, bindTo(params), how);
}

function compile(filter: Filter, searchable: Searchable, bind: Bind, how: How): string {
  if (how !== 'row by row') {
    const { sets, rest } = splitOf(filter, searchable);
    if (sets.length > 0) {
      const conditions =
        how === 'by key'
          ? [compileKeys(sets, searchable, bind)]
          : sets.map((set) => compileSet(set, searchable, bind));
      for (const one of rest)
        conditions.push(compile(one, searchable, bind, how === 'by key' ? 'row by row' : how));
      return `(${conditions.join(' and ')})`;
    }
    if (how === 'by key') return compile(filter, searchable, bind, 'by index');
  }
  switch (filter.op) {
    case 'and':
    case 'or':
      return `(${filter.of.map((one) => compile(one, searchable, bind, how)).join(` ${filter.op} `)})`;
    case 'not':
      return `((${compile(filter.of, searchable, bind, how)}) is not true)`;
    default: {
      const field = requireField(searchable, filter.field);
      if (how === 'row by row') {
        const exists = compileExists(filter, field, searchable, bind);
        if (exists !== undefined) return exists;
      }
      const within = how === 'by index' ? compileWithin(filter, field, bind) : undefined;
      const condition = compileLeaf(filter, operandOf(field, bind), bind);
      return within === undefined ? condition : `(${within} and ${condition})`;
    }
  }
}

export interface SearchPieces {
  filter: Filter | undefined;
  search: string | undefined;
  sort: Sort;
  page: number;
  limit: number;
  /** The place to go on from: the key of the last row that was seen. */
  after: Key | undefined;
}

/**
 * What decides whether a row belongs to the result: conditions that all must be true. Where `most` rows are enough, and
 * one look at a table of values answers the filter, no more than that are looked for there.
 */
export function compileWhere(
  { filter, search }: Pick<SearchPieces, 'filter' | 'search'>,
  searchable: Searchable,
  bind: Bind,
  how: How,
  most?: number,
): string[] {
  if (most !== undefined && filter !== undefined && search === undefined) {
    const { sets, rest } = splitOf(filter, searchable);
    const [set, another] = sets;
    // Of several the planner chooses the one to begin with.
    const some = set && !another && rest.length === 0 ? compileSome(set, searchable, bind, most) : undefined;
    if (some !== undefined) return [some];
  }
  const conditions: string[] = [];
  if (filter !== undefined) conditions.push(compile(filter, searchable, bind, how));
  if (search !== undefined) conditions.push(compileNames(search, searchable, bind, how));
  return conditions;
}

function compileNames(search: string, searchable: Searchable, bind: Bind, how: How): string {
  const byIndex = how !== 'row by row' && hasTrigrams(search);
  const choices = searchable.names.map((sql) =>
    compileLike(byIndex ? `(${sql})` : `((${sql}) || '')`, 'contains', search, bind),
  );
  const id = search.trim();
  if (isUuid(id)) choices.push(`(${searchable.id}) = ${bind(id)}::uuid`);
  return choices.length === 0 ? 'false' : `(${choices.join(' or ')})`;
}
