import { ApiError } from '../base/errors.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { parseSearchRequest } from '../search/request.ts';
import { countEach, findMatchingIds } from '../search/run-search.ts';
import { contactSource, searchableContacts } from './search.ts';

/** Counting so many takes well under a second, if an index leads to them. */
const MAX_COUNTED = 100_000;

interface ContactCount {
  total: number;
  totalIsCapped: boolean;
}

/** How many contacts match a filter that was saved before, and some of their ids. */
async function searchSaved(
  db: TenantDatabase,
  query: string,
  maxIds: number,
): Promise<ContactCount & { ids: string[] }> {
  try {
    return await db.search(async (reader) => {
      const searchable = await searchableContacts(reader, query);
      const request = parseSearchRequest({ query }, searchable, reader.now);
      const source = { ...contactSource, countCap: MAX_COUNTED };
      const search = { searchable, source, tenantId: reader.tenantId, request };
      const [total = 0] = await countEach(reader, [search]);
      const ids = maxIds === 0 ? [] : await findMatchingIds(reader, search, maxIds);
      return { total: Math.min(total, MAX_COUNTED), totalIsCapped: total > MAX_COUNTED, ids };
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.key !== 'invalid_body_params') throw error;
    // For example, an attribute that it uses was deleted with force.
    const reason = error.invalidParams?.query?.message ?? error.message;
    throw new ApiError('conflict', { detail: `the filter is no longer valid: ${reason}` });
  }
}

export async function countContacts(db: TenantDatabase, query: string): Promise<ContactCount> {
  const { total, totalIsCapped } = await searchSaved(db, query, 0);
  return { total, totalIsCapped };
}

/** The same with the ids of some of them, in no particular order. */
export const findAudience = searchSaved;
