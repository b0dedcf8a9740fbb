import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { InboundTemplateStatus } from '../providers/adapter.ts';
import { publishStatusChange, TEMPLATE_COLUMNS, type TemplateRow } from './template.ts';

/** By the vendor's id, or by name and language while that is unknown. */
const lockDecided = statement<
  [channelId: string, vendorId: string, name: string, language: string],
  TemplateRow & { is_outdated: boolean }
>(
  'templates.lock_decided',
  `select ${TEMPLATE_COLUMNS}, coalesce(t.submitted < t.revision, false) as is_outdated from message_templates t
    where t.tenant_id = $tenant and t.channel_id = $1
      and (t.vendor_id = $2 or t.vendor_id is null and t.name = $3 and t.language = $4)
    order by t.vendor_id nulls last limit 1 for no key update`,
);
const storeDecided = statement<
  [id: string, vendorId: string, status: string, reason: string | null, now: Date],
  TemplateRow
>(
  'templates.store_decided',
  `update message_templates t set vendor_id = $2, submitted = coalesce(submitted, 1), status = $3, rejection_reason = $4, updated_at = $5
    where t.id = $1 and t.tenant_id = $tenant returning ${TEMPLATE_COLUMNS}`,
);

/**
 * Stores the vendor's decision on a template; a repeated one changes nothing. A decision on a template that was changed
 * since is ignored, and one on an unknown template is left to the next sync.
 */
export async function decideTemplate(
  tx: TenantTx,
  channelId: string,
  { vendorId, name, language, status, reason }: InboundTemplateStatus,
): Promise<void> {
  const row = await tx.find(lockDecided, [channelId, vendorId, name, language]);
  if (!row || row.is_outdated) return;
  const isKnown = row.status === status && row.rejection_reason === reason && row.vendor_id === vendorId;
  if (isKnown) return;
  const stored = await tx.find(storeDecided, [row.id, vendorId, status, reason, tx.now]);
  if (row.status !== status) publishStatusChange(tx, [stored as TemplateRow]);
}
