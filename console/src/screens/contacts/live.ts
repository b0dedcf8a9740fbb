import type { Contact, StreamEvent } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import type { ListData } from '../../api/lists.ts';
import { addPatch } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';

export const CONTACTS_KEY = ['contacts'];
/** Asked for again when an event is about the contact. */
export const timelineKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'timeline', contactId];
export const runsKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'runs', contactId];
export const contactKey = (contactId: string): readonly string[] => [...CONTACTS_KEY, 'one', contactId];

/** Shows a contact as it is now, wherever it is shown. Where it stands in a list changes when the list is read again. */
export function storeContact(cache: QueryClient, contact: Contact): void {
  cache.setQueryData(contactKey(contact.id), contact);
  cache.setQueriesData<ListData<Contact>>({ queryKey: [...CONTACTS_KEY, 'list'] }, (data) =>
    mapRows(data, (rows) => rows.map((row) => (row.id === contact.id ? contact : row))),
  );
}

function forgetContact(cache: QueryClient, contactId: string): void {
  void cache.invalidateQueries({ queryKey: contactKey(contactId) });
  cache.setQueriesData<ListData<Contact>>({ queryKey: [...CONTACTS_KEY, 'list'] }, (data) =>
    mapRows(data, (rows) => rows.filter(({ id }) => id !== contactId)),
  );
}

const mapRows = (
  data: ListData<Contact> | undefined,
  change: (rows: Contact[]) => Contact[],
): ListData<Contact> | undefined =>
  data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) };

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

/** The contact that an event is about. */
function contactIdOf(event: StreamEvent): string | undefined {
  if (event.type === 'contact.merged') return event.data.contact.id;
  const { id, contactId } = event.data as { id?: string; contactId?: string };
  return event.type.startsWith('contact.') ? id : contactId;
}

const TIMELINE_MS = 500;

const readTimelineSoon = runSoon(TIMELINE_MS, (contactId, cache: QueryClient) => {
  for (const queryKey of [timelineKey(contactId), runsKey(contactId)])
    void cache.invalidateQueries({ queryKey });
});

addPatch(['message.*', 'chat.*', 'note.*', 'contact.*', 'automation.*'], (event, cache) => {
  const contactId = contactIdOf(event);
  if (contactId !== undefined) readTimelineSoon(contactId, cache);
});
