import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { InboundTemplateChange, InboundTemplateStatus } from '../providers/inbound-event.ts';
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
  [id: string, vendorId: string, status: string, reason: string | null, now: Date, category: string | null],
  TemplateRow
>(
  'templates.store_decided',
  `update message_templates t set vendor_id = $2, submitted = coalesce(submitted, 1), status = $3, rejection_reason = $4, updated_at = $5,
          category = coalesce($6, category)
    where t.id = $1 and t.tenant_id = $tenant returning ${TEMPLATE_COLUMNS}`,
);

const storeChange = statement<
  [id: string, category: string | null, hasQuality: boolean, quality: string | null, now: Date]
>(
  'templates.store_change',
  `update message_templates t set category = coalesce($2, category), quality = case when $3 then $4 else quality end, updated_at = $5
    where t.id = $1 and t.tenant_id = $tenant`,
);

/**
 * Stores the vendor's decision on a template; a repeated one changes nothing. A decision on a template that was changed
 * since is ignored, and one on an unknown template is left to the next sync.
 */
export async function decideTemplate(
  tx: TenantTx,
  channelId: string,
  { vendorId, name, language, status, reason, category }: InboundTemplateStatus,
): Promise<void> {
  const row = await tx.find(lockDecided, [channelId, vendorId, name, language]);
  if (!row || row.is_outdated) return;
  const isKnown = row.status === status && row.rejection_reason === reason && row.vendor_id === vendorId;
  if (isKnown && (category ?? row.category) === row.category) return;
  const stored = await tx.find(storeDecided, [row.id, vendorId, status, reason, tx.now, category ?? null]);
  if (row.status !== status) publishStatusChange(tx, [stored as TemplateRow]);
}

/** Stores the category and the quality that the vendor gives a template. An unknown template is left to the next sync. */
export async function storeTemplateChange(
  tx: TenantTx,
  channelId: string,
  { vendorId, name, language, category, quality }: InboundTemplateChange,
): Promise<void> {
  const row = await tx.find(lockDecided, [channelId, vendorId, name, language]);
  const isKnown =
    (category ?? row?.category) === row?.category && (quality === undefined || quality === row?.quality);
  if (!row || isKnown) return;
  await tx.run(storeChange, [row.id, category ?? null, quality !== undefined, quality ?? null, tx.now]);
}
