import type { NewEvent } from '../../base/events.ts';
import { contactEvents } from '../../contacts/contact.ts';
import { createContacts } from '../../contacts/create-contacts.ts';
import { fillNames } from '../../contacts/fill-names.ts';
import { addHandles } from '../../contacts/handles/add.ts';
import { findOwners, keyOf } from '../../contacts/handles/owners.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { InboundContact } from '../../providers/inbound-event.ts';
import { handlesOf } from './resolve-chats.ts';

/** Nothing reacts to contacts that are imported. */
export const asImported = (event: NewEvent): NewEvent => ({
  ...event,
  facts: { triggerAutomations: false, isImported: true },
});

/** Stores the contacts of the business's address book. One that exists keeps its name, unless it has none. */
export async function importContacts(tx: TenantTx, imported: readonly InboundContact[]): Promise<void> {
  if (imported.length === 0) return;
  const unique = new Map(imported.map(({ contact }) => [keyOf(contact), contact]));
  const contacts = [...unique.values()];
  const before = await findOwners(tx, contacts.flatMap(handlesOf));
  const isKnown = (contact: (typeof contacts)[number]) =>
    handlesOf(contact).some((handle) => before.has(keyOf(handle)));
  const created = await createContacts(
    tx,
    contacts.filter((contact) => !isKnown(contact)),
  );
  const owners = await findOwners(tx, contacts.flatMap(handlesOf));
  const ownerOf = (contact: (typeof contacts)[number]) =>
    handlesOf(contact).flatMap((handle) => owners.get(keyOf(handle)) ?? [])[0];
  const missing = contacts.flatMap((contact) => {
    const contactId = ownerOf(contact);
    return contactId === undefined
      ? []
      : handlesOf(contact)
          .filter((handle) => !owners.has(keyOf(handle)))
          .map((handle) => ({ type: handle.type, value: handle.value, contactId }));
  });
  const extended = await addHandles(tx, missing);
  const names = new Map(
    contacts.flatMap((contact) => {
      const id = ownerOf(contact);
      return id !== undefined && contact.name !== null ? [[id, contact.name] as const] : [];
    }),
  );
  const filled = (await fillNames(tx, names)).map(({ id }) => id);
  const changed = [...new Set([...extended, ...filled])].filter((id) => !created.includes(id));
  tx.publish(
    ...(await contactEvents(tx, created, ['contact.created'])).map(asImported),
    ...(await contactEvents(tx, changed, ['contact.updated'])),
  );
}
