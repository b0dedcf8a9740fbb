import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { parseFilter } from '../search/grammar/filter.ts';
import { compileRowFilter } from '../search/sql/row-filter.ts';
import { bindTo } from '../search/sql/statement.ts';
import { searchableContacts } from './search.ts';

/** A position in the order of creation of a tenant's contacts; the time is in PostgreSQL's own notation. */
export interface AudienceCursor {
  createdAt: string;
  id: string;
}

/** How many contacts one call reads, whether they match or not, so that every call takes about the same time. */
const WINDOW = 5000;

export const AUDIENCE_START: AudienceCursor = {
  createdAt: '-infinity',
  id: '00000000-0000-0000-0000-000000000000',
};

const endOfWindow = statement<[afterCreatedAt: string, afterId: string, createdUntil: Date], AudienceCursor>(
  'contacts.end_of_window',
  `select c.created_at::text as "createdAt", c.id from visible_contacts c
    where c.tenant_id = $tenant and (c.created_at, c.id) > ($1::timestamptz, $2::uuid) and c.created_at <= $3
    order by c.created_at, c.id limit 1 offset ${WINDOW - 1}`,
);

/**
 * Reads the next contacts after a cursor and returns the ids of those that match the filter, and the next cursor, null
 * at the end. Contacts created after `createdUntil` are left out, which is also the `now()` of the filter. Throws an `ExpressionError` if the filter uses an
 * attribute that no longer exists.
 */
export async function gatherAudience(
  tx: TenantTx,
  audience: string,
  after: AudienceCursor,
  createdUntil: Date,
): Promise<{ contactIds: string[]; next: AudienceCursor | null }> {
  const searchable = await searchableContacts(tx);
  const filter = parseFilter(audience, searchable, createdUntil);
  const next = (await tx.find(endOfWindow, [after.createdAt, after.id, createdUntil])) ?? null;
  const params: unknown[] = [
    tx.tenantId,
    after.createdAt,
    after.id,
    createdUntil,
    next?.createdAt ?? 'infinity',
    next?.id ?? null,
  ];
  const matches = compileRowFilter(filter, searchable, bindTo(params));
  const { rows } = await tx.query(
    `select c.id from visible_contacts c
      where c.tenant_id = $1 and (c.created_at, c.id) > ($2::timestamptz, $3::uuid) and c.created_at <= $4
        and (c.created_at < $5::timestamptz or (c.created_at = $5::timestamptz and c.id <= $6::uuid)) and ${matches}
      order by c.created_at, c.id`,
    params,
  );
  return { contactIds: rows.map(({ id }) => id as string), next };
}
