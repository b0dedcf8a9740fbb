import { limitSql } from '../access/limits.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import type { CanRead } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { inboundQueue } from './queues.ts';
import type { FailedRequest } from './schema.ts';

export interface FailedRequestRow {
  id: string;
  error: string | null;
  attempts: number;
  created_at: Date;
  size: number;
  body: Buffer;
}

/** A hundred mails with attachments would make a page of gigabytes. */
const SHOWN_BYTES = 64 * 1024;

const COLUMNS = `i.id, i.error, i.attempts, i.created_at, octet_length(i.body) as size,
  substring(i.body from 1 for ${SHOWN_BYTES}) as body`;

const replay = statement<[id: string, channelId: string], FailedRequestRow>(
  'inbound.replay',
  `update visible_inbound i set due_at = ${DUE_NOW}, attempts = 0, crashes = 0, error = null
    where i.id = $1 and i.tenant_id = $tenant and i.channel_id = $2 and i.due_at is null returning ${COLUMNS}`,
);
const remove = statement<[id: string, channelId: string]>(
  'inbound.delete_failed',
  'delete from inbound where id = $1 and tenant_id = $tenant and channel_id = $2 and due_at is null',
);

/** Kept per tenant, the newest, and at most as many as its limit allows: so the disk does not fill. */
const MAX_KEPT_BYTES = 1024 * 1024 * 1024;

const removeOld = systemStatement<[before: Date, maxBytes: number]>(
  'inbound.delete_old_failed',
  `delete from inbound i using (
     select f.id, f.tenant_id from (
       select id, tenant_id, created_at, row_number() over newest as number, sum(octet_length(body)) over newest as bytes
         from visible_inbound where due_at is null
       window newest as (partition by tenant_id order by created_at desc, id desc)) as f
       join visible_tenants t on t.id = f.tenant_id
      where f.created_at < $1 or f.bytes > $2 or f.number > ${limitSql('storedFailedRequests', 't')} limit 1000) as old
    where i.id = old.id and i.tenant_id = old.tenant_id and i.due_at is null`,
);

/** Deletes failed requests that are older than the retention, or more than the tenant's limit, and returns how many. */
export async function removeOldRequests(
  db: Pick<Queryable, 'run'>,
  before: Date,
  maxBytes = MAX_KEPT_BYTES,
): Promise<number> {
  let removed = 0;
  for (let last = -1; last !== 0; removed += last) last = await db.run(removeOld, [before, maxBytes]);
  return removed;
}

export const failedRequestFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'i.id' },
    error: { type: 'string', sql: 'i.error', nullable: true, isLong: true },
    attempts: { type: 'number', sql: 'i.attempts' },
    receivedAt: { type: 'time', sql: 'i.created_at' },
  },
  names: ['i.error'],
  id: 'i.id',
};

/** The fields that the caller may search by: answers to conditions on errors would reveal them. */
export function failedRequestFieldsFor(canRead: CanRead): Searchable {
  if (canRead('messages:read')) return failedRequestFields;
  const { error: _, ...fields } = failedRequestFields.fields;
  return { ...failedRequestFields, fields, names: [] };
}

export const failedRequestSource = (channelId: string): SearchSource => ({
  select: COLUMNS,
  from: 'visible_inbound i',
  tenantColumn: 'i.tenant_id',
  where: (bind) => `i.channel_id = ${bind(channelId)}::uuid and i.due_at is null`,
});

/** UTF-8 as text, even if it is cut in the middle of a character; everything else as base64. */
function bodyOf(bytes: Buffer): Pick<FailedRequest, 'body' | 'encoding'> {
  try {
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    if (!body.includes('\0')) return { body, encoding: 'text' };
  } catch {
    // It is not text.
  }
  return { body: bytes.toString('base64'), encoding: 'base64' };
}

/** Without the texts of customers, which an error may quote, unless the caller may read messages. */
export const presentFailedRequest = (row: FailedRequestRow, canRead: CanRead): FailedRequest => ({
  id: row.id,
  error: canRead('messages:read') ? row.error : null,
  attempts: row.attempts,
  receivedAt: timestamp(row.created_at),
  size: row.size,
  ...(canRead('messages:read') ? bodyOf(row.body) : { body: null, encoding: 'text' }),
});

/** Queues a failed request again, due now and with all its attempts. */
export async function replayRequest(
  tx: TenantTx,
  channelId: string,
  requestId: string,
  canRead: CanRead,
): Promise<FailedRequest> {
  const row =
    isUuid(channelId) && isUuid(requestId) ? await tx.find(replay, [requestId, channelId]) : undefined;
  if (!row) throw new ApiError('failed_request_not_found');
  tx.wake(inboundQueue, channelId);
  return presentFailedRequest(row, canRead);
}

/** Deletes a failed request, and returns whether it existed. */
export const removeRequest = async (tx: TenantTx, channelId: string, requestId: string): Promise<boolean> =>
  isUuid(channelId) && isUuid(requestId) && (await tx.run(remove, [requestId, channelId])) === 1;
