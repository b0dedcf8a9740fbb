import { type Static, Type } from 'typebox';
import { Uuid } from '../../http/schema.ts';
import { exampleContact } from '../example.ts';
import { Contact } from '../schema.ts';

export const ContactMerge = Type.Object({
  fromContactId: Uuid('The contact that disappears'),
  dryRun: Type.Optional(
    Type.Boolean({ description: 'True changes nothing, and answers what would be; false by default' }),
  ),
});
export type ContactMerge = Static<typeof ContactMerge>;

const mergedChats = Type.Array(
  Type.Object({
    chatId: Uuid('The chat that exists no more'),
    intoChatId: Uuid('The chat that has its messages now'),
  }),
  { description: 'Chats of both contacts that became one' },
);

/** What the event says. */
export const MergedContacts = Type.Object(
  {
    contact: Contact,
    mergedContactId: Uuid('The contact that exists no more; what it had belongs to `contact`'),
    mergedChats,
  },
  { title: 'MergedContacts' },
);
export type MergedContacts = Static<typeof MergedContacts>;

export const MergedContact = Type.Object({ ...Contact.properties, mergedChats }, { title: 'MergedContact' });
export type MergedContact = Static<typeof MergedContact>;

export const exampleMergedContacts: MergedContacts = {
  contact: exampleContact,
  mergedContactId: '019a82a0-0000-7000-8000-0000000000f1',
  mergedChats: [],
};
