import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { AT_ONCE, shardOf } from '../engine/queue.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { timestamp } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/run-search.ts';
import { INBOUND_LIST } from './receive-request.ts';
import type { FailedRequest } from './schema.ts';

export interface FailedRequestRow {
  id: string;
  error: string | null;
  attempts: number;
  created_at: Date;
  size: number;
  body: Buffer;
}

/** A page of a hundred mails with attachments would be larger than anyone can read. */
const SHOWN_BYTES = 64 * 1024;

const COLUMNS = `i.id, i.error, i.attempts, i.created_at, octet_length(i.body) as size,
  substring(i.body from 1 for ${SHOWN_BYTES}) as body`;

const replay = statement<[id: string, tenantId: string, channelId: string], FailedRequestRow>(
  'inbound.replay',
  `update inbound i set due_at = ${AT_ONCE}, attempts = 0, error = null
    where i.id = $1 and i.tenant_id = $2 and i.channel_id = $3 and i.due_at is null returning ${COLUMNS}`,
);
const remove = statement<[id: string, tenantId: string, channelId: string]>(
  'inbound.delete_failed',
  'delete from inbound where id = $1 and tenant_id = $2 and channel_id = $3 and due_at is null',
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

/** Text as text, even if it is cut in the middle of a character; everything else as base64. */
function bodyOf(bytes: Buffer): Pick<FailedRequest, 'body' | 'encoding'> {
  try {
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    if (!body.includes('\0')) return { body, encoding: 'text' };
  } catch {
    // It is no text.
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

/** Lets a request that had failed for good be processed again, at once and with all its tries. */
export async function replayRequest(
  tx: Tx,
  tenantId: string,
  channelId: string,
  requestId: string,
  wakeUps: WakeUps,
): Promise<FailedRequest> {
  const row =
    isUuid(channelId) && isUuid(requestId)
      ? await tx.find(replay, [requestId, tenantId, channelId])
      : undefined;
  if (!row) throw new ApiError('failed_request_not_found');
  tx.afterCommit(() => wakeUps.give(INBOUND_LIST, shardOf(channelId, tenantId), channelId));
  return presentFailedRequest(row);
}

/** Deletes a request that had failed for good, and says whether there was one. */
export const removeRequest = async (
  tx: Tx,
  tenantId: string,
  channelId: string,
  requestId: string,
): Promise<boolean> =>
  isUuid(channelId) && isUuid(requestId) && (await tx.run(remove, [requestId, tenantId, channelId])) === 1;
