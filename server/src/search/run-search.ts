import { bindTo, compileSearch } from './compile.ts';
import type { Bind, Searchable } from './fields.ts';
import type { Key } from './keyset.ts';
import { type SearchRequest, writeCursor } from './page.ts';
import type { SearchEcho, SearchPagination } from './schema.ts';

export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Where the rows come from. All of it is trusted SQL. */
export interface SearchSource {
  select: string;
  from: string;
  tenantColumn: string;
  /** A condition of the route itself, such as the chat whose messages are searched. */
  where?: (bind: Bind) => string;
  /** Count no further than this: a count reads every row that matches, however many there are. */
  countCap?: number;
}

export interface SearchResult {
  rows: Record<string, unknown>[];
  pagination: SearchPagination;
  query: SearchEcho;
}

const KEY_COLUMN = '$key';

/** The asked-for page of a tenant's rows, with what the answer says about it. Reads only, in two statements at most. */
export async function runSearch(
  queryable: Queryable,
  searchable: Searchable,
  source: SearchSource,
  tenantId: string,
  request: SearchRequest,
): Promise<SearchResult> {
  const params: unknown[] = [];
  const bind = bindTo(params);
  const conditions = [`${source.tenantColumn} = ${bind(tenantId)}`];
  if (source.where !== undefined) conditions.push(`(${source.where(bind)})`);
  const parts = compileSearch(request, searchable, params);
  if (parts.where !== undefined) conditions.push(parts.where);
  const matching = `from ${source.from} where ${conditions.join(' and ')}`;
  const whereParams = params.slice(0, parts.whereParams);

  const found = await queryable.query(
    `select ${source.select}, ${parts.key} as "${KEY_COLUMN}" ${matching}${
      parts.after === undefined ? '' : ` and ${parts.after}`
    } order by ${parts.orderBy} limit ${bind(parts.limit + 1)}::int offset ${bind(parts.offset)}::int`,
    params,
  );
  // The one row too many tells that there is a next page.
  const hasMore = found.rows.length > parts.limit;
  const page = found.rows.slice(0, parts.limit);
  const lastKey = page.at(-1)?.[KEY_COLUMN] as Key | undefined;

  const isEndSeen = request.after === undefined && !hasMore && (page.length > 0 || parts.offset === 0);
  const total = isEndSeen
    ? parts.offset + page.length
    : await countRows(queryable, matching, whereParams, source.countCap);
  const isCapped = source.countCap !== undefined && total > source.countCap;

  return {
    rows: page.map(({ [KEY_COLUMN]: _, ...row }) => row),
    pagination: {
      page: request.page,
      limit: request.limit,
      total: isCapped ? (source.countCap ?? total) : total,
      ...(isCapped ? { totalIsCapped: true } : {}),
      nextCursor: hasMore && lastKey !== undefined ? writeCursor(request, lastKey) : null,
    },
    query: request.echo,
  };
}

/** How many rows match; one more than `cap` where there are more than that. */
async function countRows(
  queryable: Queryable,
  matching: string,
  params: unknown[],
  cap: number | undefined,
): Promise<number> {
  const text =
    cap === undefined
      ? `select count(*)::float8 as total ${matching}`
      : `select count(*)::float8 as total from (select 1 ${matching} limit ${cap + 1}) capped`;
  const { rows } = await queryable.query(text, params);
  return Number(rows[0]?.total);
}
