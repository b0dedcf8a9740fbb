import { Type } from 'typebox';
import { csv, data, fields, RemovalResult, removed } from '../http/answer.ts';
import { ExportQuery } from '../http/export.ts';
import { type Route, read, routeFamily } from '../http/route.ts';
import { Uuid } from '../http/schema.ts';
import { searchRoute } from '../http/search-route.ts';
import { changeContact } from './change-contact.ts';
import { consentRoutes } from './consent/routes.ts';
import { requireContact } from './contact.ts';
import { addContactLabels, removeContactLabel } from './contact-labels.ts';
import { createContact } from './create-contact.ts';
import { eraseContact } from './erase-contact.ts';
import { exampleContact } from './example.ts';
import { exportContacts } from './export.ts';
import { reachHandleAgain } from './handles/reach-again.ts';
import { mergeOnRequest } from './merge/merge-on-request.ts';
import { ContactMerge, MergedContact } from './merge/schema.ts';
import { readContactPage } from './page.ts';
import { Contact, ContactFields } from './schema.ts';
import {
  commonContactFields,
  contactSearchable,
  contactSource,
  presentFound,
  searchableContacts,
} from './search.ts';
import { type TimelineItem, TimelinePage, TimelineQuery } from './timeline/schema.ts';
import { readTimeline } from './timeline/timeline.ts';

const LABEL_ID = '019a82a0-0000-7000-8000-000000000040';
const ATTRIBUTE_ID = '019a82a0-0000-7000-8000-000000000050';

const ContactLabels = Type.Object({
  labels: Type.Array(Type.Object({ id: Uuid() }), { maxItems: 1000, description: 'Labels to add' }),
});

const contacts = routeFamily({
  tag: 'Contacts',
  params: Type.Object({ contactId: Type.String() }),
  exampleParams: { contactId: exampleContact.id },
});
const labelsOfContact = routeFamily({
  tag: 'Contacts',
  params: Type.Object({ contactId: Type.String(), labelId: Type.String() }),
  exampleParams: { contactId: exampleContact.id, labelId: LABEL_ID },
});

const handlesOfContact = routeFamily({
  tag: 'Contacts',
  params: Type.Object({ contactId: Type.String(), handleId: Type.String() }),
  exampleParams: { contactId: exampleContact.id, handleId: exampleContact.handles[0]?.id as string },
});

const exampleTimelineItem: TimelineItem = {
  id: '019a82a0-0000-7000-8000-000000000070',
  type: 'contact.labels_added',
  createdAt: '2026-11-15T01:02:03.456Z',
  channelId: null,
  chatId: null,
  resourceId: exampleContact.id,
  author: null,
  text: null,
  automationId: null,
  changes: [{ field: 'labels', from: null, to: 'VIP' }],
};

