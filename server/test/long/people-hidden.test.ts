import { beforeAll, describe, expect, it } from 'vitest';
import { roleScopes } from '../../src/users/roles.ts';
import { automationOf } from '../kit/automations.ts';
import { automationOf as campaignAutomation } from '../kit/campaigns.ts';
import { useEventStream } from '../kit/event-client.ts';
import { upload } from '../kit/files.ts';
import { OWN_PAGE, type TestPerson, usePerson } from '../kit/people.ts';
import { QUESTIONS } from '../kit/questions.ts';
import { paramsOf, pathOf } from '../kit/route-calls.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { app, db } = server.system;
/** In everything that is written, sent or stored in the channel that the agent does not see. */
const MARKER = 'zzhiddenzz';
/** Definitions are for everybody who reads automations, and name channels. */
const DEFINITIONS = /^(?:get|search)Automation(?:s|Version|Versions)?$/;

let tenant: TestTenant;
let agent: TestPerson;
let own: string;
let hidden: string;
let contactId: string;
/** Every id of what belongs to the hidden channel. */
let hiddenIds: string[];
/** Every id that there is, by the name of a parameter. */
const known: Record<string, string[]> = {};
let heard: () => string;

const idsOf = async (sql: string): Promise<string[]> =>
  (await db.query(sql, [tenant.id])).rows.map(({ id }) => String(id));

/** Everything that can happen in a channel, to a person who also writes to the agent's own one. */
async function converse(): Promise<void> {
  const from = '+15550001111';
  const write = async (channelId: string, text: string, more: object = {}) => {
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text, ...more });
    await server.settle();
  };
  const labelId = (await tenant.post('/v3/labels', { name: 'vip' })).body.data.id;
  await automationOf(tenant, {
    name: 'Answer',
    trigger: { type: 'message_received', parameters: { channelId: hidden } },
    steps: [
      { id: 'label', type: 'add_label', parameters: { labelId } },
      { id: 'hi', type: 'send_message', parameters: { text: 'Re: {{ message.text }}' } },
      { id: 'ask', type: 'wait_for_reply', parameters: { timeout: 'PT1H' } },
    ],
  });
  await automationOf(tenant, {
    name: 'Second',
    trigger: { type: 'label_added', parameters: { labelId, fromAutomations: true } },
    steps: [{ id: 'hi', type: 'send_message', parameters: { channelId: hidden, text: 'Welcome' } }],
  });
  await write(own, 'for us');
  await write(hidden, `${MARKER} first`);
  await write(hidden, `${MARKER} second`);
  contactId = (await tenant.post('/v3/contacts/search', { query: `eq(phoneNumber,"${from}")` })).body.data[0]
    .id;
  const [chat] = (await tenant.post('/v3/chats/search', { query: `eq(channelId,"${hidden}")` })).body.data;
  const file = (await upload(tenant, 'prices', `${MARKER}.txt`)).body.data.id;
  await tenant.post(`/v3/chats/${chat.id}/messages`, { media: { fileId: file }, text: MARKER });
  // The agent is mentioned in a chat that is not visible to the agent.
  await tenant.post(`/v3/chats/${chat.id}/notes`, { text: MARKER, mentionedUserIds: [agent.userId] });
  await tenant.post(`/v3/chats/${chat.id}/assignment`, { userId: agent.userId });
  await tenant.post('/v3/message_templates', {
    channelId: hidden,
    name: `${MARKER}_template`,
    language: 'en',
    body: MARKER,
  });
  await tenant.post('/v3/saved_replies', { shortcut: MARKER, text: MARKER, channelIds: [hidden] });
  await tenant.post('/v3/campaigns', {
    channelId: hidden,
    name: MARKER,
    automationId: await campaignAutomation(tenant, {
      steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Sale' } }],
    }),
    contacts: [{ phoneNumber: from }],
  });
  await server.settle();
  await tenant.post('/v3/chats/bulk', { ids: [chat.id], action: { type: 'status', status: 'closed' } });
  await write(hidden, `${MARKER} third`);
  await write(hidden, 'STOP');
  // Somebody else is the same person: their chats become one.
  await tenant.post(`/v3/sandbox/${hidden}/inbound`, { from: '+15550001112', text: `${MARKER} other` });
  await server.settle();
  const [other] = (await tenant.post('/v3/contacts/search', { query: 'eq(phoneNumber,"+15550001112")' })).body
    .data;
  await tenant.post(`/v3/contacts/${contactId}/merge`, { fromContactId: other.id });
  await server.settle();
}

