import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/publish.ts';
import type { InboundTemplateStatus } from '../providers/adapter.ts';
import { presentTemplate, TEMPLATE_COLUMNS, type TemplateRow } from './template.ts';

const setStatus = statement<
  [
    channelId: string,
    tenantId: string,
    vendorId: string,
    name: string,
    language: string,
    status: string,
    reason: string | null,
    now: Date,
  ],
  TemplateRow
>(
  'templates.set_status',
  // A template that was made anew under the same name has another id at the vendor: the old one's fate is not its.
  `update message_templates t set status = $6, rejection_reason = $7, vendor_id = $3, updated_at = $8
    where t.tenant_id = $2 and t.channel_id = $1
      and (t.vendor_id = $3 or (t.vendor_id is null and t.name = $4 and t.language = $5))
      and (t.status, t.rejection_reason) is distinct from ($6, $7)
   returning ${TEMPLATE_COLUMNS}`,
);

/** Takes in what a vendor decided on a template, and tells of it. What is known already is not told again. */
export async function receiveTemplateStatus(
  tx: Tx,
  { id: channelId, tenantId }: { id: string; tenantId: string },
  { vendorId, name, language, status, reason }: InboundTemplateStatus,
  now: Date,
  { publish }: Publisher,
): Promise<void> {
  const rows = await tx.all(setStatus, [channelId, tenantId, vendorId, name, language, status, reason, now]);
  await publish(
    tx,
    tenantId,
    rows.map((row) => ({
      type: 'template.status_changed',
      channelId,
      contactId: null,
      chatId: null,
      data: presentTemplate(row),
    })),
  );
}
