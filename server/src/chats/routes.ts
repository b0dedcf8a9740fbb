import { Type } from 'typebox';
import type { Database } from '../db/database.ts';
import { data, type Route, read } from '../http/route.ts';
import { requireChat } from './chat.ts';
import { exampleChat } from './example.ts';
import { Chat } from './schema.ts';

export function chatRoutes({ db }: { db: Database }): Route[] {
  return [
    read(
      {
        method: 'GET',
        path: '/v3/chats/:chatId',
        operationId: 'getChat',
        tag: 'Chats',
        summary: 'Read a chat',
        description: 'The chat with its contact, the handle it runs over, and its latest message.',
        access: 'chats:read',
        params: Type.Object({ chatId: Type.String() }),
        answer: data(Chat),
        failures: ['chat_not_found'],
        example: { params: { chatId: exampleChat.id }, answer: exampleChat },
      },
      ({ principal, params }) => requireChat(db.byKey, principal.tenantId, params.chatId),
    ),
  ];
}
