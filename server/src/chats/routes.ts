import { Type } from 'typebox';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, type RouteSpec, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import {
  assignChat,
  type RemovalDeps,
  removeChat,
  setChatRead,
  setChatStatus,
  setSensitive,
} from './change-chat.ts';
import { findChats, requireChat } from './chat.ts';
import { exampleChat } from './example.ts';
import { Chat, ChatAssignment, ChatChange, ChatReadChange, ChatStatusChange, NewChat } from './schema.ts';
import { chatFields, chatSource } from './search.ts';
import { startChat } from './start-chat.ts';

const ChatId = Type.Object({ chatId: Type.String() });
const at = { params: { chatId: exampleChat.id } };

/** What all changes of a chat have in common. */
const change = {
  tag: 'Chats',
  access: 'chats:write',
  params: ChatId,
  answer: data(Chat),
  failures: ['chat_not_found'],
} as const satisfies Partial<RouteSpec>;

export function chatRoutes(deps: RemovalDeps & { db: Database }): Route[] {
  return [
    write(
      {
        method: 'POST',
        path: '/v3/chats',
        operationId: 'createChat',
        tag: 'Chats',
        summary: 'Start a chat',
        description:
          'Gives the chat with the contact on the channel, and makes it where there is none. One that is there is not changed. The contact needs a handle by which people are reached there: a phone number on WhatsApp and SMS, an email address, an Instagram id.',
        access: 'chats:write',
        body: NewChat,
        answer: data(Chat),
        failures: [],
        example: {
          body: { contactId: exampleChat.contactId, channelId: exampleChat.channelId },
          answer: exampleChat,
        },
      },
      ({ principal, body }, tx) => startChat(tx, principal.tenantId, body, deps),
    ),
    searchRoute(deps.db, {
      path: '/v3/chats/search',
      operationId: 'searchChats',
      tag: 'Chats',
      noun: 'chats',
      access: 'chats:read',
      searchable: chatFields,
      source: chatSource,
      schema: Chat,
      presentPage: (rows: { id: string }[], tenantId) =>
        findChats(
          deps.db,
          tenantId,
          rows.map((row) => row.id),
        ),
      example: { query: 'eq(status,"open")', item: exampleChat },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/chats/:chatId',
        operationId: 'getChat',
        tag: 'Chats',
        summary: 'Read a chat',
        description: 'The chat with its contact, the handle it runs over, and its latest message.',
        access: 'chats:read',
        params: ChatId,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { ...at, answer: exampleChat },
      },
      ({ principal, params }) => requireChat(deps.db.byKey, principal.tenantId, params.chatId),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/chats/:chatId',
        operationId: 'deleteChat',
        tag: 'Chats',
        summary: 'Delete a chat',
        description: 'Permanent, with its messages. The contact stays; its next message makes a new chat.',
        access: 'chats:delete',
        params: ChatId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [exampleChat.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.chatId, await removeChat(tx, principal.tenantId, params.chatId, deps)),
    ),
    write(
      {
        ...change,
        method: 'POST',
        path: '/v3/chats/:chatId/status',
        operationId: 'setChatStatus',
        summary: 'Close, snooze or open a chat',
        description:
          'Without `status` it closes the chat. Setting the status it has already is a success and no event. A snoozed chat opens by itself at `snoozedUntil`, and any chat when its customer writes.',
        body: ChatStatusChange,
        example: { ...at, body: { status: 'open', triggerAutomations: false }, answer: exampleChat },
      },
      ({ principal, params, body }, tx) => setChatStatus(tx, principal.tenantId, params.chatId, body, deps),
    ),
    write(
      {
        ...change,
        method: 'PUT',
        path: '/v3/chats/:chatId',
        operationId: 'updateChat',
        summary: 'Say whether a chat is sensitive',
        description:
          'Texts and media of a sensitive chat are left out of events and logs; only the API shows them.',
        body: ChatChange,
        example: { ...at, body: { isSensitive: false }, answer: exampleChat },
      },
      ({ principal, params, body }, tx) =>
        setSensitive(tx, principal.tenantId, params.chatId, body.isSensitive, deps),
    ),
    write(
      {
        ...change,
        method: 'POST',
        path: '/v3/chats/:chatId/read',
        operationId: 'markChat',
        summary: 'Mark a chat as read or unread',
        description: 'Read sets `unreadCount` to 0; `isUnread: true` marks it by hand and leaves the count.',
        body: ChatReadChange,
        example: { ...at, body: { isUnread: true }, answer: exampleChat },
      },
      ({ principal, params, body }, tx) =>
        setChatRead(tx, principal.tenantId, params.chatId, body.isUnread ?? false, deps),
    ),
    write(
      {
        ...change,
        method: 'POST',
        path: '/v3/chats/:chatId/assignment',
        operationId: 'assignChat',
        summary: 'Assign a chat',
        description: 'To a user, a team, or both; null takes it from them, what is left out stays.',
        body: ChatAssignment,
        example: { ...at, body: { userId: null }, answer: exampleChat },
      },
      ({ principal, params, body }, tx) => assignChat(tx, principal.tenantId, params.chatId, body, deps),
    ),
  ];
}
