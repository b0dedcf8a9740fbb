import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { type ContactFacts, presentContact } from '../contact.ts';
import type { InsertedHandle } from '../handles/insert-new.ts';
import type { Contact } from '../schema.ts';
import type { ResolvedContact } from './resolve-rows.ts';

type Label = Contact['labels'][number];
type Attribute = Omit<Contact['attributes'][number], 'value'>;

const labelsByIds = statement<[ids: string[]], Label>(
  'labels.shown_by_ids',
  'select id, name, color from labels where id = any ($1::uuid[]) and tenant_id = $tenant order by id',
);
const attributesByIds = statement<[ids: string[]], Attribute>(
  'attributes.shown_by_ids',
  `select id, external_id as "externalId", name, type from attributes where id = any ($1::uuid[]) and tenant_id = $tenant
    order by created_at, id`,
);

/** A contact that this transaction has created, with everything that rows say about it. */
export interface CreatedContact extends Omit<ResolvedContact, 'handles'> {
  contactId: string;
  handles: readonly InsertedHandle[];
}

/** Of all contacts together, by id and in the order in which contacts show them. */
async function readUsed(tx: TenantTx, contacts: readonly CreatedContact[]) {
  const labelIds = [...new Set(contacts.flatMap((contact) => contact.labelIds))];
  const attributeIds = [...new Set(contacts.flatMap(({ attributes }) => [...attributes.keys()]))];
  const [labels, attributes] = await Promise.all([
    labelIds.length === 0 ? [] : tx.all(labelsByIds, [labelIds]),
    attributeIds.length === 0 ? [] : tx.all(attributesByIds, [attributeIds]),
  ]);
  return { labels, attributes };
}

/**
 * Contacts that this transaction has created, as the API shows them, without reading them: reading takes 1.1 s of CPU time in
 * PostgreSQL for 20,000 contacts, a third of what importing them takes. Not for contacts with consents.
 */
export async function describeCreated(
  tx: TenantTx,
  contacts: readonly CreatedContact[],
): Promise<Iterable<Contact>> {
  const { labels, attributes } = await readUsed(tx, contacts);
  // As PostgreSQL writes it: formatting four times of each contact would take a seventh of the time of this function.
  const time = tx.now.toISOString().replace('Z', '+00:00');
  const handleFacts = ({ id, type, value, isPrimary }: InsertedHandle): ContactFacts['handles'][number] => ({
    id,
    created_at: time,
    updated_at: time,
    type,
    is_primary: isPrimary,
    value,
    extra: {},
    undeliverable: null,
  });
  const describe = (contact: CreatedContact): Contact =>
    presentContact({
      id: contact.contactId,
      created_at: time,
      updated_at: time,
      first_name: contact.firstName,
      last_name: contact.lastName,
      language: contact.language,
      timezone: contact.timezone,
      is_subscribed: true,
      subscriptions: {},
      metadata: contact.metadata ?? {},
      handles: contact.handles.map(handleFacts),
      labels: labels.filter(({ id }) => contact.labelIds.includes(id)),
      attributes: attributes.flatMap((attribute) => {
        const stored = contact.attributes.get(attribute.id);
        return stored ? [{ ...attribute, value: stored.value }] : [];
      }),
      chats: [],
    });
  return (function* () {
    for (const contact of contacts) yield describe(contact);
  })();
}
