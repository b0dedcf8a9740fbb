import { Type } from 'typebox';
import { data } from '../../http/answer.ts';
import { type Route, routeFamily } from '../../http/route.ts';
import { searchRoute } from '../../http/search-route.ts';
import { requireContact } from '../contact.ts';
import { exampleContact } from '../example.ts';
import { Contact } from '../schema.ts';
import { addConsent, consentFields, consentSource, presentConsent } from './history.ts';
import { Consent, NewConsent } from './schema.ts';

const contacts = routeFamily({
  tag: 'Contacts',
  params: Type.Object({ contactId: Type.String() }),
  exampleParams: { contactId: exampleContact.id },
});

const exampleConsent: Consent = {
  id: '019a82a0-0000-7000-8000-000000000065',
  contactId: exampleContact.id,
  channelKind: 'email',
  status: 'subscribed',
  source: 'api',
  at: '2026-11-15T01:02:03.456Z',
  proof: { form: 'newsletter', ip: '203.0.113.7' },
  createdAt: '2026-11-15T01:02:03.456Z',
};

export function consentRoutes(): Route[] {
  return [
    contacts.write(
      {
        method: 'POST',
        path: '/v3/contacts/:contactId/consents',
        operationId: 'recordConsent',
        summary: 'Record what a contact has decided',
        description:
          'Subscribes the contact to kinds of channels, or unsubscribes it, with a proof that is kept. Whether marketing may be sent over a kind of channel is decided by its newest entry alone.',
        access: 'contacts:write',
        body: NewConsent,
        answer: data(Contact),
        failures: [],
        example: {
          body: { channelKinds: ['email'], status: 'subscribed', proof: exampleConsent.proof },
          answer: exampleContact,
        },
      },
      ({ params, body }, tx) => addConsent(tx, params.contactId, body),
    ),
    searchRoute({
      path: '/v3/contacts/:contactId/consents/search',
      operationId: 'searchConsents',
      tag: 'Contacts',
      noun: "a contact's decisions",
      access: 'contacts:read',
      params: Type.Object({ contactId: Type.String() }),
      searchable: consentFields,
      source: async (db, params) => {
        const contact = await requireContact(db, params.contactId as string);
        return consentSource(contact.id);
      },
      schema: Consent,
      present: presentConsent,
      example: {
        params: { contactId: exampleContact.id },
        query: 'eq(channelKind,"email")',
        item: exampleConsent,
      },
    }),
  ];
}
