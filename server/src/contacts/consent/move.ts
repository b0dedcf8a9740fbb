import { removalStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { channelKinds } from '../../providers/kinds.ts';
import type { Subscriptions } from './schema.ts';

const moveToContact = removalStatement<[fromId: string, toId: string]>(
  'consents.move_to_contact',
  'update consents set contact_id = $2 where contact_id = $1 and tenant_id = $tenant',
);

/** Moves the history of a contact's decisions to another contact. */
export async function moveConsents(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToContact, [fromId, toId]);
}

/** What one person has decided as two contacts: for each kind of channel the latest decision, and an opt-out of the same time. */
export function combineSubscriptions(a: Subscriptions, b: Subscriptions): Subscriptions {
  return Object.fromEntries(
    channelKinds.flatMap((kind) => {
      const [one, other] = [a[kind], b[kind]];
      if (!one || !other) return one || other ? [[kind, one ?? other]] : [];
      const isSame = one.at === other.at;
      const counts = isSame ? other.status === 'unsubscribed' : other.at > one.at;
      return [[kind, counts ? other : one]];
    }),
  );
}
