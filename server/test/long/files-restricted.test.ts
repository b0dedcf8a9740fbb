import { beforeAll, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { useEventStream } from '../kit/event-client.ts';
import { form } from '../kit/files.ts';
import { OWN_PAGE, type TestPerson, usePerson } from '../kit/people.ts';
import { openChat, type TestChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let agent: TestPerson;
let colleague: TestPerson;
let ownChat: TestChat;
let hiddenChat: TestChat;
let heard: () => string;
/** The ids of files by what they are called. */
const ids: Record<string, string> = {};

type Uploader = Pick<TestPerson, 'call'> | TestTenant;

async function uploadAs(person: Uploader, name: string): Promise<string> {
  const { raw, headers } = form({ content: `secret of ${name}`, filename: `${name}.txt` });
  const answer = await person.call('POST', '/v3/files', { raw, headers });
  expect([name, answer.status]).toEqual([name, 200]);
  ids[name] = answer.body.data.id;
  return answer.body.data.id;
}

const sendIn = async (chat: TestChat, fileId: string): Promise<void> => {
  const sent = await tenant.post(`/v3/chats/${chat.id}/messages`, { media: { fileId } });
  expect(sent.status).toBe(200);
};
const inCampaign = async (chat: TestChat, fileId: string, contacts?: object[]): Promise<void> => {
  const made = await tenant.post('/v3/campaigns', {
    channelId: chat.channelId,
    name: 'Sale',
    message: { text: 'Sale', media: { fileId } },
    ...(contacts === undefined
      ? { isScheduled: true, scheduledAt: '2027-01-02T00:00:00.000Z', contacts: [] }
      : { contacts }),
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
};
const inReply = async (channelIds: string[], fileId: string): Promise<void> => {
  const made = await tenant.post('/v3/saved_replies', {
    shortcut: `r${fileId.slice(-8)}`,
    text: 'Here you are',
    media: [{ fileId }],
    channelIds,
  });
  expect(made.status).toBe(200);
};

const VISIBLE = [
  'mine',
  'mine-in-hidden-chat',
  'theirs-in-own-chat',
  'theirs-in-own-campaign',
  'theirs-in-own-reply',
  'theirs-in-reply-for-all',
  'theirs-in-automation',
];
const HIDDEN = [
  'theirs',
  'of-token',
  'theirs-in-hidden-chat',
  'theirs-in-hidden-campaign',
  'theirs-in-started-campaign',
  'theirs-in-hidden-reply',
];

beforeAll(async () => {
  tenant = await server.tenant();
  [ownChat, hiddenChat] = [
    await openChat(server, tenant, await tenant.channel()),
    await openChat(server, tenant, await tenant.channel()),
  ];
  agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
  colleague = await usePerson(server, tenant, 'agent');
  await tenant.post('/v3/teams', {
    name: 'Own',
    userIds: [agent.userId],
    channelIds: [ownChat.channelId],
  });
  const stream = await useEventStream(server.system.app.server, {
    query: `?tenantId=${tenant.id}`,
    headers: { ...OWN_PAGE, cookie: `__Host-parley=${agent.cookie}` },
  });
  heard = stream.text;
  await uploadAs(agent, 'mine');
  await sendIn(hiddenChat, await uploadAs(agent, 'mine-in-hidden-chat'));
  await uploadAs(colleague, 'theirs');
  await uploadAs(tenant, 'of-token');
  await sendIn(ownChat, await uploadAs(colleague, 'theirs-in-own-chat'));
  await sendIn(hiddenChat, await uploadAs(colleague, 'theirs-in-hidden-chat'));
  await inCampaign(ownChat, await uploadAs(colleague, 'theirs-in-own-campaign'));
  await inCampaign(hiddenChat, await uploadAs(colleague, 'theirs-in-hidden-campaign'));
  // Its message is stored as an automation that nobody sees, and sent in a hidden chat.
  await inCampaign(hiddenChat, await uploadAs(tenant, 'theirs-in-started-campaign'), [
    { phoneNumber: '+15550002345' },
  ]);
  await inReply([ownChat.channelId, hiddenChat.channelId], await uploadAs(colleague, 'theirs-in-own-reply'));
  await inReply([], await uploadAs(colleague, 'theirs-in-reply-for-all'));
  await inReply([hiddenChat.channelId], await uploadAs(colleague, 'theirs-in-hidden-reply'));
  const fileId = await uploadAs(colleague, 'theirs-in-automation');
  await automationOf(tenant, {
    steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Hi', media: { fileId } } }],
  });
  await server.settle();
  await tenant.post(`/v3/chats/${ownChat.id}/notes`, { text: 'the end of the stream' });
  await server.settle();
}, 120_000);

const read = (person: Uploader, name: string, part = '') =>
  person.call('GET', `/v3/files/${ids[name]}${part}`);

describe('a user who is restricted to teams', () => {
  it.each([
    ['mine', 200],
    ['theirs', 400],
  ])('tries an automation with the file "%s": %i', async (name, status) => {
    const automationId = await automationOf(tenant);
    const media = { fileId: ids[name] };
    const steps = [{ id: 'hi', type: 'send_message', parameters: { text: 'Hi', media } }];
    const definition = { trigger: { type: 'api' }, steps };
    const path = `/v3/automations/${automationId}/dry_run`;
    const answer = await agent.call('POST', path, {
      body: { contactId: ownChat.contactId, chatId: ownChat.id, definition },
    });
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  });

  it.each(VISIBLE)('reads the file "%s"', async (name) => {
    for (const part of ['', '/content', '/public_url'])
      expect([part, (await read(agent, name, part)).status]).toEqual([part, 200]);
    expect((await read(agent, name, '/content')).text).toBe(`secret of ${name}`);
  });

  it.each(HIDDEN)('finds the file "%s" nowhere', async (name) => {
    for (const part of ['', '/content', '/public_url']) {
      const answer = await read(agent, name, part);
      expect([part, answer.status, answer.body.error?.key ?? answer.body.error]).toEqual([
        part,
        404,
        expect.anything(),
      ]);
      expect(answer.text).not.toContain('secret of');
    }
    const upper = ids[name]?.toUpperCase();
    expect((await agent.call('GET', `/v3/files/${upper}/content`)).status).toBe(404);
    expect((await read(colleague, name, '/content')).text).toBe(`secret of ${name}`);
  });

  it.each(HIDDEN)('cannot send, keep or delete the file "%s"', async (name) => {
    const fileId = ids[name];
    const sent = await agent.post(`/v3/chats/${ownChat.id}/messages`, { media: { fileId } });
    expect([sent.status, Object.keys(sent.body.error.invalidParams ?? {})]).toEqual([400, ['media.fileId']]);
    const many = await agent.post(`/v3/chats/${ownChat.id}/messages`, {
      media: [{ fileId: ids.mine }, { fileId }],
    });
    expect(many.status).toBe(400);
    const preview = await agent.post('/v3/imports/examine', { fileId });
    expect([400, 404]).toContain(preview.status);
    const removed = await agent.call('DELETE', `/v3/files/${fileId}`);
    expect(removed.body.data.notFoundIds).toEqual([fileId]);
    expect((await read(colleague, name)).status).toBe(200);
  });

  it('finds in a search what the user may read, and counts nothing else', async () => {
    const { data, pagination } = (await agent.post('/v3/files/search', { pagination: { limit: 100 } })).body;
    const names = data.map(({ filename }: { filename: string }) => filename.replace('.txt', ''));
    expect(names.sort()).toEqual([...VISIBLE].sort());
    expect(pagination.total).toBe(VISIBLE.length);
    for (const query of [`eq(id,"${ids.theirs}")`, 'eq(filename,"theirs.txt")']) {
      const found = (await agent.post('/v3/files/search', { query })).body;
      expect([found.data, found.pagination.total]).toEqual([[], 0]);
    }
    const all = (await colleague.post('/v3/files/search', { pagination: { limit: 100 } })).body;
    expect(all.pagination.total).toBe(VISIBLE.length + HIDDEN.length);
  });

  it('hears nothing of uploads, neither in the stream nor in a search of events', async () => {
    await expect.poll(heard, { timeout: 30_000 }).toContain('the end of the stream');
    const events = (await agent.post('/v3/events/search', { pagination: { limit: 100 } })).text;
    for (const name of HIDDEN)
      for (const text of [heard(), events]) {
        expect(text).not.toContain(ids[name]);
        expect(text).not.toContain(`${name}.txt`);
      }
    const theirs = await colleague.post('/v3/events/search', { query: 'eq(type,"file.created")' });
    expect(theirs.body.pagination.total).toBe(VISIBLE.length + HIDDEN.length);
  });

  it('loses what was sent in a channel together with that channel, and keeps own uploads', async () => {
    const other = await usePerson(server, tenant, 'agent', { access: 'teams' });
    const team = await tenant.post('/v3/teams', {
      name: 'Other',
      userIds: [other.userId],
      channelIds: [hiddenChat.channelId],
    });
    const own = await uploadAs(other, 'of-other');
    expect((await read(other, 'theirs-in-hidden-chat')).status).toBe(200);
    await tenant.call('PUT', `/v3/teams/${team.body.data.id}`, { body: { channelIds: [] } });
    await expect
      .poll(async () => (await read(other, 'theirs-in-hidden-chat')).status, { timeout: 30_000 })
      .toBe(404);
    expect((await other.call('GET', `/v3/files/${own}/content`)).text).toBe('secret of of-other');
  });
});
