import type { InboundRow } from '../../channels/queues.ts';
import { statement } from '../../db/statement.ts';
import type { TenantDatabase } from '../../db/tenant.ts';

export interface RequestBody {
  body: Buffer;
}

const readBodies = statement<[ids: string[]], { id: string; body: Buffer }>(
  'inbound.read_bodies',
  'select id, body from visible_inbound where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const readSlice = statement<[id: string, from: number, length: number], { slice: Buffer }>(
  'inbound.read_slice',
  'select substring(body from $2 for $3) as slice from visible_inbound where id = $1 and tenant_id = $tenant',
);

/** PostgreSQL sends bytes as hexadecimal text, and decoding 39 MB of it at once blocked the event loop for 330 ms. */
const SLICE_BYTES = 1024 * 1024;

/**
 * A large body, or undefined if it was deleted meanwhile. Its memory is shared with the thread that parses it: to copy 39 MB takes
 * 20 ms of the event loop.
 */
async function readInSlices(db: TenantDatabase, { id, bytes }: InboundRow): Promise<Buffer | undefined> {
  const body = Buffer.from(new SharedArrayBuffer(bytes));
  for (let start = 0; start < bytes; start += SLICE_BYTES) {
    const row = await db.find(readSlice, [id, start + 1, SLICE_BYTES]);
    if (!row) return undefined;
    row.slice.copy(body, start);
  }
  return body;
}

/** The requests with the bodies that were not claimed with them, in their order, less those that were deleted. */
export async function withBodies(
  db: TenantDatabase,
  rows: InboundRow[],
): Promise<(InboundRow & RequestBody)[]> {
  const isSmall = ({ bytes }: InboundRow): boolean => bytes <= SLICE_BYTES;
  const small = rows.filter((row) => row.body === null && isSmall(row)).map(({ id }) => id);
  const found = small.length === 0 ? [] : await db.all(readBodies, [small]);
  const bodies = new Map(found.map(({ id, body }) => [id, body]));
  const requests: (InboundRow & RequestBody)[] = [];
  for (const row of rows) {
    const body = row.body ?? (isSmall(row) ? bodies.get(row.id) : await readInSlices(db, row));
    if (body) requests.push({ ...row, body });
  }
  return requests;
}
