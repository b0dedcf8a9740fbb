import { type Contact, getContact } from '@parley/sdk';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { client, useRead } from './api.ts';
import { changeLists } from './read-afterwards.ts';

export const CONTACTS_KEY = ['contacts'];
export const contactKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'one', contactId];

/** One contact, wherever it is shown. */
export const useContact = (contactId: string, enabled = true): UseQueryResult<Contact> =>
  useRead(contactKey(contactId), (signal) => getContact(client, { path: { contactId }, signal }), {
    enabled,
  });

/** Shows a contact as it is now, wherever it is shown. Where it stands in a list changes when the list is read again. */
export function storeContact(cache: QueryClient, contact: Contact): void {
  const known = cache.getQueryData<Contact>(contactKey(contact.id));
  if (known && contact.updatedAt < known.updatedAt) return;
  // What is being read may be from before.
  void cache.cancelQueries({ queryKey: contactKey(contact.id), exact: true });
  cache.setQueryData(contactKey(contact.id), contact);
  changeLists<Contact>(cache, [...CONTACTS_KEY, 'list'], (rows) =>
    rows.map((row) => (row.id === contact.id ? contact : row)),
  );
}
