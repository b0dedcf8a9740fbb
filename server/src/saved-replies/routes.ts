import { Type } from 'typebox';
import { exampleChat } from '../chats/example.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import {
  changeSavedReply,
  createSavedReply,
  presentSavedReply,
  removeSavedReply,
  renderSavedReply,
  requireSavedReply,
  SAVED_REPLY_COLUMNS,
} from './saved-reply.ts';
import { NewSavedReply, RenderBody, RenderedReply, SavedReply, SavedReplyChange } from './schema.ts';

const example: SavedReply = {
  id: '019a82a0-0000-7000-8000-0000000000a1',
  shortcut: 'hours',
  text: 'Hello {{ contact.firstName }}, we are here from 9 to 17.',
  media: [],
  channelIds: [],
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const { shortcut, text } = example;

const savedReplies = routeFamily({
  tag: 'Saved replies',
  params: Type.Object({ savedReplyId: Type.String() }),
  exampleParams: { savedReplyId: example.id },
});

export function savedReplyRoutes(): Route[] {
  return [
    savedReplies.write(
      {
        method: 'POST',
        path: '/v3/saved_replies',
        operationId: 'createSavedReply',
        summary: 'Create a saved reply',
        description: 'Shortcuts are unique in the tenant and not case-sensitive.',
        access: 'chats:write',
        body: NewSavedReply,
        answer: data(SavedReply),
        failures: ['limit_reached'],
        example: { body: { shortcut, text }, answer: example },
      },
      ({ body }, tx) => createSavedReply(tx, body),
    ),
    savedReplies.read(
      {
        method: 'GET',
        path: '/v3/saved_replies/:savedReplyId',
        operationId: 'getSavedReply',
        summary: 'Get a saved reply',
        description: 'Returns the text as it was saved.',
        access: 'chats:read',
        answer: data(SavedReply),
        failures: ['saved_reply_not_found'],
        example: { answer: example },
      },
      ({ params }, db) => requireSavedReply(db.byKey, params.savedReplyId),
    ),
    searchRoute({
      path: '/v3/saved_replies/search',
      operationId: 'searchSavedReplies',
      tag: 'Saved replies',
      noun: 'saved replies',
      access: 'chats:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 's.id' },
          shortcut: { type: 'string', sql: 's.shortcut' },
          text: { type: 'string', sql: 's.text', isLong: true },
          createdAt: { type: 'time', sql: 's.created_at' },
          updatedAt: { type: 'time', sql: 's.updated_at' },
        },
        names: ['s.shortcut', 's.text'],
        id: 's.id',
      },
      source: {
        select: SAVED_REPLY_COLUMNS,
        from: 'saved_replies s',
        tenantColumn: 's.tenant_id',
        inChannels: (ids) => `(s.channel_ids = '{}' or s.channel_ids && ${ids})`,
      },
      schema: SavedReply,
      present: presentSavedReply,
      example: { query: 'startsWith(shortcut,"ho")', item: example },
    }),
    savedReplies.read(
      {
        method: 'POST',
        path: '/v3/saved_replies/:savedReplyId/render',
        operationId: 'renderSavedReply',
        summary: 'Render a saved reply for a chat',
        description:
          'Returns the text with the values of the contact and of the user who calls, to be changed and sent.',
        access: 'chats:read',
        body: RenderBody,
        answer: data(RenderedReply),
        failures: ['saved_reply_not_found'],
        example: {
          body: { chatId: exampleChat.id },
          answer: { text: 'Hello Ada, we are here from 9 to 17.' },
        },
      },
      ({ principal, params, body }, db) =>
        renderSavedReply(db.byKey, params.savedReplyId, body.chatId, principal),
    ),
    savedReplies.write(
      {
        method: 'PUT',
        path: '/v3/saved_replies/:savedReplyId',
        operationId: 'updateSavedReply',
        summary: 'Update a saved reply',
        description: 'Changes the given fields.',
        access: 'chats:write',
        body: SavedReplyChange,
        answer: data(SavedReply),
        failures: ['saved_reply_not_found'],
        example: { body: { text }, answer: example },
      },
      ({ params, body }, tx) => changeSavedReply(tx, params.savedReplyId, body),
    ),
    savedReplies.write(
      {
        method: 'DELETE',
        path: '/v3/saved_replies/:savedReplyId',
        operationId: 'deleteSavedReply',
        summary: 'Delete a saved reply',
        description: 'Messages that were sent with it stay.',
        access: 'chats:write',
        answer: data(DeleteResult),
        failures: [],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ params }, tx) => deleted(params.savedReplyId, await removeSavedReply(tx, params.savedReplyId)),
    ),
  ];
}
