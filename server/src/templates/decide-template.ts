import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/outbox.ts';
import type { InboundTemplateStatus } from '../providers/adapter.ts';
import { publishStatusChange, TEMPLATE_COLUMNS, type TemplateRow } from './template.ts';

/** By the vendor's id; before that is known, by name and language. */
const lockDecided = statement<
  [tenantId: string, channelId: string, vendorId: string, name: string, language: string],
  TemplateRow & { is_outdated: boolean }
>(
  'templates.lock_decided',
  `select ${TEMPLATE_COLUMNS}, coalesce(t.submitted < t.revision, false) as is_outdated from message_templates t
    where t.tenant_id = $1 and t.channel_id = $2
      and (t.vendor_id = $3 or t.vendor_id is null and t.name = $4 and t.language = $5)
    order by t.vendor_id nulls last limit 1 for update`,
);
const storeDecided = statement<
  [id: string, tenantId: string, vendorId: string, status: string, reason: string | null, now: Date],
  TemplateRow
>(
  'templates.store_decided',
  `update message_templates t set vendor_id = $3, submitted = coalesce(submitted, 1), status = $4, rejection_reason = $5, updated_at = $6
    where t.id = $1 and t.tenant_id = $2 returning ${TEMPLATE_COLUMNS}`,
);

/**
 * What the vendor says became of a template; told once, however often it says so. A decision on what has been changed
 * since counts no more, and one on a template that is not here is left to the next sync.
 */
export async function decideTemplate(
  tx: Tx,
  tenantId: string,
  channelId: string,
  told: InboundTemplateStatus,
  now: Date,
  publisher: Publisher,
): Promise<void> {
  const { vendorId, name, language, status, reason } = told;
  const row = await tx.find(lockDecided, [tenantId, channelId, vendorId, name, language]);
  if (!row || row.is_outdated) return;
  const isKnown = row.status === status && row.rejection_reason === reason && row.vendor_id === vendorId;
  if (isKnown) return;
  const stored = await tx.find(storeDecided, [row.id, tenantId, vendorId, status, reason, now]);
  if (row.status !== status) await publishStatusChange(tx, tenantId, [stored as TemplateRow], publisher);
}
