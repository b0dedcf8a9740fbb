import { Type } from 'typebox';
import { jsonFile } from '../../http/answer.ts';
import { type Route, read } from '../../http/route.ts';
import { exampleContact } from '../example.ts';
import { exportContactData } from './contact-data.ts';
import { ContactData } from './schema.ts';

export function contactDataRoutes(): Route[] {
  return [
    read(
      {
        method: 'GET',
        path: '/v3/contacts/:contactId/export',
        operationId: 'exportContactData',
        tag: 'Contacts',
        summary: 'Download everything about a contact',
        description:
          'One JSON file with all that is stored about a person, for a request for access (GDPR, Article 15): the contact, consents, chats, messages, notes, runs, campaigns and events. Also needs `chats:read`, `messages:read`, `automations:read` and `campaigns:read`, and access to all channels. It is recorded in the audit log.',
        access: 'contacts:read',
        params: Type.Object({ contactId: Type.String() }),
        answer: jsonFile(ContactData),
        failures: [],
        example: {
          params: { contactId: exampleContact.id },
          answer: {
            exportedAt: '2026-11-15T01:02:03.456Z',
            contact: exampleContact,
            mergedContactIds: [],
            consents: [],
            chats: [],
            messages: [],
            notes: [],
            automationRuns: [],
            campaigns: [],
            events: [],
          },
        },
      },
      ({ principal, params }, db) => exportContactData(db, params.contactId, principal),
    ),
  ];
}
