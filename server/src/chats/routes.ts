import { Type } from 'typebox';
import { DeleteResult, data, deleted, type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { assignChat, removeChat, setChatRead, setChatStatus, setSensitive } from './change-chat.ts';
import { findChats, requireChat } from './chat.ts';
import { exampleChat } from './example.ts';
import type { BeforeChatRemoval } from './remove-chats.ts';
import { Chat, ChatAssignment, ChatChange, ChatReadChange, ChatStatusChange, NewChat } from './schema.ts';
import { chatFields, chatSource } from './search.ts';
import { startChat } from './start-chat.ts';

const chats = routeFamily({
  tag: 'Chats',
  params: Type.Object({ chatId: Type.String() }),
  exampleParams: { chatId: exampleChat.id },
});

export function chatRoutes({ beforeRemoval }: { beforeRemoval: BeforeChatRemoval }): Route[] {
  return [
    chats.write(
      {
        method: 'POST',
        path: '/v3/chats',
        operationId: 'createChat',
        summary: 'Start a chat',
        description:
          'Returns the chat with the contact on the channel, and creates it if it does not exist. An existing chat is not changed. The contact needs a handle that fits the channel: a phone number on WhatsApp and SMS, an email address, an Instagram id.',
        access: 'chats:write',
        body: NewChat,
        answer: data(Chat),
        failures: [],
        example: {
          body: { contactId: exampleChat.contactId, channelId: exampleChat.channelId },
          answer: exampleChat,
        },
      },
      ({ body }, tx) => startChat(tx, body),
    ),
    searchRoute({
      path: '/v3/chats/search',
      operationId: 'searchChats',
      tag: 'Chats',
      noun: 'chats',
      access: 'chats:read',
      searchable: chatFields,
      source: chatSource,
      schema: Chat,
      presentPage: (db, rows: { id: string }[]) =>
        findChats(
          db,
          rows.map((row) => row.id),
        ),
      example: { query: 'eq(status,"open")', item: exampleChat },
    }),
    chats.read(
      {
        method: 'GET',
        path: '/v3/chats/:chatId',
        operationId: 'getChat',
        summary: 'Get a chat',
        description: 'Returns the chat with its contact, its handle and its latest message.',
        access: 'chats:read',
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { answer: exampleChat },
      },
      ({ params }, db) => requireChat(db.byKey, params.chatId),
    ),
    chats.write(
      {
        method: 'DELETE',
        path: '/v3/chats/:chatId',
        operationId: 'deleteChat',
        summary: 'Delete a chat',
        description:
          'Deletes the chat with its messages permanently. The contact stays; the next message from it creates a new chat.',
        access: 'chats:delete',
        answer: data(DeleteResult),
        failures: [],
        example: { answer: { deletedIds: [exampleChat.id], notFoundIds: [] } },
      },
      async ({ params }, tx) => deleted(params.chatId, await removeChat(tx, params.chatId, beforeRemoval)),
    ),
    chats.write(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/status',
        operationId: 'setChatStatus',
        summary: 'Close, snooze or open a chat',
        description:
          'Closes the chat if `status` is left out. Setting the status that the chat has is not an error and has no event. A snoozed chat opens by itself at `snoozedUntil`; every chat opens when its customer writes.',
        access: 'chats:write',
        body: ChatStatusChange,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { body: { status: 'open', triggerAutomations: false }, answer: exampleChat },
      },
      ({ params, body }, tx) => setChatStatus(tx, params.chatId, body),
    ),
    chats.write(
      {
        method: 'PUT',
        path: '/v3/chats/:chatId',
        operationId: 'updateChat',
        summary: 'Update a chat',
        description:
          'Sets whether the chat is sensitive. Texts and media of a sensitive chat are left out of events and logs; only the API returns them.',
        access: 'chats:write',
        body: ChatChange,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { body: { isSensitive: false }, answer: exampleChat },
      },
      ({ params, body }, tx) => setSensitive(tx, params.chatId, body.isSensitive),
    ),
    chats.write(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/read',
        operationId: 'markChat',
        summary: 'Mark a chat as read or unread',
        description:
          'Marking it as read sets `unreadCount` to 0; `isUnread: true` marks it as unread and keeps the count.',
        access: 'chats:write',
        body: ChatReadChange,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { body: { isUnread: true }, answer: exampleChat },
      },
      ({ params, body }, tx) => setChatRead(tx, params.chatId, body.isUnread ?? false),
    ),
    chats.write(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/assignment',
        operationId: 'assignChat',
        summary: 'Assign a chat',
        description:
          'Assigns the chat to a user, a team, or both. Null removes an assignment; a field that is left out is not changed.',
        access: 'chats:write',
        body: ChatAssignment,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { body: { userId: null }, answer: exampleChat },
      },
      ({ params, body }, tx) => assignChat(tx, params.chatId, body),
    ),
  ];
}
