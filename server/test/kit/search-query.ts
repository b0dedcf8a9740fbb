import type { Searchable } from '../../src/search/fields.ts';
import type { SearchQuery } from '../../src/search/query.ts';
import { parseSearchRequest } from '../../src/search/request.ts';
import type { SearchBody } from '../../src/search/schema.ts';
import type { SearchSource } from '../../src/search/source.ts';
import { items } from './search-samples.ts';

export const itemSource: SearchSource = { select: 'i.id', from: 'items i', tenantColumn: 'i.tenant_id' };

/** A search of items for the tenant `tenant`. */
export const createItemQuery = (
  body: SearchBody,
  source: SearchSource = itemSource,
  searchable: Searchable = items,
): SearchQuery => ({
  searchable,
  source,
  tenantId: 'tenant',
  request: parseSearchRequest(body, searchable, new Date()),
});
