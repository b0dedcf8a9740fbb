import { holdReferences } from '../automations/definition/references.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const holdAutomation = statement<[id: string]>(
  'campaigns.hold_automation',
  'select id from automations where id = $1 and tenant_id = $tenant for key share',
);
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

interface Used {
  automationId?: string | null | undefined;
  messageTemplateId?: string | null | undefined;
  templateHeader?: { fileId?: string } | null | undefined;
  audience?: string | null | undefined;
}

/**
 * Locks what a campaign uses, so that nothing of it is deleted or stopped before the campaign is stored: a deletion at this moment
 * waits, and sees the campaign. What its message uses is held when that is published, and a channel when the campaign refers to it.
 */
export async function holdUsed(tx: TenantTx, used: Used): Promise<void> {
  const { automationId, messageTemplateId, templateHeader, audience } = used;
  if (automationId && isUuid(automationId)) await tx.run(holdAutomation, [automationId]);
  const references = [
    { kind: 'file' as const, value: templateHeader?.fileId ?? '' },
    { kind: 'template' as const, value: messageTemplateId ?? '' },
    ...(audience?.match(IDS) ?? []).map((value) => ({ kind: 'label' as const, value })),
  ].filter(({ value }) => isUuid(value));
  if (references.length > 0) await holdReferences(tx, references);
}
