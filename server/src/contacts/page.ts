import { plainPageReader } from '../http/plain-page.ts';
import { type ContactFacts, contactFacts, presentContact } from './contact.ts';
import { COUNT_CAP } from './search.ts';

/** A page of contacts, which takes seven statements as a search. */
export const readContactPage = plainPageReader({
  name: 'contacts.page',
  rowAsJson: contactFacts('r'),
  // The table and not the view, so that contacts are counted in the index alone.
  table: 'contacts',
  isReadable: 'not exists (select 1 from removals where tenant_id = $tenant)',
  countCap: COUNT_CAP,
  present: (row: ContactFacts & { created_at: string }) => presentContact(row),
});
