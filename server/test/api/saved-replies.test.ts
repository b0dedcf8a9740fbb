import { beforeEach, describe, expect, it } from 'vitest';
import { upload } from '../kit/files.ts';
import { usePerson } from '../kit/people.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const make = (more: object = {}) =>
  tenant.post('/v3/saved_replies', { shortcut: 'hours', text: 'We are here from 9 to 17.', ...more });
const issuesOf = async (more: object): Promise<Record<string, string>> => {
  const { invalidParams } = (await make(more)).body.error;
  return Object.fromEntries(
    Object.entries(invalidParams as Record<string, { message: string }>).map(([path, one]) => [
      path,
      one.message,
    ]),
  );
};
async function chatWith(firstName: string, phoneNumber = '+15550001111'): Promise<string> {
  const channel = await tenant.channel();
  const contact = await tenant.post('/v3/contacts', { firstName, phoneNumber });
  const chat = await tenant.post('/v3/chats', { contactId: contact.body.data.id, channelId: channel.id });
  return chat.body.data.id;
}

describe('a saved reply', () => {
  it('is stored, found, changed and deleted', async () => {
    const file = (await upload(tenant, 'hello\n', 'hello.txt')).body.data;
    const channel = await tenant.channel();
    const made = await make({ media: [{ fileId: file.id }], channelIds: [channel.id] });
    const reply = made.body.data;
    expect(reply).toMatchObject({
      shortcut: 'hours',
      text: 'We are here from 9 to 17.',
      media: [{ fileId: file.id, filename: 'hello.txt', mimeType: 'text/plain', size: 6 }],
      channelIds: [channel.id],
    });
    expect((await tenant.get(`/v3/saved_replies/${reply.id}`)).body.data).toEqual(reply);
    expect((await tenant.post('/v3/saved_replies/search', { search: 'from 9' })).body.data).toEqual([reply]);
    for (const media of [{ fileId: file.id }, reply.media])
      expect((await tenant.put(`/v3/saved_replies/${reply.id}`, { media })).body.data.media).toEqual(
        reply.media,
      );
    const changed = await tenant.put(`/v3/saved_replies/${reply.id}`, { text: 'Closed', media: [] });
    expect(changed.body.data).toMatchObject({
      shortcut: 'hours',
      text: 'Closed',
      media: [],
      channelIds: [channel.id],
    });
    expect((await tenant.delete(`/v3/saved_replies/${reply.id}`)).body.data.deletedIds).toEqual([reply.id]);
    expect((await tenant.get(`/v3/saved_replies/${reply.id}`)).body.error.messageKey).toBe(
      'saved_reply_not_found',
    );
  });

  it('has a shortcut of its own', async () => {
    const first = (await make()).body.data;
    expect(await issuesOf({ shortcut: 'HOURS' })).toEqual({
      shortcut: 'There is already a saved reply "HOURS"',
    });
    const second = (await make({ shortcut: 'öffnung' })).body.data;
    const taken = await tenant.put(`/v3/saved_replies/${second.id}`, { shortcut: 'Hours' });
    expect(Object.keys(taken.body.error.invalidParams)).toEqual(['shortcut']);
    expect((await tenant.put(`/v3/saved_replies/${first.id}`, { shortcut: 'Hours' })).status).toBe(200);
    for (const shortcut of ['', 'two words', '/a', 'a'.repeat(51)])
      expect(Object.keys(await issuesOf({ shortcut }))).toEqual(['shortcut']);
    const other = await server.tenant();
    expect((await other.post('/v3/saved_replies', { shortcut: 'hours', text: 'x' })).status).toBe(200);
  });

  it('keeps its files when a contact to whom they were sent is erased', async () => {
    const file = (await upload(tenant, 'prices\n', 'prices.txt')).body.data;
    const other = (await upload(tenant, 'for Ada\n', 'ada.txt')).body.data;
    await make({ media: [{ fileId: file.id }] });
    const { channelId, contactId } = (await tenant.get(`/v3/chats/${await chatWith('Ada')}`)).body.data;
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'Prices?' });
    await server.settle();
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    for (const fileId of [file.id, other.id])
      expect((await tenant.post(`/v3/chats/${chat.id}/messages`, { media: [{ fileId }] })).status).toBe(200);
    await server.settle();
    expect((await tenant.delete(`/v3/contacts/${contactId}`)).status).toBe(200);
    await server.settle();
    expect((await tenant.get(`/v3/files/${other.id}`)).status).toBe(404);
    expect((await tenant.get(`/v3/files/${file.id}`)).status).toBe(200);
  });

  it('is refused with everything that is wrong, and nothing is stored', async () => {
    const file = (await upload(await server.tenant(), 'x', 'a.txt')).body.data;
    expect(
      await issuesOf({
        text: 'Hello {{ contcat.firstName }}',
        media: [{ fileId: file.id }],
        channelIds: [UNKNOWN],
      }),
    ).toEqual({
      text: 'There is no "contcat"; did you mean "contact"?',
      'media.0.fileId': `There is no file ${file.id}`,
      'channelIds.0': `There is no channel ${UNKNOWN}`,
    });
    expect(Object.keys(await issuesOf({ media: { fileId: file.id } }))).toEqual(['media.fileId']);
    for (const text of [
      '{% for a in (1..9999) %}{% for b in (1..9999) %}x{% endfor %}{% endfor %}',
      '{{ contact.firstName | replace: "a", "aaaaaaaa" }}',
      '{% assign a = "x" %}{{ a }}',
      '{{ contact.firstName',
    ])
      expect(Object.keys(await issuesOf({ text }))).toEqual(['text']);
    expect((await tenant.post('/v3/saved_replies/search', {})).body.pagination.total).toBe(0);
  });
});

