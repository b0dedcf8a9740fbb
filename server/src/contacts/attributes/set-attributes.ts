import { collectIssues } from '../../base/issues.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { contactEvents, lockContacts } from '../contact.ts';
import { touchContacts } from '../search-text.ts';
import { type GivenAttribute, validateAttributes } from '../validate-contact.ts';
import { removeValues, storeValues } from './store.ts';

/**
 * Sets values of attributes of several contacts, or removes them if they are null. Returns the ids of the contacts that exist.
 * A contact of which nothing changes has no event.
 */
export async function setContactAttributes(
  tx: TenantTx,
  contactIds: readonly string[],
  attributes: readonly GivenAttribute[],
): Promise<string[]> {
  const issues = collectIssues();
  const found = [...(await lockContacts(tx, contactIds))];
  const { stored, removed } = await validateAttributes(tx, attributes, issues);
  issues.throwIfAny();
  const values = found.flatMap((contactId) =>
    [...stored].map(([attributeId, value]) => ({ contactId, attributeId, ...value })),
  );
  const changed = new Set([
    ...(await storeValues(tx, values)),
    ...(await removeValues(tx, found, [...removed])),
  ]);
  await touchContacts(tx, changed);
  tx.publish(...(await contactEvents(tx, [...changed], ['contact.updated'])));
  return found;
}
