import { Type } from 'typebox';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { Uuid } from '../http/schema.ts';
import { searchRoute } from '../http/search-route.ts';
import { changeContact } from './change-contact.ts';
import { requireContact } from './contact.ts';
import { addContactLabels, type ContactDeps, removeContactLabel } from './contact-labels.ts';
import { createContact } from './create-contact.ts';
import { eraseContact } from './erase-contact.ts';
import { exampleContact } from './example.ts';
import { Contact, ContactFields } from './schema.ts';
import { contactSearchable, contactSource, presentFound, searchableContacts } from './search.ts';

const LABEL_ID = '019a82a0-0000-7000-8000-000000000040';
const ATTRIBUTE_ID = '019a82a0-0000-7000-8000-000000000050';
const ContactId = Type.Object({ contactId: Type.String() });
const at = { params: { contactId: exampleContact.id } };

const ContactLabels = Type.Object({
  labels: Type.Array(Type.Object({ id: Uuid() }), { maxItems: 1000, description: 'Labels to add' }),
});

export function contactRoutes(deps: ContactDeps & { db: Database }): Route[] {
  return [
    write(
      {
        method: 'POST',
        path: '/v3/contacts',
        operationId: 'createContact',
        tag: 'Contacts',
        summary: 'Make a contact',
        description:
          'With a name or a handle at least. A handle belongs to one contact of the tenant: if somebody has it already, the `conflict` names them.',
        access: 'contacts:write',
        body: ContactFields,
        answer: data(Contact),
        failures: ['conflict'],
        example: {
          body: {
            firstName: 'Grace',
            lastName: 'Hopper',
            phoneNumber: '+15550002222',
            email: 'grace@example.com',
            labels: [{ id: LABEL_ID }],
            attributes: [{ id: ATTRIBUTE_ID, value: '44' }],
          },
          answer: exampleContact,
        },
      },
      ({ principal, body }, tx) => createContact(tx, principal.tenantId, body, deps),
    ),
    searchRoute(deps.db, {
      path: '/v3/contacts/search',
      operationId: 'searchContacts',
      tag: 'Contacts',
      noun: 'contacts',
      access: 'contacts:read',
      searchable: contactSearchable('', []),
      searchableOf: (tenantId) => searchableContacts(deps.db, tenantId),
      ownFields: 'attributes.<externalId>',
      source: contactSource,
      schema: Contact,
      presentPage: (rows: { id: string }[], tenantId) => presentFound(deps.db, tenantId, rows),
      example: { query: `contains(labelIds,"${LABEL_ID}")`, item: exampleContact },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/contacts/:contactId',
        operationId: 'getContact',
        tag: 'Contacts',
        summary: 'Read a contact',
        description: 'With its handles, labels, attributes and chats.',
        access: 'contacts:read',
        params: ContactId,
        answer: data(Contact),
        failures: [],
        example: { ...at, answer: exampleContact },
      },
      ({ principal, params }) => requireContact(deps.db.byKey, principal.tenantId, params.contactId),
    ),
    write(
      {
        method: 'PUT',
        path: '/v3/contacts/:contactId',
        operationId: 'updateContact',
        tag: 'Contacts',
        summary: 'Change a contact',
        description:
          'Changes what is given; null clears, what is left out stays. `phoneNumber` and `email` set the handle of their type that is shown: the one before it is removed, or kept beside it if it has chats. `handles` and `labels` replace the whole list, `attributes` are merged. A handle that has chats cannot be removed (`conflict`), nor can one be taken from another contact.',
        access: 'contacts:write',
        params: ContactId,
        body: ContactFields,
        answer: data(Contact),
        failures: ['conflict'],
        example: {
          ...at,
          body: {
            firstName: 'Ada',
            isSubscribed: false,
            attributes: [{ id: ATTRIBUTE_ID, value: '44' }],
          },
          answer: exampleContact,
        },
      },
      ({ principal, params, body }, tx) =>
        changeContact(tx, principal.tenantId, params.contactId, body, deps),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/contacts/:contactId',
        operationId: 'deleteContact',
        tag: 'Contacts',
        summary: 'Erase a contact',
        description:
          'Permanently, with everything that is held about the person: handles, chats, messages, labels, values, and what events, deliveries, failed requests and stored answers say about them. What was not yet sent about them is not sent. If the person writes again, that makes a new contact.',
        access: 'contacts:delete',
        params: ContactId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [exampleContact.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.contactId, await eraseContact(tx, principal.tenantId, params.contactId, deps)),
    ),
    write(
      {
        method: 'POST',
        path: '/v3/contacts/:contactId/labels',
        operationId: 'addContactLabels',
        tag: 'Contacts',
        summary: 'Add labels to a contact',
        description:
          'A label that is there already is no error and no event. If any of the ids is unknown, nothing is added.',
        access: 'contacts:write',
        params: ContactId,
        body: ContactLabels,
        answer: data(Contact),
        failures: [],
        example: { ...at, body: { labels: [{ id: LABEL_ID }] }, answer: exampleContact },
      },
      ({ principal, params, body }, tx) =>
        addContactLabels(tx, principal.tenantId, params.contactId, body.labels, deps),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/contacts/:contactId/labels/:labelId',
        operationId: 'removeContactLabel',
        tag: 'Contacts',
        summary: 'Take a label from a contact',
        description: 'One that is not there is no error and no event. Answers the contact.',
        access: 'contacts:write',
        params: Type.Object({ contactId: Type.String(), labelId: Type.String() }),
        answer: data(Contact),
        failures: [],
        example: { params: { ...at.params, labelId: LABEL_ID }, answer: exampleContact },
      },
      ({ principal, params }, tx) =>
        removeContactLabel(tx, principal.tenantId, params.contactId, params.labelId, deps),
    ),
  ];
}
