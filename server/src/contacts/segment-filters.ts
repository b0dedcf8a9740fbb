import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { MAX_LEVELS, namedSegments } from '../search/grammar/filter.ts';

const filtersByIds = statement<[ids: string[]], { id: string; query: string }>(
  'segments.filters_by_ids',
  'select id, query from segments where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** The filters of segments by their ids, as they are stored when an audience begins to be gathered. */
export type SegmentFilters = Readonly<Record<string, string>>;

/**
 * The filters of the segments that a filter names, and of those that these name, by their ids. Nothing is read for a filter
 * without segments. `own` are filters that are not stored yet.
 */
export async function readSegmentFilters(
  db: TenantReader,
  filter: string,
  own: ReadonlyMap<string, string> = new Map(),
): Promise<ReadonlyMap<string, string>> {
  const found = new Map(own);
  const asked = new Set(own.keys());
  let texts = [filter];
  // A segment below this level is refused, whatever its filter.
  for (let level = 0; level <= MAX_LEVELS && texts.length > 0; level += 1) {
    const ids = new Set(texts.flatMap(namedSegments).filter((id) => isUuid(id) && !asked.has(id)));
    if (ids.size === 0) break;
    for (const id of ids) asked.add(id);
    const rows = await db.all(filtersByIds, [[...ids]]);
    for (const { id, query } of rows) found.set(id, query);
    texts = rows.map(({ query }) => query);
  }
  return found;
}
