import { Type } from 'typebox';
import { AutomationRun } from '../../automations/schema.ts';
import { Chat } from '../../chats/schema.ts';
import { FreeObject, Timestamp, Uuid } from '../../http/schema.ts';
import { Message } from '../../messages/schema.ts';
import { Note } from '../../notes/schema.ts';
import { Consent } from '../consent/schema.ts';
import { Contact } from '../schema.ts';

/** Everything that is stored about a contact. */
export const ContactData = Type.Object(
  {
    exportedAt: Timestamp(),
    contact: Contact,
    mergedContactIds: Type.Array(Uuid(), { description: 'Contacts that were merged into this one' }),
    consents: Type.Array(Consent),
    chats: Type.Array(Chat),
    messages: Type.Array(Message, { description: 'In the order of creation; files are at their `url`' }),
    notes: Type.Array(Note),
    automationRuns: Type.Array(AutomationRun),
    campaigns: Type.Array(Type.Object({ id: Uuid(), name: Type.String(), createdAt: Timestamp() }), {
      description: 'Of which the contact was a recipient',
    }),
    events: Type.Array(
      Type.Object({
        id: Uuid(),
        type: Type.String(),
        createdAt: Timestamp(),
        data: FreeObject('The resource as it was then'),
      }),
    ),
  },
  { title: 'ContactData' },
);
