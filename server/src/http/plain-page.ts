import { type Statement, statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { END, type FoundPage, type JsonRow, toFoundPage } from '../search/plain-page.ts';
import { getOffset, type SearchRequest } from '../search/request.ts';

/** How a plain page of a resource is read and shown. */
interface PlainPage<R, T> {
  /** The name of the statement. */
  name: string;
  /** SQL for one row of the table `r`, as JSON. */
  rowAsJson: string;
  table: string;
  /** Which rows of the tenant are listed. */
  isListed?: string;
  /** When the page can be read in this way. */
  isReadable?: string;
  /** Counting ends above this. */
  countCap?: number;
  present: (row: R) => T;
}

/**
 * Returns a function that reads a page of a resource, the newest rows first, in one prepared statement. The function returns undefined
 * if the page is not readable in this way, or if it is after the last one and no total is requested: then the general search reads it.
 */
export function plainPageReader<R extends JsonRow, T>({
  name,
  rowAsJson,
  table,
  isListed = 'true',
  isReadable = 'true',
  countCap,
  present,
}: PlainPage<R, T>): (db: TenantDatabase, request: SearchRequest) => Promise<FoundPage<T> | undefined> {
  const listed = `from ${table} r where r.tenant_id = $tenant and ${isListed}`;
  const counted =
    countCap === undefined
      ? `select count(*)::int ${listed}`
      : `select count(*)::int from (select ${listed} limit ${countCap + 1}) counted`;
  const page: Statement<
    [limit: number, offset: number, beforeTime: string, beforeId: string, isCounted: boolean],
    { row: R | null; total: number | null }
  > = statement(
    name,
    // What belongs to a row is read for those of the page, and not for those before it. Each row is a value of its own: to parse a
    // page of large definitions as one value blocked the event loop for 330 ms.
    `select p.row, t.total from (select case when $5::boolean then (${counted}) end as total where ${isReadable}) t
       left join (
         select ${rowAsJson} as row, r.created_at, r.id from (
           select r.* ${listed} and (r.created_at, r.id) < ($3::timestamptz, $4::uuid)
            order by r.created_at desc, r.id desc limit $1 offset $2) r) p on true
      order by p.created_at desc, p.id desc`,
  );
  return async (db, request) => {
    const { limit, after = END, withTotal } = request;
    const [beforeTime, beforeId] = after as [string, string];
    const offset = getOffset(request);
    const found = await db.search((reader) =>
      reader.all(page, [limit + 1, offset, beforeTime, beforeId, withTotal]),
    );
    const [first] = found;
    if (!first || (!withTotal && offset > 0 && first.row === null)) return undefined;
    const rows = found.flatMap(({ row }) => row ?? []);
    return toFoundPage(request, rows, first.total ?? undefined, countCap, present);
  };
}
