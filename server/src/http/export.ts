import { type Static, Type } from 'typebox';
import type { TenantDatabase, TenantReader } from '../db/tenant.ts';
import type { Searchable } from '../search/fields.ts';
import { parseSearchRequest } from '../search/request.ts';
import { runSearch } from '../search/run-search.ts';
import { Query, SearchText } from '../search/schema.ts';
import { restrictToChannels, type SearchSource } from '../search/source.ts';
import { csvLine } from './csv.ts';
import type { Download } from './download.ts';
import { meOf, type Principal } from './permissions.ts';

/** How many rows are in memory at once. With a filter, each page looks for all matches again: small pages take longer. */
const PAGE = 1_000;
/** More matches than this are not collected for each page, but read in order. Without a filter nothing is counted. */
const MAX_COLLECTED = 10_000;

export const ExportQuery = Type.Object({ query: Type.Optional(Query), search: Type.Optional(SearchText) });
export type ExportQuery = Static<typeof ExportQuery>;

/** The columns of a table, and the cells of its rows. */
interface Table {
  columns: readonly string[];
  /** Converts the rows of a page, in their order. */
  readCells(reader: TenantReader, ids: string[]): Promise<(string | null)[][]>;
}

interface Export {
  filename: string;
  searchable: Searchable;
  source: SearchSource;
  table: Table;
  /** Which rows. */
  wanted: ExportQuery;
  principal: Principal;
}

/**
 * All rows that match, in the order of creation, as CSV. They are read a page at a time while they are sent, each page like a search:
 * a long export uses no more memory than a short one, and takes turns with other searches. A wrong filter is refused before
 * anything is sent.
 */
export function exportRows(
  db: TenantDatabase,
  { filename, searchable, source, table, wanted: { query, search }, principal }: Export,
): Download {
  const body = {
    sortBy: 'asc(createdAt)',
    ...(query === undefined ? {} : { query }),
    ...(search === undefined ? {} : { search }),
  };
  // The times of the filter are those of the first page.
  const { now } = db;
  const parsePage = (pagination: { cursor?: string }) =>
    parseSearchRequest({ ...body, pagination }, searchable, now, meOf(principal));
  const first = parsePage({});
  const countCap = query === undefined && search === undefined ? 0 : MAX_COLLECTED;
  const restricted = { ...restrictToChannels(source, principal.channelIds), countCap };

  const readPage = (request: ReturnType<typeof parsePage>) =>
    db.search(async (reader) => {
      const found = await runSearch(reader, searchable, restricted, reader.tenantId, {
        ...request,
        limit: PAGE,
      });
      const ids = found.rows.map(({ id }) => id as string);
      return { cells: await table.readCells(reader, ids), nextCursor: found.pagination.nextCursor };
    });

  async function* pieces(): AsyncGenerator<string> {
    yield csvLine(table.columns);
    for (let reading = readPage(first); ; ) {
      const { cells, nextCursor } = await reading;
      // The next page is looked for while this one is written.
      if (nextCursor !== null) reading = readPage(parsePage({ cursor: nextCursor }));
      // If nobody reads on, nobody waits for it.
      reading.catch(() => {});
      if (cells.length > 0) yield cells.map(csvLine).join('');
      if (nextCursor === null) return;
    }
  }

  return { filename, pieces: pieces() };
}
