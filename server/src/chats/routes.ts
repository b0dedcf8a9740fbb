import { Type } from 'typebox';
import { csv, DeleteResult, data, deleted } from '../http/answer.ts';
import { ExportQuery, exportRows } from '../http/export.ts';
import { type Route, read, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { authorOf } from '../users/author.ts';
import { assignChat } from './assign-chat.ts';
import { setAutomationPause, setSensitive } from './change-chat.ts';
import { findChats, requireChat } from './chat.ts';
import { ChatCount, CountsBody, countChats } from './count-chats.ts';
import { exampleChat } from './example.ts';
import { chatTable } from './export.ts';
import { setChatRead } from './mark-read.ts';
import { createPresence } from './presence.ts';
import type { BeforeChatRemoval } from './remove-chats.ts';
import { removeChat } from './remove-chats.ts';
import {
  Chat,
  ChatAssignment,
  ChatAutomationChange,
  ChatChange,
  ChatPresence,
  ChatPresenceChange,
  ChatReadChange,
  ChatStatusChange,
  NewChat,
} from './schema.ts';
import { chatFields, chatSource } from './search.ts';
import { setChatStatus } from './set-status.ts';
import { startChat } from './start-chat.ts';

const chats = routeFamily({
  tag: 'Chats',
  params: Type.Object({ chatId: Type.String() }),
  exampleParams: { chatId: exampleChat.id },
});

export function chatRoutes({ beforeRemoval }: { beforeRemoval: BeforeChatRemoval }): Route[] {
  const setPresence = createPresence();
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
    read(
      {
        method: 'POST',
        path: '/v3/chats/counts',
        operationId: 'countChats',
        tag: 'Chats',
        summary: 'Count chats',
        description:
          'Counts the chats of several filters in one request, for the views of an inbox. Restricted users count what they see.',
        access: 'chats:read',
        body: CountsBody,
        answer: data(Type.Array(ChatCount)),
        failures: ['search_too_slow'],
        example: {
          body: { views: [{ key: 'open', query: 'eq(status,"open")' }] },
          answer: [{ key: 'open', total: 42, unread: 7, totalIsCapped: false }],
        },
      },
      ({ principal, body }, db) => db.search((reader) => countChats(reader, body, principal)),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/chats/export.csv',
        operationId: 'exportChats',
        tag: 'Chats',
        summary: 'Download chats',
        description:
          'Returns a CSV file with a line for each chat that matches `query` and `search`, or for every chat, in the order of creation. Users who are restricted to teams get those of their channels. A text that a spreadsheet could read as a formula is preceded by an apostrophe.',
        access: 'chats:read',
        query: ExportQuery,
        answer: csv,
        failures: ['search_too_slow'],
        example: { answer: `${chatTable.columns.join(',')}\r\n` },
      },
      ({ principal, query }, db) =>
        exportRows(db, {
          filename: 'chats.csv',
          searchable: chatFields,
          source: chatSource,
          table: chatTable,
          wanted: query,
          principal,
        }),
    ),
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
          'Marking it as read sets `unreadCount` to 0; `isUnread: true` marks it as unread and keeps the count. With `userId` a person has read it: on WhatsApp and Instagram the contact then sees that its messages were read, shortly after and as far as the vendor takes it.',
        access: 'chats:write',
        body: ChatReadChange,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { body: { isUnread: true }, answer: exampleChat },
      },
      async ({ principal, params, body }, tx) => {
        const { type } = await authorOf(tx, principal, body.userId);
        return setChatRead(tx, params.chatId, body.isUnread ?? false, type === 'user' ? 'person' : 'api');
      },
    ),
    chats.read(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/presence',
        operationId: 'setChatPresence',
        summary: 'Show that somebody looks at a chat or types',
        description:
          'Colleagues who may see the chat get the stream-only event `chat.presence`. `viewing` counts for 45 seconds and `typing` for 10, or until `left`: repeat it before that. The same state within two seconds is sent once. With `typing` the contact also sees that a person types, on WhatsApp for 25 seconds or until the next message, on Instagram also until `left`, as far as the vendor takes it. Nothing is stored.',
        access: 'chats:write',
        body: ChatPresenceChange,
        answer: data(ChatPresence),
        failures: ['chat_not_found'],
        example: {
          body: { state: 'typing', userId: '019a82a0-0000-7000-8000-000000000060' },
          answer: { chatId: exampleChat.id, state: 'typing', isShown: true },
        },
      },
      async ({ principal, params, body }, db) =>
        setPresence(db, params.chatId, body.state, await authorOf(db.byKey, principal, body.userId)),
    ),
    chats.write(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/assignment',
        operationId: 'assignChat',
        summary: 'Assign a chat',
        description:
          'Assigns the chat to a user, a team, or both. Null removes an assignment; a field that is left out is not changed. Assigning it to a user ends what automations wait for in the chat, and none starts because the contact writes or the chat opens until the assignment ends.',
        access: 'chats:write',
        body: ChatAssignment,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { body: { userId: null }, answer: exampleChat },
      },
      ({ params, body }, tx) => assignChat(tx, params.chatId, body, 'person'),
    ),
    chats.write(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/automation',
        operationId: 'pauseChatAutomation',
        summary: 'Pause or resume automations in a chat',
        description:
          'While automations are paused, none starts because the contact writes or the chat opens, not even one with `evenIfAssigned`. Pausing also ends what automations wait for in the chat. Resuming lets them start again although the chat is assigned to a user. Closing the chat or assigning it to another user ends what was set here.',
        access: 'chats:write',
        body: ChatAutomationChange,
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { body: { isPaused: true }, answer: { ...exampleChat, isAutomationPaused: true } },
      },
      ({ params, body }, tx) => setAutomationPause(tx, params.chatId, body.isPaused),
    ),
  ];
}
