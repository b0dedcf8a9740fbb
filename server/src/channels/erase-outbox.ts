import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const remove = statement<[recipients: string[]]>(
  'sandbox.erase',
  `delete from sandbox_outbox o using visible_channels c
    where c.tenant_id = $tenant and o.channel_id = c.id and o.tenant_id = c.tenant_id and o.recipient = any ($1::text[])`,
);

/** Deletes what the sandbox has accepted for these recipients. The owner of an account must ask a real vendor for that. */
export async function eraseOutboxOf(tx: TenantTx, handles: string[]): Promise<void> {
  if (handles.length > 0) await tx.run(remove, [handles]);
}
