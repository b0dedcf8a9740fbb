import type { TSchema } from 'typebox';
import type { ErrorKey } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { Searchable } from '../search/fields.ts';
import { searchRequest } from '../search/page.ts';
import { runSearch, type SearchSource } from '../search/run-search.ts';
import { SearchBody } from '../search/schema.ts';
import type { Feature, Principal, Scope } from './permissions.ts';
import { found, type Route, read } from './route.ts';

/** How rows become what the API shows: one by one, or a page of them at once where each would cost a statement. */
type Presentation =
  | { present: (row: never) => unknown }
  | { presentPage: (rows: never[], tenantId: string) => Promise<unknown[]> };

type SearchRouteSpec<P extends TSchema> = Presentation & {
  path: string;
  operationId: string;
  tag: string;
  /** What is searched, in the plural. */
  noun: string;
  access: Scope;
  feature?: Feature;
  params?: P;
  searchable: Searchable;
  /** What a tenant's rows can be searched by, where tenants have fields of their own; `ownFields` says how they are called. */
  searchableOf?: (tenantId: string) => Promise<Searchable>;
  ownFields?: string;
  /** Where the rows come from; for searches within something, made from the call after checking that it exists. */
  source: SearchSource | ((principal: Principal, params: Record<string, string>) => Promise<SearchSource>);
  schema: TSchema;
  failures?: readonly ErrorKey[];
  example: { params?: Record<string, string>; query: string; item: unknown };
};

/** `POST …/search`: one body, one grammar and one way of paging for every resource. */
export function searchRoute<P extends TSchema>(db: Database, spec: SearchRouteSpec<P>): Route {
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
      ...(spec.params === undefined ? {} : { params: spec.params }),
      body: SearchBody,
      answer: found(spec.schema),
      failures: spec.failures ?? [],
      example: {
        ...(spec.example.params === undefined ? {} : { params: spec.example.params }),
        body: { query: spec.example.query, pagination: { page: 0, limit: 10 } },
        answer: {
          data: [spec.example.item],
          pagination: { page: 0, limit: 10, total: 1, nextCursor: null },
          query: { query: spec.example.query, sortBy: null, search: null },
        },
      },
    },
    async ({ principal, params, body }) => {
      const searchable = (await spec.searchableOf?.(principal.tenantId)) ?? spec.searchable;
      const request = searchRequest(body as SearchBody, searchable);
      const source =
        typeof spec.source === 'function'
          ? await spec.source(principal, params as unknown as Record<string, string>)
          : spec.source;
      // What finds a name that three have is no way to find one that all have.
      const { rows, ...page } = await db.transaction(async (tx) => {
        const [, result] = await Promise.all([
          tx.query('set local plan_cache_mode = force_custom_plan', []),
          runSearch(tx, searchable, source, principal.tenantId, request),
        ]);
        return result;
      });
      const data =
        'presentPage' in spec
          ? await spec.presentPage(rows as never[], principal.tenantId)
          : rows.map((row) => spec.present(row as never));
      return { ...page, data } as never;
    },
  );
}
