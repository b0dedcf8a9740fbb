import { systemStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const lockShared = systemStatement<[name: string]>(
  'handles.lock_shared',
  'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
);
const lockExclusive = systemStatement<[name: string]>(
  'handles.lock_exclusive',
  'select pg_advisory_xact_lock(hashtextextended($1, 0))',
);

/**
 * A transaction that writes handles of two types writes phone numbers before email addresses, each in order, so that no
 * two wait for each other. An import that matches contacts by email address must write in the other order: it locks all
 * handles of the tenant exclusively.
 */
export async function lockHandles(tx: TenantTx, mode: 'shared' | 'exclusive'): Promise<void> {
  await tx.run(mode === 'shared' ? lockShared : lockExclusive, [`handles:${tx.tenantId}`]);
}
