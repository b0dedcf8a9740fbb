import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const remove = statement<[tenantId: string, recipients: string[]]>(
  'sandbox.erase',
  `delete from sandbox_outbox o using channels c
    where c.tenant_id = $1 and o.channel_id = c.id and o.tenant_id = c.tenant_id and o.recipient = any ($2::text[])`,
);

/** Deletes what the sandbox has accepted for these people. A real vendor has to be asked for that by whoever has the account. */
export async function eraseOutboxOf(tx: Tx, tenantId: string, handles: string[]): Promise<void> {
  if (handles.length > 0) await tx.run(remove, [tenantId, handles]);
}
