import { type Contact, getContact } from '@parley/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { client, useRead } from './api.ts';

export const CONTACTS_KEY = ['contacts'];
export const contactKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'one', contactId];

/** One contact, wherever it is shown. */
export const useContact = (contactId: string, enabled = true): UseQueryResult<Contact> =>
  useRead(contactKey(contactId), (signal) => getContact(client, { path: { contactId }, signal }), {
    enabled,
  });
