import { Type } from 'typebox';
import { MAX_EXPRESSION_CHARACTERS } from './grammar/tokens.ts';

export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 10;
export const MAX_PAGE = 10_000;
export const MAX_SEARCH_CHARACTERS = 200;
const MAX_CURSOR_CHARACTERS = 16_384;

const nullableString = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

/** A filter, as in the body of a search. */
export const Query = Type.String({
  maxLength: MAX_EXPRESSION_CHARACTERS,
  description:
    'A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \\" and \\\\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case.',
  examples: ['and(eq(status,"active"),ge(createdAt,"2026-11-01T00:00:00Z"))'],
});

/** An order, as in the body of a search. */
export const SortBy = Type.String({
  maxLength: MAX_EXPRESSION_CHARACTERS,
  description:
    'An order: asc(field) or desc(field), comma-separated. Ties are broken by id; null comes last in asc and first in desc.',
  default: 'desc(createdAt)',
  examples: ['asc(name),desc(createdAt)'],
});

/** Words to look for, as in the body of a search. */
export const SearchText = Type.String({
  maxLength: MAX_SEARCH_CHARACTERS,
  description: "A part of the resource's name, ignoring case, or an exact id. Blank text is ignored.",
});

/** The body of every `POST …/search`. */
export const SearchBody = Type.Object({
  query: Type.Optional(Query),
  sortBy: Type.Optional(SortBy),
  search: Type.Optional(SearchText),
  pagination: Type.Optional(
    Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PAGE, default: 0 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
      cursor: Type.Optional(
        Type.String({
          maxLength: MAX_CURSOR_CHARACTERS,
          description:
            'The nextCursor of a response to the same query, sortBy and search: starts after its last row, at the same speed at any depth. Takes precedence over page.',
        }),
      ),
      withTotal: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            'False if nobody needs the total: matches after the page need not be counted then, which is faster where there are many. total is how many there are up to the end of the page, with totalIsCapped if more may follow.',
        }),
      ),
    }),
  ),
});
export type SearchBody = Type.Static<typeof SearchBody>;

/** The `pagination` of the response. */
export const SearchPagination = Type.Object({
  page: Type.Integer({
    description: 'The first page is 0; with a cursor, the page after the one that the cursor came from.',
  }),
  limit: Type.Integer(),
  total: Type.Integer({ description: 'How many rows match, on all pages.' }),
  totalIsCapped: Type.Optional(
    Type.Boolean({ description: 'True if more rows may match than total says; absent otherwise.' }),
  ),
  searchedTo: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Set if the search stopped before it had looked at all rows, as it would have taken too long: those that were created up to this time were checked (from this time on, in the usual order). nextCursor continues there; the page may be empty.',
    }),
  ),
  nextCursor: nullableString('The cursor of the next page; null on the last one.'),
});
export type SearchPagination = Type.Static<typeof SearchPagination>;

/** The `query` of the response: the texts of the request, null for those that were absent. */
export const SearchEcho = Type.Object({
  query: nullableString("The request's query."),
  sortBy: nullableString("The request's sortBy."),
  search: nullableString("The request's search."),
});
export type SearchEcho = Type.Static<typeof SearchEcho>;
