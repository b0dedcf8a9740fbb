import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { END, type FoundPage, toFoundPage } from '../search/plain-page.ts';
import { getOffset, type SearchRequest } from '../search/request.ts';
import { type ContactFacts, contactFacts, presentContact } from './contact.ts';
import type { Contact } from './schema.ts';
import { COUNT_CAP } from './search.ts';

const contactPage = statement<
  [limit: number, offset: number, beforeTime: string, beforeId: string, isCounted: boolean],
  { contacts: ContactFacts[] | null; total: number | null }
>(
  'contacts.page',
  // Tables and not views, so that contacts are counted in the index alone; no row if one of the tenant's is being deleted.
  `select (select json_agg(${contactFacts('p')} order by p.created_at desc, p.id desc) from (
       select * from contacts c where c.tenant_id = $tenant and (c.created_at, c.id) < ($3::timestamptz, $4::uuid)
        order by c.created_at desc, c.id desc limit $1 offset $2) p) as contacts,
     case when $5::boolean then (select count(*)::int from (
       select from contacts c where c.tenant_id = $tenant limit ${COUNT_CAP + 1}) counted) end as total
    where not exists (select 1 from removals where tenant_id = $tenant)`,
);

/**
 * A page of contacts, the newest first, in one prepared statement instead of seven. Undefined if it needs more: a contact or
 * channel is being deleted, or the page is after the last one and nobody wants the total, which it shows all the same.
 */
export async function readContactPage(
  db: TenantDatabase,
  request: SearchRequest,
): Promise<FoundPage<Contact> | undefined> {
  const { limit, after = END, withTotal } = request;
  const [beforeTime, beforeId] = after as [string, string];
  const offset = getOffset(request);
  const found = await db.search((queryable) =>
    queryable.find(contactPage, [limit + 1, offset, beforeTime, beforeId, withTotal]),
  );
  if (!found) return undefined;
  const rows = found.contacts ?? [];
  if (!withTotal && offset > 0 && rows.length === 0) return undefined;
  return toFoundPage(request, rows, found.total ?? undefined, COUNT_CAP, presentContact);
}
