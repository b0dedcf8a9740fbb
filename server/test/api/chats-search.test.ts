import { beforeAll, describe, expect, it } from 'vitest';
import type { Chat } from '../../src/chats/schema.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let channels: { whatsapp: string; sms: string; email: string };
let userId: string;
let teamId: string;
/** By the first name of the contact. */
const chats: Record<string, Chat> = {};

const search = async (body: object): Promise<Chat[]> =>
  (await tenant.post('/v3/chats/search', body)).body.data;
const namesOf = (found: Chat[]): string[] => found.map((chat) => chat.contact.firstName as string);

beforeAll(async () => {
  tenant = await server.tenant();
  const made = async (path: string, body: object) => (await tenant.post(path, body)).body.data.id;
  channels = {
    whatsapp: (await tenant.channel('whatsapp')).id,
    sms: (await tenant.channel('sms')).id,
    email: (await tenant.channel('email')).id,
  };
  userId = await made('/v3/users', { name: 'U', email: 'u@example.com', role: 'agent' });
  teamId = await made('/v3/teams', { name: 'T', userIds: [userId] });
  const write = async (channelId: string, from: string, name: string, text: string) => {
    server.clock.advance(1000);
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, name, text });
    await server.settle();
  };
  await write(channels.whatsapp, '+15550001111', 'Ada Lovelace', 'one');
  await write(channels.sms, '+15550002222', 'Grace Hopper', 'two');
  await write(channels.email, 'emmy@example.com', 'Emmy Noether', 'three');
  await write(channels.whatsapp, '+15550001111', 'Ada Lovelace', 'four');
  for (const chat of await search({})) chats[chat.contact.firstName as string] = chat;
  await tenant.post(`/v3/chats/${chats.Grace?.id}/read`);
  await tenant.post(`/v3/chats/${chats.Grace?.id}/assignment`, { userId, teamId });
  await tenant.post(`/v3/chats/${chats.Emmy?.id}/status`);
});

