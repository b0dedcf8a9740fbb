import { Type } from 'typebox';
import { requireChat } from '../chats/chat.ts';
import { exampleChat } from '../chats/example.ts';
import type { Database } from '../db/database.ts';
import type { Publisher } from '../engine/outbox.ts';
import { data, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { exampleQueuedMessage } from './example.ts';
import { presentMessage, requireMessage } from './message.ts';
import { addressMessage } from './outbound/address.ts';
import { type QueueDeps, sendMessage } from './outbound/queue.ts';
import { Message, NewChatMessage, NewMessage } from './schema.ts';
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

/** What both ways of sending have in common. */
const send = {
  method: 'POST',
  tag: 'Messages',
  access: 'messages:write',
  answer: data(Message),
} as const;
const HOW =
  'Text, files, a template, buttons or a list, a reaction, a location, a mail: what the kind of the channel cannot carry is refused at once, each fault at its parameter, and so is what the state forbids, such as a free-form message past `openUntil`. Answered with the message as `queued`; it goes out a moment later, once, after those before it in the same chat, and `message.sent`, `.delivered`, `.read` or `.failed` tell how far it comes. With `scheduledAt` it waits until then, and is judged again.';

export function messageRoutes(deps: QueueDeps & { db: Database; publisher: Publisher }): Route[] {
  const { db } = deps;
  return [
    write(
      {
        ...send,
        path: '/v3/chats/:chatId/messages',
        operationId: 'sendChatMessage',
        summary: 'Write in a chat',
        description: `${HOW} A reply marks the chat as read.`,
        params: Type.Object({ chatId: Type.String() }),
        body: NewChatMessage,
        failures: ['chat_not_found', 'conflict'],
        example: {
          params: { chatId: exampleChat.id },
          body: { text: exampleQueuedMessage.text },
          answer: exampleQueuedMessage,
        },
      },
      ({ principal, params, body }, tx) =>
        sendMessage(tx, principal.tenantId, { ...body, chatId: params.chatId, author: 'api' }, deps),
    ),
    write(
      {
        ...send,
        path: '/v3/messages',
        operationId: 'sendMessage',
        summary: 'Write to somebody',
        description: `To a contact, or with \`to\` to whoever has that number, address or id; contact and chat are made where there are none. ${HOW}`,
        body: NewMessage,
        failures: ['conflict'],
        example: {
          body: {
            channelId: exampleChat.channelId,
            contactId: exampleChat.contactId,
            text: exampleQueuedMessage.text,
          },
          answer: exampleQueuedMessage,
        },
      },
      async ({ principal, body }, tx) => {
        const chatId = await addressMessage(tx, principal.tenantId, body, deps);
        return sendMessage(tx, principal.tenantId, { ...body, chatId, author: 'api' }, deps);
      },
    ),
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
