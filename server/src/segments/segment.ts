import { limitRows } from '../access/limits.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { deletionOf } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { countContacts } from '../contacts/count-contacts.ts';
import { holdAudience } from '../contacts/hold-audience.ts';
import { searchableContacts } from '../contacts/search.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantReader, TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import { parseRowFilter } from '../search/grammar/filter.ts';
import { ExpressionError } from '../search/grammar/tokens.ts';
import { requireUsable } from './require-usable.ts';
import type { Segment, SegmentCount } from './schema.ts';

export interface SegmentRow {
  id: string;
  name: string;
  query: string;
  created_at: Date;
  updated_at: Date;
}

export const SEGMENT_COLUMNS = 's.id, s.name, s.query, s.created_at, s.updated_at';

const insertSegment = statement<[id: string, name: string, query: string, now: Date], SegmentRow>(
  'segments.insert',
  `insert into segments as s (id, tenant_id, name, query, created_at, updated_at) values ($1, $tenant, $2, $3, $4, $4)
   on conflict (tenant_id, lower(name)) do nothing returning ${SEGMENT_COLUMNS}`,
);
const segmentById = statement<[id: string], SegmentRow>(
  'segments.by_id',
  `select ${SEGMENT_COLUMNS} from segments s where s.id = $1 and s.tenant_id = $tenant`,
);
const lockSegment = statement<[id: string], SegmentRow>(
  'segments.lock',
  `select ${SEGMENT_COLUMNS} from segments s where s.id = $1 and s.tenant_id = $tenant for no key update`,
);
const holdSegment = statement<[id: string], SegmentRow>(
  'segments.hold',
  `select ${SEGMENT_COLUMNS} from segments s where s.id = $1 and s.tenant_id = $tenant for share`,
);
const lockFilters = statement<[]>(
  'segments.lock_filters',
  `select pg_advisory_xact_lock(hashtextextended('segments:' || $tenant::text, 0))`,
);
const updateSegment = statement<[id: string, name: string, query: string, now: Date], SegmentRow>(
  'segments.update',
  `update segments s set name = $2, query = $3, updated_at = $4 where s.id = $1 and s.tenant_id = $tenant
   returning ${SEGMENT_COLUMNS}`,
);
const deleteSegment = statement<[id: string]>(
  'segments.delete',
  'delete from segments where id = $1 and tenant_id = $tenant',
);

const requireFewSegments = limitRows('segments', 'segments');

export const presentSegment = (row: SegmentRow): Segment => ({
  id: row.id,
  name: row.name,
  query: row.query,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const nameTaken = (name: string): ApiError =>
  invalidParam('name', 'custom', `Another segment is named "${name}" already`);

/** Throws for a filter that a search of contacts would refuse. */
async function requireValid(tx: TenantTx, query: string, segmentId?: string): Promise<void> {
  await holdAudience(tx, query);
  // With its new filter a segment must not contain itself.
  const own = new Map(segmentId === undefined ? [] : [[segmentId, query]]);
  try {
    parseRowFilter(query, await searchableContacts(tx, query, own), tx.now);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw invalidParam('query', 'invalid_string', error.message);
  }
}

const nameOf = (given: string): string => {
  const name = given.trim();
  if (name === '') throw invalidParam('name', 'too_small', 'Must have at least 1 character(s)');
  return name;
};

export async function createSegment(
  tx: TenantTx,
  { name: given, query }: { name: string; query: string },
): Promise<Segment> {
  const name = nameOf(given);
  await requireValid(tx, query);
  await requireFewSegments(tx);
  const row = await tx.find(insertSegment, [newId(), name, query, tx.now]);
  if (!row) throw nameTaken(name);
  return presentSegment(row);
}

export async function requireSegment(db: TenantReader, segmentId: string): Promise<Segment> {
  const row = isUuid(segmentId) ? await db.find(segmentById, [segmentId]) : undefined;
  if (!row) throw new ApiError('segment_not_found');
  return presentSegment(row);
}

/** The segment with an id. It is locked, so that it is not deleted before the transaction refers to it. */
export const findHeldSegment = async (tx: TenantTx, segmentId: string): Promise<SegmentRow | undefined> =>
  isUuid(segmentId) ? tx.find(holdSegment, [segmentId]) : undefined;

export async function changeSegment(
  tx: TenantTx,
  segmentId: string,
  change: { name?: string; query?: string },
): Promise<Segment> {
  // One filter after another: two segments that begin to name each other would wait for each other.
  if (change.query !== undefined) await tx.run(lockFilters, []);
  const row = isUuid(segmentId) ? await tx.find(lockSegment, [segmentId]) : undefined;
  if (!row) throw new ApiError('segment_not_found');
  const name = change.name === undefined ? row.name : nameOf(change.name);
  const query = change.query ?? row.query;
  if (query !== row.query) {
    await requireValid(tx, query, row.id);
    await requireUsable(tx, row, query);
  }
  if (name === row.name && query === row.query) return presentSegment(row);
  const changed = await tx.find(updateSegment, [row.id, name, query, tx.now]).catch((error) => {
    throw isUniqueViolation(error, 'segments_name') ? nameTaken(name) : error;
  });
  return presentSegment(changed as SegmentRow);
}

/** Deletes a segment and returns whether it existed. */
export async function removeSegment(tx: TenantTx, segmentId: string): Promise<boolean> {
  if (!isUuid(segmentId) || (await tx.run(deleteSegment, [segmentId])) === 0) return false;
  tx.announce(deletionOf('segment', segmentId));
  return true;
}

/** How many contacts belong to a segment now. */
export async function countSegment(db: TenantDatabase, segmentId: string): Promise<SegmentCount> {
  const { query } = await requireSegment(db.byKey, segmentId);
  return countContacts(db, query);
}
