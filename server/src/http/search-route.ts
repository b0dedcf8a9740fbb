import type { TSchema } from 'typebox';
import { ApiError, type ErrorKey } from '../base/errors.ts';
import { hasRemovals, withoutViews } from '../db/removals.ts';
import type { TenantDatabase, TenantReader } from '../db/tenant.ts';
import type { Searchable } from '../search/fields.ts';
import type { FoundPage } from '../search/plain-page.ts';
import { parseSearchRequest, type SearchRequest } from '../search/request.ts';
import { runSearch } from '../search/run-search.ts';
import { DEFAULT_LIMIT, SearchBody } from '../search/schema.ts';
import { restrictToChannels, type SearchSource } from '../search/source.ts';
import { found } from './answer.ts';
import { type CanRead, type Feature, meOf, type Principal, readerOf, type Scope } from './permissions.ts';
import { type Route, read } from './route.ts';

/** Converts rows one by one, or a whole page at once if each row would need a statement. */
type Presentation = { present: (row: never, canRead: CanRead) => unknown } | PagePresentation;
interface PagePresentation {
  presentPage: (reader: TenantReader, rows: never[]) => Promise<unknown[]> | unknown[];
}

type SearchRouteSpec<P extends TSchema> = Presentation & {
  path: string;
  operationId: string;
  tag: string;
  /** The searched resource, in the plural. */
  noun: string;
  access: Scope | 'token';
  feature?: Feature;
  isForAdmins?: true;
  params?: P;
  searchable: Searchable;
  /** The fields of a tenant, if tenants can define fields. `ownFields` describes those in the API reference. */
  searchableOf?: (
    reader: TenantReader,
    canRead: CanRead,
    filter: string | undefined,
  ) => Searchable | Promise<Searchable>;
  /** The fields that all tenants have, if reading those of one takes a statement. Undefined for a search that names others. */
  commonSearchable?: (tenantId: string, body: SearchBody) => Searchable | undefined;
  ownFields?: string;
  /**
   * The source of the rows. For a search within another resource, a function that also checks that it exists, and may
   * present pages with what it has read.
   */
  source:
    | SearchSource
    | ((
        reader: TenantReader,
        params: Record<string, string>,
        principal: Principal,
      ) => Promise<SearchSource & Partial<PagePresentation>>);
  /**
   * Reads a page in the order of creation without conditions, if one prepared statement can. Undefined if this page takes
   * more than that.
   */
  readPlainPage?: (
    db: TenantDatabase,
    params: Record<string, string>,
    request: SearchRequest,
  ) => Promise<FoundPage<unknown> | undefined>;
  schema: TSchema;
  /** What the answer has beside the page. */
  more?: {
    schema: TSchema;
    read: (reader: TenantReader, principal: Principal) => Promise<object>;
    example: object;
  };
  failures?: readonly ErrorKey[];
  example: { params?: Record<string, string>; query: string; item: unknown };
};

/** The same source without views. */
function withTables(source: SearchSource): SearchSource {
  const { from, fromForNames } = source;
  const tables = { ...source, from: withoutViews(from) };
  return fromForNames === undefined ? tables : { ...tables, fromForNames: withoutViews(fromForNames) };
}

const readsOnlyTables = ({ needsNoView, from, fromForNames = '' }: SearchSource): boolean =>
  needsNoView === true || (from === withoutViews(from) && fromForNames === withoutViews(fromForNames));

/** An index leads to this many rows in a few milliseconds. */
const MAX_PLAIN_ROWS = 10_000;

const PLAIN_SORTS = ['', 'desc(createdAt)'];

/** Whether a page is read in the order of creation without looking for anything. */
function isPlainPage({ query, search, sortBy, pagination = {} }: SearchBody): boolean {
  const { page = 0, limit = DEFAULT_LIMIT, cursor } = pagination;
  const isNear = cursor !== undefined || (page + 1) * limit <= MAX_PLAIN_ROWS;
  return isNear && !query?.trim() && !search?.trim() && PLAIN_SORTS.includes(sortBy?.trim() ?? '');
}

const hasPresentation = (source: Partial<PagePresentation>): source is PagePresentation =>
  source.presentPage !== undefined;

