import { beforeEach, describe, expect, it } from 'vitest';
import { listener } from '../kit/events.ts';
import { usePerson } from '../kit/people.ts';
import { openChat, outboxOf, type TestChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
let channel: { id: string };
let chat: TestChat;
let path: string;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
  chat = await openChat(server, tenant, channel);
  path = `/v3/chats/${chat.id}/notes`;
});

const userOf = async (name: string): Promise<string> =>
  (await tenant.post('/v3/users', { name, email: `${name}@example.com`, role: 'agent' })).body.data.id;

describe('a note', () => {
  it('is never sent, changes nothing in the chat, and has an event for each change', async () => {
    const before = (await tenant.get(`/v3/chats/${chat.id}`)).body.data;
    const newEvents = listener(server, tenant);
    await newEvents();
    const [userId, mentioned] = [await userOf('grace'), await userOf('alan')];
    const { body } = await tenant.post(path, { text: 'Is difficult', userId, mentionedUserIds: [mentioned] });
    expect(body.data).toEqual({
      id: expect.any(String),
      chatId: chat.id,
      channelId: channel.id,
      contactId: chat.contactId,
      author: { type: 'user', id: userId, name: 'grace' },
      text: 'Is difficult',
      mentionedUserIds: [mentioned],
      mentionedTeamIds: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const one = `/v3/notes/${body.data.id}`;
    const changed = await tenant.put(one, { text: 'Is charming', mentionedUserIds: [] });
    expect(changed.body.data).toMatchObject({ text: 'Is charming', mentionedUserIds: [] });
    expect((await tenant.post(`${path}/search`, {})).body.data).toEqual([changed.body.data]);
    expect((await tenant.delete(one)).body.data.deletedIds).toEqual([body.data.id]);
    expect((await tenant.delete(one)).body.data.notFoundIds).toEqual([body.data.id]);
    expect((await tenant.post(`${path}/search`, {})).body.data).toEqual([]);
    await server.settle();
    const events = (await newEvents()).filter(({ type }) => type.startsWith('note.'));
    expect(events.map(({ type, data }) => [type, data.text])).toEqual([
      ['note.created', 'Is difficult'],
      ['note.updated', 'Is charming'],
      ['note.deleted', 'Is charming'],
    ]);
    expect(await outboxOf(tenant, channel)).toEqual([]);
    expect((await tenant.get(`/v3/chats/${chat.id}`)).body.data).toEqual(before);
    expect((await tenant.post('/v3/messages/search', {})).body.data).toHaveLength(1);
  });

  it('belongs to its chat and its tenant', async () => {
    const { id } = (await tenant.post(path, { text: 'ours' })).body.data;
    const other = await openChat(server, tenant, channel, '+15550009999');
    const outsider = await server.tenant();
    for (const [caller, noteId] of [
      [tenant, UNKNOWN],
      [tenant, 'x'],
      [outsider, id],
    ] as const) {
      const changed = await caller.put(`/v3/notes/${noteId}`, { text: 'theirs' });
      expect([changed.status, changed.body.error.messageKey]).toEqual([404, 'note_not_found']);
      expect((await caller.delete(`/v3/notes/${noteId}`)).body.data.notFoundIds).toEqual([noteId]);
    }
    expect((await outsider.post(`${path}/search`, {})).body.error.messageKey).toBe('chat_not_found');
    expect((await tenant.post(`/v3/chats/${other.id}/notes/search`, {})).body.data).toEqual([]);
    expect((await tenant.post(`${path}/search`, {})).body.data).toMatchObject([{ id, text: 'ours' }]);
  });

  it('of another channel does not exist for a person who is restricted to teams', async () => {
    const { id } = (await tenant.post(path, { text: 'hidden' })).body.data;
    const shown = await openChat(server, tenant, await tenant.channel(), '+15550009999');
    const { id: seenId } = (await tenant.post(`/v3/chats/${shown.id}/notes`, { text: 'seen' })).body.data;
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'A', userIds: [agent.userId], channelIds: [shown.channelId] });
    const changed = await agent.call('PUT', `/v3/notes/${id}`, { body: { text: 'mine' } });
    expect([changed.status, changed.body.error.messageKey]).toEqual([404, 'note_not_found']);
    expect((await agent.call('DELETE', `/v3/notes/${id}`)).body.data).toEqual({
      deletedIds: [],
      notFoundIds: [id],
    });
    expect((await tenant.post(`${path}/search`, {})).body.data).toMatchObject([{ id, text: 'hidden' }]);
    const seen = await agent.call('PUT', `/v3/notes/${seenId}`, { body: { text: 'changed' } });
    expect(seen.body.data.text).toBe('changed');
    expect((await agent.call('DELETE', `/v3/notes/${seenId}`)).body.data.deletedIds).toEqual([seenId]);
  });

  it('names an unknown user and an unknown key, and is not stored', async () => {
    const known = await userOf('grace');
    for (const [body, params] of [
      [{ text: 'x', mentionedUserIds: [known, UNKNOWN] }, ['mentionedUserIds.1']],
      [{ text: 'x', mentionedUserIds: [known, known] }, ['mentionedUserIds']],
      [{ text: '' }, ['text']],
      [{ text: 'x', private: true }, ['private']],
      [{}, ['text']],
    ] as const) {
      const { status, body: answer } = await tenant.post(path, body);
      expect([status, Object.keys(answer.error.invalidParams)]).toEqual([400, params]);
    }
    expect((await tenant.post(`${path}/search`, {})).body.data).toEqual([]);
  });

  it('of a sensitive chat has no text in events', async () => {
    await tenant.put(`/v3/chats/${chat.id}`, { isSensitive: true });
    const newEvents = listener(server, tenant);
    await newEvents();
    expect((await tenant.post(path, { text: 'secret' })).body.data.text).toBe('secret');
    expect(await newEvents()).toMatchObject([{ type: 'note.created', data: { text: null } }]);
  });

  it('goes with its chat', async () => {
    await tenant.post(path, { text: 'x' });
    await tenant.delete(`/v3/chats/${chat.id}`);
    const { rows } = await server.system.db.query('select 1 from notes where tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([]);
  });
});