describe('a search of chats', () => {
  it('finds them by the labels of their contacts', async () => {
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    const other = await server.tenant();
    const { id: foreign } = (await other.post('/v3/labels', { name: 'VIP' })).body.data;
    await tenant.post(`/v3/contacts/${chats.Ada?.contactId}/labels`, { labels: [{ id: labelId }] });
    await tenant.post(`/v3/contacts/${chats.Emmy?.contactId}/labels`, { labels: [{ id: labelId }] });
    const found = async (query: string) => namesOf(await search({ query }));
    expect(await found(`contains(labelIds,"${labelId}")`)).toEqual(['Emmy', 'Ada']);
    expect(await found(`and(eq(status,"open"),contains(labelIds,"${labelId}"))`)).toEqual(['Ada']);
    expect(await found(`not(contains(labelIds,"${labelId}"))`)).toEqual(['Grace']);
    expect(await found(`in(labelIds,"${labelId}","${foreign}")`)).toEqual(['Emmy', 'Ada']);
    expect(await found(`contains(labelIds,"${foreign}")`)).toEqual([]);
    const counts = await tenant.post('/v3/chats/counts', {
      views: [{ key: 'vip', query: `contains(labelIds,"${labelId}")` }],
    });
    expect(counts.body.data).toMatchObject([{ total: 2 }]);
  });

  it('is sorted by the time of the latest message, page by page', async () => {
    expect(namesOf(await search({ sortBy: 'desc(latestMessageAt)' }))).toEqual(['Ada', 'Emmy', 'Grace']);
    const body = { query: 'eq(status,"open")', sortBy: 'desc(latestMessageAt)' };
    const first = (await tenant.post('/v3/chats/search', { ...body, pagination: { limit: 1 } })).body;
    expect([namesOf(first.data), first.pagination.total]).toEqual([['Ada'], 2]);
    const cursor = first.pagination.nextCursor;
    const next = (await tenant.post('/v3/chats/search', { ...body, pagination: { limit: 1, cursor } })).body;
    expect([namesOf(next.data), next.pagination]).toEqual([
      ['Grace'],
      expect.objectContaining({ total: 2, nextCursor: null }),
    ]);
    expect(namesOf(await search({ query: 'gt(latestMessageAt,"2026-11-15T01:02:06.000Z")' }))).toEqual([
      'Emmy',
      'Ada',
    ]);
  });

  it('returns complete chats, newest first', async () => {
    const found = await search({});
    expect(namesOf(found)).toEqual(['Emmy', 'Grace', 'Ada']);
    for (const chat of found) {
      expect(chat).toEqual((await tenant.get(`/v3/chats/${chat.id}`)).body.data);
      expect(chat.latestMessage?.chatId).toBe(chat.id);
    }
    expect(found.map((chat) => chat.latestMessage?.text)).toEqual(['three', 'two', 'four']);
  });

  it.each([
    ['eq(status,"closed")', ['Emmy']],
    ['eq(isUnread,true)', ['Emmy', 'Ada']],
    ['eq(isUnread,false)', ['Grace']],
    ['ge(unreadCount,2)', ['Ada']],
    ['isNull(openUntil)', ['Emmy', 'Grace']],
    ['gt(openUntil,"2026-11-16T00:00:00Z")', ['Ada']],
    ['isNull(assignedUserId)', ['Emmy', 'Ada']],
    ['not(isNull(assignedTeamId))', ['Grace']],
    ['in(status,"open","snoozed")', ['Grace', 'Ada']],
  ])('by %s finds %j', async (query, names) => {
    expect(namesOf(await search({ query }))).toEqual(names);
  });

  it('finds the chats of a channel, a contact, a user, a team', async () => {
    expect(namesOf(await search({ query: `eq(channelId,"${channels.sms}")` }))).toEqual(['Grace']);
    expect(namesOf(await search({ query: `eq(contactId,"${chats.Ada?.contactId}")` }))).toEqual(['Ada']);
    expect(namesOf(await search({ query: `eq(assignedUserId,"${userId}")` }))).toEqual(['Grace']);
    expect(namesOf(await search({ query: `eq(assignedTeamId,"${teamId}")` }))).toEqual(['Grace']);
    expect(await search({ query: `eq(assignedTeamId,"${userId}")` })).toEqual([]);
  });

  it.each([
    ['love', ['Ada']],
    ['ADA LOVE', ['Ada']],
    ['+1555000', ['Grace', 'Ada']],
    ['example.com', ['Emmy']],
    ['four', []],
    ['%', []],
  ])('for %j searches names and handles of the contact, and finds %j', async (text, names) => {
    expect(namesOf(await search({ search: text }))).toEqual(names);
  });

  it('for an id finds the chat that has it', async () => {
    expect(namesOf(await search({ search: chats.Emmy?.id }))).toEqual(['Emmy']);
    expect(await search({ search: channels.sms })).toEqual([]);
  });

  it('is sorted by any field, nulls as the largest, and paged to the end', async () => {
    expect(namesOf(await search({ sortBy: 'desc(updatedAt)' }))[2]).toBe('Ada');
    expect(namesOf(await search({ sortBy: 'asc(openUntil),asc(createdAt)' }))).toEqual([
      'Ada',
      'Grace',
      'Emmy',
    ]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await tenant.post('/v3/chats/search', {
        sortBy: 'asc(assignedUserId),desc(unreadCount)',
        pagination: { limit: 1, ...(cursor ? { cursor } : {}) },
      });
      expect(body.pagination.total).toBe(3);
      seen.push(...namesOf(body.data));
      cursor = body.pagination.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(['Grace', 'Ada', 'Emmy']);
    const second = await search({ pagination: { page: 1, limit: 2 } });
    expect(namesOf(second)).toEqual(['Ada']);
  });

  it('names the unknown field and the nearest known one', async () => {
    const { body } = await tenant.post('/v3/chats/search', { query: 'eq(assignedUser,"x")' });
    expect(body.error.invalidParams.query).toEqual({
      key: 'invalid_string',
      message: expect.stringContaining('assignedUserId'),
    });
  });

  it('A1: finds nothing of another tenant', async () => {
    const other = await server.tenant();
    for (const body of [
      {},
      { search: 'Ada' },
      { query: `eq(channelId,"${channels.sms}")` },
      { query: `eq(assignedUserId,"${userId}")` },
    ])
      expect((await other.post('/v3/chats/search', body)).body.data).toEqual([]);
  });
});
