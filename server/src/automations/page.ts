import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { END, type FoundPage, toFoundPage } from '../search/plain-page.ts';
import { getOffset, type SearchRequest } from '../search/request.ts';
import { type AutomationRow, COLUMNS, IS_SHOWN, presentAutomation } from './automation.ts';
import type { Automation } from './schema.ts';

const automationPage = statement<
  [limit: number, offset: number, beforeTime: string, beforeId: string, isCounted: boolean],
  { automations: AutomationRow[] | null; total: number | null }
>(
  'automations.page',
  // The definitions are read for the rows of the page, and not for those before it.
  `select (select json_agg(p order by p.created_at desc, p.id desc) from (select ${COLUMNS} from (
       select * from automations a
        where a.tenant_id = $tenant and ${IS_SHOWN} and (a.created_at, a.id) < ($3::timestamptz, $4::uuid)
        order by a.created_at desc, a.id desc limit $1 offset $2) a) p) as automations,
     case when $5::boolean then (select count(*)::int from automations a where a.tenant_id = $tenant and ${IS_SHOWN}) end as total`,
);

/**
 * A page of automations, the newest first, in one prepared statement instead of five. Undefined if the page is after the last one
 * and nobody wants the total, which it shows all the same.
 */
export async function readAutomationPage(
  db: TenantDatabase,
  request: SearchRequest,
): Promise<FoundPage<Automation> | undefined> {
  const { limit, after = END, withTotal } = request;
  const [beforeTime, beforeId] = after as [string, string];
  const offset = getOffset(request);
  const found = await db.search((queryable) =>
    queryable.find(automationPage, [limit + 1, offset, beforeTime, beforeId, withTotal]),
  );
  const rows = found?.automations ?? [];
  if (!withTotal && offset > 0 && rows.length === 0) return undefined;
  return toFoundPage(request, rows, found?.total ?? undefined, undefined, presentAutomation);
}