export function contactRoutes(): Route[] {
  return [
    ...consentRoutes(),
    handlesOfContact.write(
      {
        method: 'DELETE',
        path: '/v3/contacts/:contactId/handles/:handleId/undeliverable',
        operationId: 'clearUndeliverable',
        summary: 'Send to a handle again',
        description:
          'Forgets that nothing could be delivered to the handle. Until then nothing is sent there, unless the person writes from it.',
        access: 'contacts:write',
        answer: data(Contact),
        failures: [],
        example: { answer: exampleContact },
      },
      ({ params }, tx) => reachHandleAgain(tx, params.contactId, params.handleId),
    ),
    contacts.write(
      {
        method: 'POST',
        path: '/v3/contacts',
        operationId: 'createContact',
        summary: 'Create a contact',
        description:
          'Needs at least a name or a handle. A handle belongs to one contact of the tenant: if another contact has it already, the `conflict` names that contact.',
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
      ({ body }, tx) => createContact(tx, body),
    ),
    searchRoute({
      path: '/v3/contacts/search',
      operationId: 'searchContacts',
      tag: 'Contacts',
      noun: 'contacts',
      access: 'contacts:read',
      searchable: contactSearchable('', []),
      searchableOf: (reader, _canRead, filter) => searchableContacts(reader, filter),
      commonSearchable: commonContactFields,
      ownFields: 'attributes.<externalId>',
      source: contactSource,
      readPlainPage: (db, _params, request) => readContactPage(db, request),
      schema: Contact,
      presentPage: presentFound,
      example: { query: `contains(labelIds,"${LABEL_ID}")`, item: exampleContact },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/contacts/export.csv',
        operationId: 'exportContacts',
        tag: 'Contacts',
        summary: 'Download contacts',
        description:
          'Returns a CSV file with a line for each contact that matches `query` and `search`, or for every contact, in the order of creation, with a column for each attribute. A text that a spreadsheet could read as a formula is preceded by an apostrophe.',
        access: 'contacts:read',
        query: ExportQuery,
        answer: csv,
        failures: ['search_too_slow'],
        example: { answer: 'id,firstName,lastName\r\n' },
      },
      ({ principal, query }, db) => exportContacts(db, query, principal),
    ),
    contacts.call(
      {
        method: 'POST',
        path: '/v3/contacts/:contactId/merge',
        operationId: 'mergeContacts',
        summary: 'Merge another contact into a contact',
        description:
          'Makes one contact of two that are the same person. Handles, chats, messages, notes, labels, attributes, consents and runs of `fromContactId` belong to `contactId` from then on, whose own values count where both have one. The other contact exists no more; this cannot be undone. The answer is the contact as it is then. With `dryRun` nothing is changed, and the answer is the contact as it would be. Needs access to all channels.',
        access: 'contacts:write',
        body: ContactMerge,
        answer: data(MergedContact),
        failures: ['conflict'],
        example: {
          body: { fromContactId: '019a82a0-0000-7000-8000-0000000000f1', dryRun: true },
          answer: { ...exampleContact, mergedChats: [] },
        },
      },
      ({ principal, params, body }, db) => mergeOnRequest(db, params.contactId, body, principal),
    ),
    contacts.read(
      {
        method: 'GET',
        path: '/v3/contacts/:contactId',
        operationId: 'getContact',
        summary: 'Get a contact',
        description: 'With its handles, labels, attributes and chats.',
        access: 'contacts:read',
        answer: data(Contact),
        failures: [],
        example: { answer: exampleContact },
      },
      ({ params }, tenant) => requireContact(tenant.byKey, params.contactId),
    ),
    contacts.read(
      {
        method: 'GET',
        path: '/v3/contacts/:contactId/timeline',
        operationId: 'getContactTimeline',
        summary: 'Get the timeline of a contact',
        description:
          'What happened to the contact, the newest first: messages, chats, notes, labels, attributes, subscriptions, runs of automations, merges. It is read from the stored events, so it goes back as far as they do (`PARLEY_RETENTION_DAYS`). What campaigns sent is a message whose author is the campaign. Users who are restricted to teams see what happened in their channels, and to the contact itself.',
        access: 'contacts:read',
        query: TimelineQuery,
        answer: { ...fields(TimelinePage), isList: true },
        failures: [],
        example: { answer: { data: [exampleTimelineItem], pagination: { limit: 25, nextCursor: null } } },
      },
      ({ principal, params, query }, db) => readTimeline(db, params.contactId, query, principal),
    ),
    contacts.write(
      {
        method: 'PUT',
        path: '/v3/contacts/:contactId',
        operationId: 'updateContact',
        summary: 'Update a contact',
        description:
          'Changes the given fields; null clears one, and one that is left out stays. `phoneNumber` and `email` set the primary handle of their type: the earlier one is removed, or kept as another handle if it has chats. `handles` and `labels` replace the whole list, `attributes` are merged. A handle that has chats cannot be removed, and a handle of another contact cannot be added (`conflict`).',
        access: 'contacts:write',
        body: ContactFields,
        answer: data(Contact),
        failures: ['conflict'],
        example: {
          body: {
            firstName: 'Ada',
            isSubscribed: false,
            attributes: [{ id: ATTRIBUTE_ID, value: '44' }],
          },
          answer: exampleContact,
        },
      },
      ({ params, body }, tx) => changeContact(tx, params.contactId, body),
    ),
    contacts.write(
      {
        method: 'DELETE',
        path: '/v3/contacts/:contactId',
        operationId: 'deleteContact',
        summary: 'Delete a contact',
        description:
          'Erases the contact permanently, with everything that is stored about it: handles, chats, messages, labels, values, and what events, deliveries, failed requests and stored answers contain about it. Deliveries about it that are still pending are not sent. If the person writes again, a new contact is created. A contact with thousands of messages is hidden at once and erased by a job.',
        access: 'contacts:delete',
        answer: data(RemovalResult),
        failures: [],
        example: { answer: { deletedIds: [exampleContact.id], notFoundIds: [], jobId: null } },
      },
      async ({ params }, tx) => removed(params.contactId, await eraseContact(tx, params.contactId)),
    ),
    contacts.write(
      {
        method: 'POST',
        path: '/v3/contacts/:contactId/labels',
        operationId: 'addContactLabels',
        summary: 'Add labels to a contact',
        description:
          'A label that the contact already has is not an error and publishes no event. If any of the labels does not exist, none is added.',
        access: 'contacts:write',
        body: ContactLabels,
        answer: data(Contact),
        failures: [],
        example: { body: { labels: [{ id: LABEL_ID }] }, answer: exampleContact },
      },
      ({ params, body }, tx) => addContactLabels(tx, params.contactId, body.labels),
    ),
    labelsOfContact.write(
      {
        method: 'DELETE',
        path: '/v3/contacts/:contactId/labels/:labelId',
        operationId: 'removeContactLabel',
        summary: 'Remove a label from a contact',
        description:
          'A label that the contact does not have is not an error and publishes no event. Returns the contact.',
        access: 'contacts:write',
        answer: data(Contact),
        failures: [],
        example: { answer: exampleContact },
      },
      ({ params }, tx) => removeContactLabel(tx, params.contactId, params.labelId),
    ),
  ];
}
