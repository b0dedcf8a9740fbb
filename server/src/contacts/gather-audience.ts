import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { compileFilter } from '../search/compile.ts';
import { parseFilter } from '../search/grammar.ts';
import { searchableContacts } from './search.ts';

/** A place in the row of a tenant's contacts, as PostgreSQL writes it. */
export interface Place {
  at: string;
  id: string;
}

/** How many contacts are looked at in one go, whether they match or not, so that it takes as long every time. */
const WINDOW = 5000;

export const FIRST_PLACE: Place = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

const endOfWindow = statement<[tenantId: string, afterAt: string, afterId: string, madeUntil: Date], Place>(
  'contacts.end_of_window',
  `select c.created_at::text as at, c.id from contacts c
    where c.tenant_id = $1 and (c.created_at, c.id) > ($2::timestamptz, $3::uuid) and c.created_at <= $4
    order by c.created_at, c.id limit 1 offset ${WINDOW - 1}`,
);

/**
 * Whom a filter matches among the next contacts after a place, of those that were made until a moment; and the place to
 * go on from, null at the end. Throws an `ExpressionError` where the filter asks for what contacts no longer have.
 */
export async function gatherAudience(
  tx: Tx,
  tenantId: string,
  audience: string,
  after: Place,
  madeUntil: Date,
): Promise<{ contactIds: string[]; next: Place | null }> {
  const searchable = await searchableContacts(tx, tenantId);
  const filter = parseFilter(audience, searchable);
  const next = (await tx.find(endOfWindow, [tenantId, after.at, after.id, madeUntil])) ?? null;
  const params: unknown[] = [
    tenantId,
    after.at,
    after.id,
    madeUntil,
    next?.at ?? 'infinity',
    next?.id ?? null,
  ];
  const matches = compileFilter(filter, searchable, params, 'row by row');
  const { rows } = await tx.query(
    `select c.id from contacts c
      where c.tenant_id = $1 and (c.created_at, c.id) > ($2::timestamptz, $3::uuid) and c.created_at <= $4
        and (c.created_at < $5::timestamptz or (c.created_at = $5::timestamptz and c.id <= $6::uuid)) and ${matches}
      order by c.created_at, c.id`,
    params,
  );
  return { contactIds: rows.map(({ id }) => id as string), next };
}
