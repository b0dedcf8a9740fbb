import type { Contact } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { CONTACTS_KEY, contactKey, storeContact } from '../../api/contacts.ts';
import type { ListData } from '../../api/lists.ts';
import { changeLists } from '../../api/read-afterwards.ts';
import { contactIdOf } from '../../explain/event-about.ts';
import { addPatch } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';

/** Asked for again when an event is about the contact. */
export const timelineKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'timeline', contactId];
export const runsKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'runs', contactId];

function forgetContact(cache: QueryClient, contactId: string): void {
  void cache.invalidateQueries({ queryKey: contactKey(contactId) });
  changeLists<Contact>(cache, [...CONTACTS_KEY, 'list'], (rows) => rows.filter(({ id }) => id !== contactId));
}

const LISTS_MS = 2_000;

/** New contacts may come by the thousand. Lists that somebody has scrolled through stay as they are. */
const readListsSoon = runSoon(LISTS_MS, (_, cache: QueryClient) => {
  void cache.invalidateQueries({
    queryKey: [...CONTACTS_KEY, 'list'],
    predicate: ({ state }) => (state.data as ListData<Contact> | undefined)?.pages.length === 1,
  });
});

addPatch(['contact.*'], (event, cache) => {
  switch (event.type) {
    case 'contact.created':
      return readListsSoon('', cache);
    case 'contact.deleted':
      return forgetContact(cache, event.data.id);
    case 'contact.merged':
      forgetContact(cache, event.data.mergedContactId);
      return storeContact(cache, event.data.contact);
    case 'contact.updated':
    case 'contact.labels_added':
    case 'contact.labels_removed':
    case 'contact.subscribed':
    case 'contact.unsubscribed':
      return storeContact(cache, event.data);
  }
});

const TIMELINE_MS = 500;

const readTimelineSoon = runSoon(TIMELINE_MS, (contactId, cache: QueryClient) => {
  for (const queryKey of [timelineKey(contactId), runsKey(contactId)])
    void cache.invalidateQueries({ queryKey });
});

addPatch(['message.*', 'chat.*', 'note.*', 'contact.*', 'automation.*'], (event, cache) => {
  const contactId = contactIdOf(event);
  if (contactId !== undefined) readTimelineSoon(contactId, cache);
});
