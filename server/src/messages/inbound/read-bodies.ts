import type { InboundRow } from '../../channels/queues.ts';
import { statement } from '../../db/statement.ts';
import type { TenantDatabase } from '../../db/tenant.ts';

export interface RequestBody {
  body: Buffer;
}

const readSlice = statement<[id: string, from: number, length: number], { slice: Buffer }>(
  'inbound.read_slice',
  'select substring(body from $2 for $3) as slice from visible_inbound where id = $1 and tenant_id = $tenant',
);

/** PostgreSQL sends bytes as hexadecimal text, and decoding 39 MB of it at once blocked the event loop for 330 ms. */
const SLICE_BYTES = 1024 * 1024;

/**
 * The body of a request, or undefined if it was deleted meanwhile. Its memory is shared with the thread that parses it: a copy of 39 MB
 * takes 20 ms.
 */
async function readBody(db: TenantDatabase, { id, bytes }: InboundRow): Promise<Buffer | undefined> {
  const body = Buffer.from(new SharedArrayBuffer(bytes));
  for (let start = 0; start < bytes; start += SLICE_BYTES) {
    const row = await db.find(readSlice, [id, start + 1, SLICE_BYTES]);
    if (!row) return undefined;
    row.slice.copy(body, start);
  }
  return body;
}

/** The requests with their bodies, in their order, less those that were deleted. */
export async function readLargeBodies(
  db: TenantDatabase,
  rows: InboundRow[],
): Promise<(InboundRow & RequestBody)[]> {
  const requests: (InboundRow & RequestBody)[] = [];
  for (const row of rows) {
    const body = row.body ?? (await readBody(db, row));
    if (body) requests.push({ ...row, body });
  }
  return requests;
}
