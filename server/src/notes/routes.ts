import { Type } from 'typebox';
import { requireChat } from '../chats/chat.ts';
import { exampleChat } from '../chats/example.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { authorOf, authorTypes } from '../users/author.ts';
import { exampleNote } from './example.ts';
import { changeNote, createNote, NOTE_COLUMNS, presentNote, removeNote } from './note.ts';
import { NewNote, Note, NoteChange } from './schema.ts';

const TAG = 'Notes';
const ofChat = {
  tag: TAG,
  params: Type.Object({ chatId: Type.String() }),
  exampleParams: { chatId: exampleChat.id },
};
const chatNotes = routeFamily(ofChat);
const notes = routeFamily({
  tag: TAG,
  params: Type.Object({ noteId: Type.String() }),
  exampleParams: { noteId: exampleNote.id },
});

export function noteRoutes(): Route[] {
  return [
    chatNotes.write(
      {
        method: 'POST',
        path: '/v3/chats/:chatId/notes',
        operationId: 'createNote',
        summary: 'Write a note about a chat',
        description:
          'Colleagues see the note next to the messages. It is never sent to the contact, is no reply, and does not change the chat.',
        access: 'chats:write',
        body: NewNote,
        answer: data(Note),
        failures: ['chat_not_found'],
        example: { body: { text: exampleNote.text, userId: exampleNote.author.id }, answer: exampleNote },
      },
      async (
        { principal, params, body: { userId, text, mentionedUserIds = [], mentionedTeamIds = [] } },
        tx,
      ) =>
        createNote(
          tx,
          params.chatId,
          { text, mentionedUserIds, mentionedTeamIds },
          await authorOf(tx, principal, userId),
        ),
    ),
    searchRoute({
      path: '/v3/chats/:chatId/notes/search',
      operationId: 'searchNotes',
      tag: TAG,
      noun: "a chat's notes",
      access: 'chats:read',
      params: ofChat.params,
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'n.id' },
          chatId: { type: 'uuid', sql: 'n.chat_id' },
          channelId: { type: 'uuid', sql: 'n.channel_id' },
          contactId: { type: 'uuid', sql: 'n.contact_id' },
          text: { type: 'string', sql: 'n.text', isLong: true },
          authorType: { type: 'enum', sql: 'n.author', values: authorTypes },
          authorId: { type: 'uuid', sql: 'n.author_id', nullable: true },
          createdAt: { type: 'time', sql: 'n.created_at' },
          updatedAt: { type: 'time', sql: 'n.updated_at' },
        },
        names: ['n.text'],
        id: 'n.id',
      },
      source: async (db, params) => {
        const chat = await requireChat(db, params.chatId as string);
        return {
          select: NOTE_COLUMNS,
          from: 'visible_notes n',
          tenantColumn: 'n.tenant_id',
          where: (bind) => `n.chat_id = ${bind(chat.id)}::uuid`,
        };
      },
      schema: Note,
      present: presentNote,
      failures: ['chat_not_found'],
      example: { params: ofChat.exampleParams, query: 'contains(text,"blue")', item: exampleNote },
    }),
    notes.write(
      {
        method: 'PUT',
        path: '/v3/notes/:noteId',
        operationId: 'updateNote',
        summary: 'Update a note',
        description: 'Changes the given fields. The author stays.',
        access: 'chats:write',
        body: NoteChange,
        answer: data(Note),
        failures: ['note_not_found'],
        example: { body: { text: exampleNote.text }, answer: exampleNote },
      },
      ({ params, body }, tx) => changeNote(tx, params.noteId, body),
    ),
    notes.write(
      {
        method: 'DELETE',
        path: '/v3/notes/:noteId',
        operationId: 'deleteNote',
        summary: 'Delete a note',
        description: 'Deletes the note permanently.',
        access: 'chats:write',
        answer: data(DeleteResult),
        failures: [],
        example: { answer: { deletedIds: [exampleNote.id], notFoundIds: [] } },
      },
      async ({ params }, tx) => deleted(params.noteId, await removeNote(tx, params.noteId)),
    ),
  ];
}
