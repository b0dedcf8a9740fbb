import { holdReferences } from '../automations/definition/references.ts';
import { isUuid } from '../base/ids.ts';
import { holdAudience } from '../contacts/hold-audience.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const holdAutomation = statement<[id: string]>(
  'campaigns.hold_automation',
  'select id from automations where id = $1 and tenant_id = $tenant for key share',
);

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
  if (audience) await holdAudience(tx, audience);
  const references = [
    { kind: 'file' as const, value: templateHeader?.fileId ?? '' },
    { kind: 'template' as const, value: messageTemplateId ?? '' },
  ].filter(({ value }) => isUuid(value));
  if (references.length > 0) await holdReferences(tx, references);
}
