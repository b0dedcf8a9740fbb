import { isUuid } from '../../base/ids.ts';
import type { Bind, Searchable } from '../fields.ts';
import { storedNumberPart } from '../phone-number.ts';
import { compileLike } from './leaf.ts';
import { hasTrigrams } from './trigrams.ts';

/** The condition of `search` in the form for few matches: a trigram index finds the rows if the text is long enough. */
export const compileIndexSearch = (search: string, searchable: Searchable, bind: Bind): string =>
  compileSearch(search, searchable, hasTrigrams(search) ? asExpression : asUnindexedExpression, bind);

/**
 * The condition of `search` in the form for many matches: it checks one row at a time. Of a `case` the planner assumes that it is
 * true of half of the rows. Of the bare condition it assumes that it is true of few, and reads and sorts all rows.
 */
export const compileRowSearch = (search: string, searchable: Searchable, bind: Bind): string =>
  `case when ${compileSearch(search, searchable, asExpression, bind)} then true else false end`;

const asExpression = (sql: string): string => `(${sql})`;
/** The planner matches no index to this expression. */
const asUnindexedExpression = (sql: string): string => `((${sql}) || '')`;

function compileSearch(
  search: string,
  searchable: Searchable,
  compileName: (sql: string) => string,
  bind: Bind,
): string {
  const number = searchable.hasPhoneNumbers && storedNumberPart(search);
  const choices = searchable.names.flatMap((sql) =>
    [search, ...(number === undefined ? [] : [number])].map((text) =>
      compileLike(compileName(sql), 'contains', text, bind),
    ),
  );
  const id = search.trim();
  if (isUuid(id)) choices.push(`(${searchable.id}) = ${bind(id)}::uuid`);
  return choices.length === 0 ? 'false' : `(${choices.join(' or ')})`;
}
