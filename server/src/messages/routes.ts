import { Type } from 'typebox';
import { requireChat } from '../chats/chat.ts';
import { exampleChat } from '../chats/example.ts';
import type { Database } from '../db/database.ts';
import { data, type Route, read } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { presentMessage, requireMessage } from './message.ts';
import { Message } from './schema.ts';
import { messageFields, messageSource } from './search.ts';

const example = exampleChat.latestMessage as Message;

/** What both searches have in common. */
const search = {
  tag: 'Messages',
  access: 'messages:read',
  searchable: messageFields,
  schema: Message,
  present: presentMessage,
} as const;

export function messageRoutes({ db }: { db: Database }): Route[] {
  return [
    read(
      {
        method: 'GET',
        path: '/v3/messages/:messageId',
        operationId: 'getMessage',
        tag: 'Messages',
        summary: 'Read a message',
        description: 'What was written, by whom, and how far it has come.',
        access: 'messages:read',
        params: Type.Object({ messageId: Type.String() }),
        answer: data(Message),
        failures: ['message_not_found'],
        example: { params: { messageId: example.id }, answer: example },
      },
      ({ principal, params }) => requireMessage(db.byKey, principal.tenantId, params.messageId),
    ),
    searchRoute(db, {
      ...search,
      path: '/v3/messages/search',
      operationId: 'searchMessages',
      noun: 'messages',
      source: messageSource(),
      example: { query: 'eq(sender,"inbound")', item: example },
    }),
    searchRoute(db, {
      ...search,
      path: '/v3/chats/:chatId/messages/search',
      operationId: 'searchChatMessages',
      noun: "a chat's messages",
      params: Type.Object({ chatId: Type.String() }),
      source: async ({ tenantId }, params) => {
        const chat = await requireChat(db.byKey, tenantId, params.chatId as string);
        return messageSource(chat.id);
      },
      failures: ['chat_not_found'],
      example: { params: { chatId: exampleChat.id }, query: 'eq(type,"text")', item: example },
    }),
  ];
}
