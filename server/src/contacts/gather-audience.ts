import { isUuid } from '../base/ids.ts';
import { isStatementTimeout } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { type Filter, parseFilter, parseRowFilter } from '../search/grammar/filter.ts';
import { ExpressionError } from '../search/grammar/tokens.ts';
import { compileRowFilter } from '../search/sql/row-filter.ts';
import { bindTo } from '../search/sql/statement.ts';
import { quote } from '../search/text.ts';
import { holdLabels } from './hold-audience.ts';
import { searchableContacts } from './search.ts';
import { readSegmentFilters, type SegmentFilters } from './segment-filters.ts';

/** A position in the order of creation of a tenant's contacts; the time is in PostgreSQL's own notation. */
export interface AudienceCursor {
  createdAt: string;
  id: string;
}

/** An audience with the filters of its segments as they were when it began to be gathered. */
export interface FixedAudience {
  filter: string;
  segmentFilters: SegmentFilters;
}

/** Reads the filters of segments that were not stored yet. */
export const fixAudience = async (
  tx: TenantTx,
  filter: string,
  stored: SegmentFilters | null,
): Promise<FixedAudience> => ({
  filter,
  segmentFilters: stored ?? Object.fromEntries(await readSegmentFilters(tx, filter)),
});

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

const mergedSince = statement<[since: Date], { contact_id: string }>(
  'contacts.merged_since',
  // One of both existed then: two contacts that are newer do not belong to the audience, as other new ones do not.
  `select distinct m.contact_id from merged_contacts m
     join visible_contacts c on c.id = m.contact_id and (c.tenant_id = m.tenant_id) is true
    where m.tenant_id = $tenant and m.created_at >= $1
      and (m.contact_created_at is null or least(m.contact_created_at, c.created_at) <= $1)`,
);

/**
 * Throws if a filter names a label that does not exist. After its deletion everybody would belong to "all without this label". It is
 * locked, so that it is not deleted while contacts are compared.
 */
async function requireLabels(tx: TenantTx, filter: Filter): Promise<void> {
  const named = labelsOf(filter).map((id) => id.toLowerCase());
  const ids = named.filter(isUuid);
  const known = new Set(ids.length === 0 ? [] : (await tx.all(holdLabels, [ids])).map(({ id }) => id));
  const unknown = named.find((id) => !known.has(id));
  if (unknown !== undefined) throw new ExpressionError(`There is no label ${quote(unknown)}`, 1);
}

/** What is wrong with an audience by the types of the attributes that there are; undefined if nothing is. */
export async function findAudienceIssue(db: TenantReader, audience: string): Promise<string | undefined> {
  try {
    parseRowFilter(audience, await searchableContacts(db, audience), db.now);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.message;
  }
}

function labelsOf(filter: Filter): string[] {
  if ('conditions' in filter) return filter.conditions.flatMap(labelsOf);
  if ('condition' in filter) return labelsOf(filter.condition);
  if (filter.field !== 'labelIds') return [];
  const values = 'values' in filter ? filter.values : 'value' in filter ? [filter.value] : [];
  return values.filter((value) => typeof value === 'string');
}

async function readAudience(tx: TenantTx, { filter: audience, segmentFilters }: FixedAudience, now: Date) {
  const searchable = await searchableContacts(tx, audience, new Map(Object.entries(segmentFilters)));
  const filter = parseFilter(audience, searchable, now);
  await requireLabels(tx, filter);
  return (params: unknown[]): string => compileRowFilter(filter, searchable, bindTo(params));
}

/** A statement that compares contacts with an audience took longer than any statement may. */
export class AudienceTooSlow extends Error {}

async function findMatching(tx: TenantTx, text: string, params: unknown[]): Promise<string[]> {
  try {
    return (await tx.query(text, params)).rows.map(({ id }) => id as string);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    const message = 'The audience took too long to gather: use fewer or more selective conditions';
    throw new AudienceTooSlow(message, { cause: error });
  }
}

/**
 * The contacts of an audience that others were merged into since it began to be gathered: the others may not have been read, and
 * they may be newer, or have matched only since then.
 */
export async function gatherMerged(tx: TenantTx, audience: FixedAudience, since: Date): Promise<string[]> {
  const ids = (await tx.all(mergedSince, [since])).map(({ contact_id }) => contact_id);
  if (ids.length === 0) return [];
  const matches = await readAudience(tx, audience, since);
  const params: unknown[] = [tx.tenantId, ids];
  return findMatching(
    tx,
    `select c.id from visible_contacts c
      where c.id = any ($2::uuid[]) and (c.tenant_id = $1) is true and ${matches(params)} order by c.id`,
    params,
  );
}

/**
 * Reads the next contacts after a cursor and returns the ids of those that match the filter, and the next cursor, null
 * at the end. Contacts created after `createdUntil` are left out, which is also the `now()` of the filter. Throws an `ExpressionError` if the filter uses an
 * attribute or a label that no longer exists, and `AudienceTooSlow`.
 */
export async function gatherAudience(
  tx: TenantTx,
  audience: FixedAudience,
  after: AudienceCursor,
  createdUntil: Date,
): Promise<{ contactIds: string[]; next: AudienceCursor | null }> {
  const matches = await readAudience(tx, audience, createdUntil);
  const next = (await tx.find(endOfWindow, [after.createdAt, after.id, createdUntil])) ?? null;
  const params: unknown[] = [
    tx.tenantId,
    after.createdAt,
    after.id,
    createdUntil,
    next?.createdAt ?? 'infinity',
    next?.id ?? null,
  ];
  const contactIds = await findMatching(
    tx,
    `select c.id from visible_contacts c
      where c.tenant_id = $1 and (c.created_at, c.id) > ($2::timestamptz, $3::uuid) and c.created_at <= $4
        and (c.created_at < $5::timestamptz or (c.created_at = $5::timestamptz and c.id <= $6::uuid)) and ${matches(params)}
      order by c.created_at, c.id`,
    params,
  );
  return { contactIds, next };
}
