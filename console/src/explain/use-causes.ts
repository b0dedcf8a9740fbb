import { searchEvents, searchMessages } from '@parley/sdk';
import { client, useRead } from '../api/api.ts';
import { useScope } from '../api/session.tsx';
import { LATEST, listCauses, STARTING } from './causes.ts';

/** Whose causes: those of a contact, or of one of its chats. */
export interface CausesOf {
  contactId: string;
  chatId?: string;
}

/** The latest messages of a contact, and the latest events for those who may read them. */
export function useCauses({ contactId, chatId }: CausesOf) {
  const canReadEvents = useScope('events:read');
  const ofContact = `eq(contactId,"${contactId}")`;
  const ofMessages = chatId === undefined ? ofContact : `eq(chatId,"${chatId}")`;
  const types = `in(type,${STARTING.map((type) => `"${type}"`).join()})`;
  const inChat = chatId === undefined ? '' : `,or(isNull(chatId),eq(chatId,"${chatId}"))`;
  const pagination = { limit: LATEST };
  return useRead(
    ['messages', 'why', contactId, chatId ?? '', canReadEvents],
    async (signal) => {
      const [messages, events] = await Promise.all([
        searchMessages(client, {
          body: { query: `and(${ofMessages},eq(sender,"inbound"))`, pagination },
          signal,
        }),
        canReadEvents
          ? searchEvents(client, {
              body: { query: `and(${ofContact},${types}${inChat})`, pagination },
              signal,
            })
          : { items: [] },
      ]);
      return listCauses(messages.items, events.items);
    },
    // Something may have happened since it was open.
    { freshMs: 0 },
  );
}
