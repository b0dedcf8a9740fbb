import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
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
  `update inbound i set due_at = ${DUE_NOW}, attempts = 0, error = null
    where i.id = $1 and i.tenant_id = $tenant and i.channel_id = $2 and i.due_at is null returning ${COLUMNS}`,
);
const remove = statement<[id: string, channelId: string]>(
  'inbound.delete_failed',
  'delete from inbound where id = $1 and tenant_id = $tenant and channel_id = $2 and due_at is null',
);

export const failedRequestFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'i.id' },
    error: { type: 'string', sql: 'i.error', nullable: true, sortable: false },
    attempts: { type: 'number', sql: 'i.attempts' },
    receivedAt: { type: 'time', sql: 'i.created_at' },
  },
  names: ['i.error'],
  id: 'i.id',
};

export const failedRequestSource = (channelId: string): SearchSource => ({
  select: COLUMNS,
  from: 'inbound i',
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

export const presentFailedRequest = (row: FailedRequestRow): FailedRequest => ({
  id: row.id,
  error: row.error,
  attempts: row.attempts,
  receivedAt: timestamp(row.created_at),
  size: row.size,
  ...bodyOf(row.body),
});

/** Queues a failed request again, due now and with all its attempts. */
export async function replayRequest(
  tx: TenantTx,
  channelId: string,
  requestId: string,
): Promise<FailedRequest> {
  const row =
    isUuid(channelId) && isUuid(requestId) ? await tx.find(replay, [requestId, channelId]) : undefined;
  if (!row) throw new ApiError('failed_request_not_found');
  tx.wake(inboundQueue, channelId);
  return presentFailedRequest(row);
}

/** Deletes a failed request, and returns whether it existed. */
export const removeRequest = async (tx: TenantTx, channelId: string, requestId: string): Promise<boolean> =>
  isUuid(channelId) && isUuid(requestId) && (await tx.run(remove, [requestId, channelId])) === 1;