describe('a rendered saved reply', () => {
  const render = (savedReplyId: string, chatId: string) =>
    tenant.post(`/v3/saved_replies/${savedReplyId}/render`, { chatId });

  it('has the values of the contact and of the caller', async () => {
    await tenant.post('/v3/attributes', { name: 'City', externalId: 'city' });
    const { id } = (
      await make({
        text: 'Hello {{ contact.firstName }}{% if attributes.city %} in {{ attributes.city }}{% endif %}, this is {{ user.name }}.',
      })
    ).body.data;
    const chatId = await chatWith('Ada');
    const agent = await usePerson(server, tenant, 'agent');
    const answer = await agent.post(`/v3/saved_replies/${id}/render`, { chatId });
    const { name } = (await tenant.get(`/v3/users/${agent.userId}`)).body.data;
    expect(answer.body.data).toEqual({ text: `Hello Ada, this is ${name}.` });
    // What the contact is called is a value, and never Liquid.
    const hostile = await chatWith('{{ user.name }}', '+15550002222');
    expect((await render(id, hostile)).body.data.text).toContain('Hello {{ user.name }}, this is');
  });

  it('of other channels does not exist for a user who is restricted to teams', async () => {
    const [own, other] = [await tenant.channel(), await tenant.channel('sms')];
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Sales', userIds: [agent.userId], channelIds: [own.id] });
    const idOf = async (shortcut: string, channelIds: string[]): Promise<string> =>
      (await make({ shortcut, channelIds })).body.data.id;
    const shown = [
      await idOf('all', []),
      await idOf('own', [own.id]),
      await idOf('both', [own.id, other.id]),
    ];
    const hidden = await idOf('other', [other.id]);
    const status = async (id: string) => (await agent.get(`/v3/saved_replies/${id}`)).status;
    expect(await Promise.all([...shown, hidden].map(status))).toEqual([200, 200, 200, 404]);
    const found = (await agent.post('/v3/saved_replies/search', {})).body.data;
    expect(found.map(({ id }: { id: string }) => id).sort()).toEqual(shown.sort());
    expect((await agent.call('PUT', `/v3/saved_replies/${hidden}`, { body: { text: 'Mine' } })).status).toBe(
      404,
    );
    expect((await agent.call('DELETE', `/v3/saved_replies/${hidden}`)).body.data.notFoundIds).toEqual([
      hidden,
    ]);
    expect((await tenant.get(`/v3/saved_replies/${hidden}`)).body.data.text).toBe(
      'We are here from 9 to 17.',
    );
  });

  it('needs a chat that the user sees', async () => {
    const { id } = (await make({ text: 'Hello {{ contact.firstName }}' })).body.data;
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    const hidden = await chatWith('Ada');
    const answers = [hidden, UNKNOWN].map(async (chatId) => {
      const { status, body } = await agent.post(`/v3/saved_replies/${id}/render`, { chatId });
      return [status, JSON.stringify({ ...body.error, requestId: null }).replaceAll(chatId, 'id')];
    });
    const [one, other] = await Promise.all(answers);
    expect(one).toEqual(other);
    expect(one?.[1]).not.toContain('Ada');
  });

  it('needs a chat that exists', async () => {
    const { id } = (await make()).body.data;
    expect((await render(id, UNKNOWN)).body.error.invalidParams).toEqual({
      chatId: { key: 'custom', message: `There is no chat ${UNKNOWN}` },
    });
    const chatId = await chatWith('Ada');
    expect((await render(UNKNOWN, chatId)).body.error.messageKey).toBe('saved_reply_not_found');
    expect((await render(id, chatId)).body.data).toEqual({ text: 'We are here from 9 to 17.' });
  });
});
