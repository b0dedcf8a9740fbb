import { type Contact, getContact } from '@parley/sdk';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { client, useRead } from './api.ts';
import { type ListData, mapPages } from './lists.ts';

export const CONTACTS_KEY = ['contacts'];
export const contactKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'one', contactId];

/** One contact, wherever it is shown. */
export const useContact = (contactId: string, enabled = true): UseQueryResult<Contact> =>
  useRead(contactKey(contactId), (signal) => getContact(client, { path: { contactId }, signal }), {
    enabled,
  });

/** Shows a contact as it is now, wherever it is shown. Where it stands in a list changes when the list is read again. */
export function storeContact(cache: QueryClient, contact: Contact): void {
  cache.setQueryData(contactKey(contact.id), contact);
  cache.setQueriesData<ListData<Contact>>(
    { queryKey: [...CONTACTS_KEY, 'list'] },
    (data) => data && mapPages(data, (rows) => rows.map((row) => (row.id === contact.id ? contact : row))),
  );
}
