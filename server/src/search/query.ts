import type { Searchable } from './fields.ts';
import type { SearchRequest } from './request.ts';
import type { SearchSource } from './source.ts';

/** One search of one tenant: the input from which each plan builds its statement. */
export interface SearchQuery {
  searchable: Searchable;
  source: SearchSource;
  tenantId: string;
  request: SearchRequest;
}
