import { Type } from 'typebox';
import { exampleChat } from '../chats/example.ts';
import type { FileStore } from '../files/store.ts';
import { DeleteResult, data, deleted, html } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { authorOf } from '../users/author.ts';
import { readChatPage } from './chat-page.ts';
import { exampleQueuedMessage } from './example.ts';
import { presentMessages, requireChatOfMessages, requireMessage } from './message.ts';
import { ORIGINAL_HEADERS, writeOriginal } from './original.ts';
import { findPictures } from './original-pictures.ts';
import { addressMessage } from './outbound/address.ts';
import { cancelScheduled } from './outbound/cancel-scheduled.ts';
import { type QueueDeps, sendMessage } from './outbound/queue.ts';
import { Message, NewChatMessage, NewMessage } from './schema.ts';
import { chatMessageSource, messageFields, messageSource } from './search.ts';

const example = exampleChat.latestMessage as Message;

const messages = routeFamily({
  tag: 'Messages',
  params: Type.Object({ messageId: Type.String() }),
  exampleParams: { messageId: example.id },
});
const ofChat = {
  tag: 'Messages',
  params: Type.Object({ chatId: Type.String() }),
  exampleParams: { chatId: exampleChat.id },
};
const chatMessages = routeFamily(ofChat);

/** What both searches have in common. */
const search = {
  tag: 'Messages',
  access: 'messages:read',
  searchable: messageFields,
  schema: Message,
  presentPage: presentMessages,
} as const;

const SENDING =
  'Sends a text, files, a template, something to choose or open (`interactive`), a reaction, a location, contacts or a mail. What the kind of channel does not support is refused with every issue at its parameter, and so is what the state of the chat forbids, such as a free-form message after `openUntil`. Returns the message as `queued`. It is sent once, shortly after, in the order of the chat; `message.sent`, `.delivered`, `.read` and `.failed` report its progress. With `scheduledAt` it is sent at that time, and checked again then.';

export function messageRoutes(deps: QueueDeps & { store: FileStore }): Route[] {
  return [
    chatMessages.write(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/messages',
        operationId: 'sendChatMessage',
        summary: 'Send a message in a chat',
        description: `${SENDING} A reply marks the chat as read.`,
        access: 'messages:write',
        body: NewChatMessage,
        answer: data(Message),
        failures: ['chat_not_found', 'conflict'],
        example: { body: { text: exampleQueuedMessage.text }, answer: exampleQueuedMessage },
      },
      async ({ principal, params, body: { userId, ...content } }, tx) => {
        const author = await authorOf(tx, principal, userId);
        return sendMessage(tx, { ...content, chatId: params.chatId, author }, deps);
      },
    ),
    messages.write(
      {
        method: 'POST',
        path: '/v3/messages',
        operationId: 'sendMessage',
        summary: 'Send a message',
        description: `The recipient is a contact, or with \`to\` a phone number, address or id; a missing contact or chat is created. ${SENDING}`,
        access: 'messages:write',
        body: NewMessage,
        answer: data(Message),
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
      async ({ principal, body: { userId, ...content } }, tx) => {
        const author = await authorOf(tx, principal, userId);
        const chatId = await addressMessage(tx, content);
        return sendMessage(tx, { ...content, chatId, author }, deps);
      },
    ),
    messages.read(
      {
        method: 'GET',
        path: '/v3/messages/:messageId',
        operationId: 'getMessage',
        summary: 'Get a message',
        description: 'Returns the content of the message, its author and its status.',
        access: 'messages:read',
        answer: data(Message),
        failures: ['message_not_found'],
        example: { answer: example },
      },
      ({ params }, db) => requireMessage(db.byKey, params.messageId),
    ),
    messages.read(
      {
        method: 'GET',
        path: '/v3/messages/:messageId/original',
        operationId: 'getOriginalMessage',
        summary: 'Show a mail as its sender made it',
        description:
          'A page with the HTML of the mail, for a frame: it runs no script and loads nothing, so pictures on other servers are missing. It contains the pictures that came with the mail. Of a message without HTML it is the text.',
        access: 'messages:read',
        answer: html,
        failures: ['message_not_found'],
        example: { answer: '<!doctype html><p>Is this still available?</p>' },
      },
      async ({ params, header }, db) => {
        const message = await requireMessage(db.byKey, params.messageId);
        const pictures = await findPictures(db.byKey, message);
        for (const [name, value] of Object.entries(ORIGINAL_HEADERS)) header(name, value);
        return { pieces: writeOriginal(message, pictures, deps.store) };
      },
    ),
    messages.write(
      {
        method: 'DELETE',
        path: '/v3/messages/:messageId',
        operationId: 'cancelMessage',
        summary: 'Cancel a scheduled message',
        description:
          'Deletes a message whose `scheduledAt` has not come. One that was sent, or is being sent, is a conflict.',
        access: 'messages:write',
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ params }, tx) => deleted(params.messageId, await cancelScheduled(tx, params.messageId)),
    ),
    searchRoute({
      ...search,
      path: '/v3/messages/search',
      operationId: 'searchMessages',
      noun: 'messages',
      source: messageSource,
      example: { query: 'eq(sender,"inbound")', item: example },
    }),
    searchRoute({
      ...search,
      path: '/v3/chats/:chatId/messages/search',
      operationId: 'searchChatMessages',
      noun: "a chat's messages",
      params: ofChat.params,
      readPlainPage: (db, { chatId = '' }, request) => readChatPage(db, chatId, request),
      source: async (db, params) => {
        const { id, presentPage } = await requireChatOfMessages(db, params.chatId as string);
        return { ...chatMessageSource(id), presentPage };
      },
      failures: ['chat_not_found'],
      example: { params: ofChat.exampleParams, query: 'eq(type,"text")', item: example },
    }),
  ];
}