async function collectIds(): Promise<void> {
  hiddenIds = [hidden];
  for (const table of ['chats', 'messages', 'campaigns', 'message_templates'])
    hiddenIds.push(
      ...(await idsOf(`select id from ${table} where tenant_id = $1 and channel_id = '${hidden}'`)),
    );
  hiddenIds.push(
    ...(await idsOf('select n.id from notes n where n.tenant_id = $1')),
    ...(await idsOf(`select r.id from automation_runs r where r.tenant_id = $1 and r.chat_id is not null`)),
    ...(await idsOf('select f.id from files f where f.tenant_id = $1')),
    ...(await idsOf(
      `select (d ->> 'chatId') as id from events e, jsonb_array_elements(e.data::jsonb -> 'mergedChats') d
        where e.tenant_id = $1 and e.type = 'contact.merged'`,
    )),
  );
  known.contactId = [contactId];
  known.automationId = await idsOf('select id from automations where tenant_id = $1');
  known.eventId = await idsOf('select id from events where tenant_id = $1');
  known.jobId = await idsOf('select id from jobs where tenant_id = $1');
  known.traceId = [
    ...known.eventId,
    ...(await idsOf('select id from messages where tenant_id = $1')),
    ...(await idsOf('select id from automation_runs where tenant_id = $1')),
  ];
  for (const [name, table] of Object.entries({
    chatId: 'chats',
    messageId: 'messages',
    runId: 'automation_runs',
    campaignId: 'campaigns',
    messageTemplateId: 'message_templates',
    savedReplyId: 'saved_replies',
    channelId: 'channels',
    fileId: 'files',
    labelId: 'labels',
    userId: 'users',
    teamId: 'teams',
  }))
    known[name] = await idsOf(`select id from ${table} where tenant_id = $1`);
}

beforeAll(async () => {
  tenant = await server.tenant();
  [own, hidden] = [(await tenant.channel()).id, (await tenant.channel()).id];
  agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
  await tenant.post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own] });
  const stream = await useEventStream(app.server, {
    query: `?tenantId=${tenant.id}`,
    headers: { ...OWN_PAGE, cookie: `__Host-parley=${agent.cookie}` },
  });
  heard = stream.text;
  await converse();
  await collectIds();
}, 120_000);

/** The hidden things in a text, less the id that was asked for. */
const found = (text: string, asked = ''): string[] =>
  [MARKER, ...hiddenIds].filter((one) => one !== asked && text.includes(one));

describe('A1: a user who is restricted to teams', () => {
  it('has something to find: owners see all of it', async () => {
    const messages = await tenant.post('/v3/messages/search', { pagination: { limit: 100 } });
    expect(found(messages.text).length).toBeGreaterThan(5);
    expect(new Set(hiddenIds).size).toBeGreaterThan(12);
    const types = new Set(
      (await db.query('select distinct type from events where tenant_id = $1', [tenant.id])).rows.map(
        ({ type }) => type,
      ),
    );
    for (const type of ['contact.merged', 'note.created', 'contact.unsubscribed', 'campaign.started'])
      expect(types).toContain(type);
  });

  it('finds nothing hidden behind any id, on any route that answers a question', async () => {
    const scopes: readonly string[] = roleScopes.agent;
    const routes = app.routes.filter(
      ({ spec, kind }) =>
        spec.path.startsWith('/v3/') &&
        kind !== 'stream' &&
        (spec.access === 'token' || scopes.includes(spec.access)) &&
        (spec.method === 'GET' || QUESTIONS.test(spec.path)),
    );
    const leaks: string[] = [];
    for (const { spec, ...route } of routes) {
      const [name, ...rest] = paramsOf({ spec, ...route } as never);
      if (rest.length > 0) continue;
      for (const id of name === undefined ? [''] : (known[name] ?? [])) {
        const isSearch = spec.path.endsWith('/search');
        const answer = await agent.call(
          spec.method,
          pathOf({ spec, ...route } as never, () => id),
          spec.method === 'GET' ? {} : { body: isSearch ? { pagination: { limit: 100 } } : {} },
        );
        for (const one of found(answer.text, id))
          if (one !== hidden || !DEFINITIONS.test(spec.operationId)) leaks.push(`${spec.operationId} ${one}`);
      }
    }
    expect(leaks).toEqual([]);
  });

  it('finds nothing hidden in explanations of any event or message', async () => {
    const leaks: string[] = [];
    for (const [name, ids] of [
      ['eventId', known.eventId ?? []],
      ['messageId', known.messageId ?? []],
    ] as const)
      for (const id of ids) {
        const answer = await agent.post('/v3/automations/explain', { [name]: id });
        for (const one of found(answer.text, id)) leaks.push(`${id} ${one}`);
      }
    expect(leaks).toEqual([]);
  });

  it('hears nothing hidden in the stream', async () => {
    await expect.poll(() => heard()).toContain('for us');
    expect(found(heard())).toEqual([]);
  });

  it('finds nothing hidden by words: neither rows nor their number', async () => {
    for (const path of ['messages', 'chats', 'events', 'automation_runs', 'campaigns', 'notifications']) {
      const { body } = await agent.post(`/v3/${path}/search`, { search: MARKER });
      if (body.error === undefined) expect([path, body.pagination.total]).toEqual([path, 0]);
    }
  });
});
