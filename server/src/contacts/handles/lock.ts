import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

const lockShared = statement<[name: string]>(
  'handles.lock_shared',
  'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
);
const lockExclusive = statement<[name: string]>(
  'handles.lock_exclusive',
  'select pg_advisory_xact_lock(hashtextextended($1, 0))',
);

/**
 * Whoever writes handles of two types writes phone numbers before email addresses, each in order, so that no two wait
 * for each other. A list matched by email address must go the other way: it alone asks for all of the tenant's handles.
 */
export async function lockHandles(tx: Tx, tenantId: string, mode: 'shared' | 'exclusive'): Promise<void> {
  await tx.run(mode === 'shared' ? lockShared : lockExclusive, [`handles:${tenantId}`]);
}