type Fields = Pick<SearchRouteSpec<TSchema>, 'searchable' | 'searchableOf' | 'commonSearchable'>;

async function parseFor(
  spec: Fields,
  reader: TenantReader,
  principal: Principal,
  body: SearchBody,
): Promise<{ searchable: Searchable; request: SearchRequest }> {
  const parse = (searchable: Searchable) => ({
    searchable,
    request: parseSearchRequest(body, searchable, reader.now, meOf(principal)),
  });
  const common = spec.commonSearchable?.(reader.tenantId, body);
  if (common)
    try {
      return parse(common);
    } catch (error) {
      // With the fields of the tenant it may be valid, or the error suggests one of them.
      if (!(error instanceof ApiError)) throw error;
    }
  return parse((await spec.searchableOf?.(reader, readerOf(principal), body.query)) ?? spec.searchable);
}

/** `POST …/search`, with the same body, grammar and pagination for every resource. */
export function searchRoute<P extends TSchema>(spec: SearchRouteSpec<P>): Route {
  if (spec.readPlainPage && spec.more)
    throw new Error(`A plain page of ${spec.noun} has nothing beside it: leave out readPlainPage or more.`);
  /** Whether restricted callers may read plain pages: the router has checked the path, or the rows have no channels. */
  const isPlainForAll =
    typeof spec.source === 'function' ? spec.params !== undefined : spec.source.inChannels === undefined;
  const names = [...Object.keys(spec.searchable.fields), ...(spec.ownFields ? [spec.ownFields] : [])].join(
    ', ',
  );
  return read(
    {
      method: 'POST',
      path: spec.path,
      operationId: spec.operationId,
      tag: spec.tag,
      summary: `Search ${spec.noun}`,
      description: `Fields to filter and sort by: ${names}.`,
      access: spec.access,
      ...(spec.feature === undefined ? {} : { feature: spec.feature }),
      ...(spec.isForAdmins === undefined ? {} : { isForAdmins: spec.isForAdmins }),
      ...(spec.params === undefined ? {} : { params: spec.params }),
      body: SearchBody,
      answer: found(spec.schema, spec.more?.schema),
      failures: [...(spec.failures ?? []), 'search_too_slow'],
      example: {
        ...(spec.example.params === undefined ? {} : { params: spec.example.params }),
        body: { query: spec.example.query, pagination: { page: 0, limit: 10 } },
        answer: {
          data: [spec.example.item],
          pagination: { page: 0, limit: 10, total: 1, nextCursor: null },
          query: { query: spec.example.query, sortBy: null, search: null },
          ...spec.more?.example,
        },
      },
    },
    async ({ principal, params, body }, db) => {
      const mayReadPlain = isPlainForAll || principal.channelIds === undefined;
      if (spec.readPlainPage && mayReadPlain && isPlainPage(body as SearchBody)) {
        const request = parseSearchRequest(body as SearchBody, spec.searchable, db.now, meOf(principal));
        // The router has checked what is in the path, also for callers who are restricted to channels.
        const page = await spec.readPlainPage(db, params as unknown as Record<string, string>, request);
        if (page) return page as never;
      }
      // All on one connection: waking other backends of PostgreSQL takes up to a tenth of a search's CPU time.
      return db.search(async (reader): Promise<never> => {
        const canRead = readerOf(principal);
        const { searchable, request } = await parseFor(spec, reader, principal, body as SearchBody);
        const all: SearchSource & Partial<PagePresentation> =
          typeof spec.source === 'function'
            ? await spec.source(reader, params as unknown as Record<string, string>, principal)
            : spec.source;
        const source = restrictToChannels(all, principal.channelIds);
        const search = (from: SearchSource) => runSearch(reader, searchable, from, reader.tenantId, request);
        const [isRemoving, found] = await Promise.all([
          readsOnlyTables(source) ? false : hasRemovals(reader),
          search(withTables(source)),
        ]);
        const { rows, ...page } = isRemoving ? await search(source) : found;
        const presentation: Presentation = hasPresentation(all) ? all : spec;
        const data =
          'presentPage' in presentation
            ? await presentation.presentPage(reader, rows as never[])
            : rows.map((row) => presentation.present(row as never, canRead));
        return { ...page, data, ...(await spec.more?.read(reader, principal)) } as never;
      });
    },
  );
}
