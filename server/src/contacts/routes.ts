import { Type } from 'typebox';
import type { Database } from '../db/database.ts';
import { data, type Route, read, write } from '../http/route.ts';
import { Uuid } from '../http/schema.ts';
import { requireContact } from './contact.ts';
import { addContactLabels, type LabelNeeds, removeContactLabel } from './contact-labels.ts';
import { exampleContact } from './example.ts';
import { Contact } from './schema.ts';

const LABEL_ID = '019a82a0-0000-7000-8000-000000000040';
const ContactId = Type.Object({ contactId: Type.String() });
const at = { params: { contactId: exampleContact.id } };

const ContactLabels = Type.Object({
  labels: Type.Array(Type.Object({ id: Uuid() }), { maxItems: 1000, description: 'Labels to add' }),
});

export function contactRoutes(needs: LabelNeeds & { db: Database }): Route[] {
  return [
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
      ({ principal, params }) => requireContact(needs.db.byKey, principal.tenantId, params.contactId),
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
        addContactLabels(tx, principal.tenantId, params.contactId, body.labels, needs),
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
        removeContactLabel(tx, principal.tenantId, params.contactId, params.labelId, needs),
    ),
  ];
}
