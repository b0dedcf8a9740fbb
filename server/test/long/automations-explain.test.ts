import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { usePerson } from '../kit/people.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const FROM = '+15550001111';

let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

const write = async (text: string, over = channel): Promise<string> => {
  await tenant.post(`/v3/sandbox/${over.id}/inbound`, { from: FROM, text });
  await server.settle();
  return (await tenant.post('/v3/messages/search', { query: 'eq(sender,"inbound")' })).body.data[0].id;
};
const post = async (path: string, body: object = {}) => {
  const answer = await tenant.post(path, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  await server.settle();
  return answer.body.data;
};
const explain = (body: object, by: Pick<TestTenant, 'post'> = tenant): Promise<Answer> =>
  by.post('/v3/automations/explain', body);
interface Explained {
  automationId: string;
  versionId: string | null;
  started: boolean;
  runId: string | null;
  continuedRunId: string | null;
  reasons: { code: string; message: string }[];
}
/** What is said about one automation. */
const about = async (automationId: string, body: object): Promise<Explained> => {
  const answer = await explain(body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data.find((one: Explained) => one.automationId === automationId);
};
const lastEvent = async (type: string): Promise<string> =>
  (await tenant.post('/v3/events/search', { query: `eq(type,"${type}")` })).body.data[0].id;
const onMessage = (parameters: object = {}, more: object = {}, options = {}) =>
  automationOf(tenant, { trigger: { type: 'message_received', parameters }, ...more }, options);
const theChat = async () => (await tenant.post('/v3/chats/search', {})).body.data[0];
const userOf = async (): Promise<string> =>
  (await post('/v3/users', { name: 'Grace Hopper', email: 'grace@example.com', role: 'agent' })).id;
const versionsOf = async (id: string) => (await tenant.get(`/v3/automations/${id}`)).body.data;

describe('an automation that started', () => {
  it('is named with its run and the version that was in force', async () => {
    const id = await onMessage({ keywords: ['hello'] });
    const messageId = await write('Hello there');
    const { data } = (await explain({ messageId })).body;
    const eventId = await lastEvent('message.received');
    const [run] = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    expect(data).toEqual([
      {
        automationId: id,
        name: 'Smallest',
        eventId,
        started: true,
        runId: run.id,
        continuedRunId: null,
        versionId: run.versionId,
        reasons: [],
      },
    ]);
    expect((await explain({ eventId })).body.data).toEqual(data);
  });

  it('stays so, whatever becomes of it later', async () => {
    const id = await onMessage();
    const { activeVersionId } = await versionsOf(id);
    const messageId = await write('hello');
    await tenant.put(`/v3/automations/${id}`, { trigger: { type: 'api' } });
    await post(`/v3/automations/${id}/publish`);
    await post(`/v3/automations/${id}/status`, { status: 'archived' });
    expect(await about(id, { messageId })).toMatchObject({ started: true, versionId: activeVersionId });
  });
});

describe('a message that was the reply for which a run waited', () => {
  const asking = [
    { id: 'ask', type: 'send_message', parameters: { text: 'Which size?' } },
    { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
  ];
  const runs = async () =>
    (await tenant.post('/v3/automation_runs/search', { sortBy: 'asc(createdAt)' })).body.data;

  it('names the run that went on, also of an automation with another trigger, and of a version before', async () => {
    const id = await automationOf(tenant, { trigger: { type: 'chat_opened' }, steps: asking });
    const other = await onMessage({ keywords: ['menu'] });
    const firstId = await write('hello');
    await tenant.put(`/v3/automations/${id}`, { trigger: { type: 'api' } });
    await post(`/v3/automations/${id}/publish`);
    const messageId = await write('large');
    const [run] = await runs();
    expect(run.status).toBe('completed');
    expect(await about(id, { messageId })).toMatchObject({
      started: false,
      runId: null,
      continuedRunId: run.id,
      reasons: [{ code: 'other_trigger' }],
    });
    expect(await about(other, { messageId })).toMatchObject({
      continuedRunId: null,
      reasons: [{ code: 'no_keyword' }],
    });
    expect(await about(id, { eventId: await lastEvent('message.received') })).toMatchObject({
      continuedRunId: run.id,
    });
    // The message that opened the chat was no reply.
    expect(await about(id, { messageId: firstId })).toMatchObject({
      started: true,
      runId: run.id,
      continuedRunId: null,
    });
  });

  it('can also start the same automation, and then names both runs', async () => {
    const id = await onMessage({}, { steps: asking });
    await write('hello');
    const messageId = await write('large');
    const [first, second] = await runs();
    expect(await about(id, { messageId })).toMatchObject({
      started: true,
      runId: second.id,
      continuedRunId: first.id,
      reasons: [],
    });
  });

  it('says so to no other tenant', async () => {
    const id = await automationOf(tenant, { trigger: { type: 'chat_opened' }, steps: asking });
    await write('hello');
    const messageId = await write('large');
    const other = await server.tenant();
    expect((await explain({ messageId }, other)).body.error.messageKey).toBe('message_not_found');
    expect((await about(id, { messageId })).continuedRunId).not.toBeNull();
  });
});

describe('an automation that did not start says', () => {
  it('not_active: it was a draft, inactive or archived', async () => {
    const draft = await onMessage({}, {}, { published: false });
    const inactive = await onMessage();
    await post(`/v3/automations/${inactive}/status`, { status: 'inactive' });
    const messageId = await write('hello');
    // Made active since then: that was not so at the time.
    await post(`/v3/automations/${inactive}/status`, { status: 'active' });
    expect(await about(draft, { messageId })).toMatchObject({
      started: false,
      reasons: [{ code: 'not_active' }],
    });
    expect(await about(inactive, { messageId })).toMatchObject({
      reasons: [{ code: 'not_active' }],
      versionId: null,
    });
  });

  it('published_later: it was published after the event', async () => {
    const messageId = await write('hello');
    const id = await onMessage();
    expect(await about(id, { messageId })).toMatchObject({
      reasons: [{ code: 'published_later' }],
      versionId: null,
    });
  });

  it('other_trigger: that of the version that was in force then', async () => {
    const id = await automationOf(tenant, { trigger: { type: 'chat_closed' } });
    const { activeVersionId } = await versionsOf(id);
    const messageId = await write('hello');
    await tenant.put(`/v3/automations/${id}`, { trigger: { type: 'message_received' } });
    await post(`/v3/automations/${id}/publish`);
    expect(await about(id, { messageId })).toMatchObject({
      reasons: [{ code: 'other_trigger' }],
      versionId: activeVersionId,
    });
  });

  it('other_trigger: nothing starts with an event of this type', async () => {
    const id = await onMessage();
    await write('hello');
    const { chatId } = (await tenant.post('/v3/messages/search', {})).body.data[0];
    await post(`/v3/chats/${chatId}/messages`, { text: 'Hi' });
    expect(await about(id, { eventId: await lastEvent('message.sent') })).toMatchObject({
      reasons: [{ code: 'other_trigger' }],
    });
  });

  it('triggers_off: the chat was closed without automations', async () => {
    const id = await automationOf(tenant, { trigger: { type: 'chat_closed' } });
    await write('hello');
    const chat = await theChat();
    await post(`/v3/chats/${chat.id}/status`, { status: 'closed' });
    expect(await about(id, { eventId: await lastEvent('chat.status_changed') })).toMatchObject({
      reasons: [{ code: 'triggers_off' }],
    });
  });

  it('other_channel: it is for another one', async () => {
    const other = await tenant.channel();
    const id = await onMessage({ channelId: other.id });
    expect(await about(id, { messageId: await write('hello') })).toMatchObject({
      reasons: [{ code: 'other_channel' }],
    });
  });

  it('no_keyword: by the text that was written, also if it was edited since', async () => {
    const id = await onMessage({ keywords: ['menu', 'price'] });
    const messageId = await write('hello');
    await db.query(`update messages set text = 'menu' where id = $1`, [messageId]);
    expect(await about(id, { messageId })).toMatchObject({ reasons: [{ code: 'no_keyword' }] });
  });

  it('no_keyword: in a sensitive chat, whose events have no texts', async () => {
    const [hello, menu] = [await onMessage({ keywords: ['hello'] }), await onMessage({ keywords: ['menu'] })];
    await write('first');
    const chat = await theChat();
    await tenant.put(`/v3/chats/${chat.id}`, { isSensitive: true });
    const messageId = await write('hello');
    expect(await about(hello, { messageId })).toMatchObject({ started: true });
    expect(await about(menu, { messageId })).toMatchObject({ reasons: [{ code: 'no_keyword' }] });
  });

  it('other_label: another one was added', async () => {
    const [gold, silver] = [
      await post('/v3/labels', { name: 'gold' }),
      await post('/v3/labels', { name: 'silver' }),
    ];
    const onLabel = (labelId: string) =>
      automationOf(tenant, { trigger: { type: 'label_added', parameters: { labelId } } });
    const [forGold, forSilver] = [await onLabel(gold.id), await onLabel(silver.id)];
    const contact = await post('/v3/contacts', { phoneNumber: FROM });
    await post(`/v3/contacts/${contact.id}/labels`, { labels: [{ id: gold.id }] });
    const eventId = await lastEvent('contact.labels_added');
    expect(await about(forGold, { eventId })).toMatchObject({ started: true });
    expect(await about(forSilver, { eventId })).toMatchObject({ reasons: [{ code: 'other_label' }] });
  });

  it('from_automation: a run caused the event', async () => {
    const label = await post('/v3/labels', { name: 'gold' });
    await onMessage({}, { steps: [{ id: 'add', type: 'add_label', parameters: { labelId: label.id } }] });
    const parameters = { labelId: label.id };
    const id = await automationOf(tenant, { trigger: { type: 'label_added', parameters } });
    await write('hello');
    expect(await about(id, { eventId: await lastEvent('contact.labels_added') })).toMatchObject({
      reasons: [{ code: 'from_automation' }],
    });
  });

  it('automatic_mail: a machine wrote the message', async () => {
    const mail = await tenant.channel('email');
    const id = await onMessage();
    const body = await sandboxBody(
      { id: mail.id, kind: 'email' },
      { id: 'note', from: 'ada@example.com', at: server.clock.now(), text: 'I am away' },
    );
    const automatic = Buffer.concat([Buffer.from('Auto-Submitted: auto-replied\r\n'), body]);
    await storeInbound(db.forTenant(tenant.id), mail.id, [automatic]);
    await server.settle();
    expect(await about(id, { eventId: await lastEvent('message.received') })).toMatchObject({
      started: false,
      reasons: [{ code: 'automatic_mail' }],
    });
  });

  it('assigned_to_user: a person had the chat at that moment, and nobody afterwards', async () => {
    const [polite, eager] = [await onMessage(), await onMessage({ evenIfAssigned: true })];
    const picky = await onMessage({ keywords: ['menu'] });
    await write('first');
    const chat = await theChat();
    await post(`/v3/chats/${chat.id}/assignment`, { userId: await userOf() });
    const messageId = await write('hello');
    await post(`/v3/chats/${chat.id}/assignment`, { userId: null });
    expect(await about(polite, { messageId })).toMatchObject({
      reasons: [{ code: 'assigned_to_user' }],
      runId: null,
    });
    expect(await about(eager, { messageId })).toMatchObject({ started: true });
    expect(await about(picky, { messageId })).toMatchObject({ reasons: [{ code: 'no_keyword' }] });
  });

  it('paused: automations were paused by hand at that moment', async () => {
    const id = await onMessage({ evenIfAssigned: true });
    await write('first');
    const chat = await theChat();
    await post(`/v3/chats/${chat.id}/automation`, { isPaused: true });
    const messageId = await write('hello');
    await post(`/v3/chats/${chat.id}/automation`, { isPaused: false });
    expect(await about(id, { messageId })).toMatchObject({ reasons: [{ code: 'paused' }] });
  });

  it('unsubscribed: the message was an opt-out', async () => {
    const id = await onMessage();
    expect(await about(id, { messageId: await write('STOP') })).toMatchObject({
      reasons: [{ code: 'unsubscribed' }],
    });
  });

  it('missing_variables: with the run that failed at once', async () => {
    const id = await onMessage({}, { variables: [{ name: 'plan', type: 'string', required: true }] });
    const messageId = await write('hello');
    const [run] = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    expect(run.status).toBe('failed');
    expect(await about(id, { messageId })).toMatchObject({
      started: false,
      runId: run.id,
      reasons: [{ code: 'missing_variables' }],
    });
  });

  it('chain_too_deep: eleven runs had started each other', async () => {
    const label = await post('/v3/labels', { name: 'gold' });
    const parameters = { labelId: label.id };
    const id = await automationOf(tenant, {
      trigger: { type: 'label_added', parameters: { ...parameters, fromAutomations: true } },
      steps: [
        { id: 'remove', type: 'remove_label', parameters },
        { id: 'add', type: 'add_label', parameters },
      ],
    });
    const contact = await post('/v3/contacts', { phoneNumber: FROM });
    await post(`/v3/contacts/${contact.id}/labels`, { labels: [{ id: label.id }] });
    const [run] = (await tenant.post('/v3/automation_runs/search', { query: 'eq(status,"failed")' })).body
      .data;
    expect(await about(id, { eventId: await lastEvent('contact.labels_added') })).toMatchObject({
      reasons: [{ code: 'chain_too_deep' }],
      runId: run.id,
    });
  });
});

describe('a request to explain', () => {
  it.each([
    ['neither an event nor a message', {}, 'eventId'],
    ['both', { eventId: UNKNOWN, messageId: UNKNOWN }, 'messageId'],
    ['an id that is none', { eventId: 'x' }, 'eventId'],
    ['an unknown key', { eventId: UNKNOWN, id: UNKNOWN }, 'id'],
  ])('with %s is refused', async (_what, body, path) => {
    const { status, body: answer } = await explain(body);
    expect([status, Object.keys(answer.error.invalidParams)]).toEqual([400, [path]]);
  });

  it('does not find what is unknown, or belongs to another tenant', async () => {
    const messageId = await write('hello');
    const eventId = await lastEvent('message.received');
    const other = await server.tenant();
    for (const by of [other, tenant]) {
      const ids = by === other ? { eventId, messageId } : { eventId: UNKNOWN, messageId: UNKNOWN };
      expect((await explain({ eventId: ids.eventId }, by)).body.error.messageKey).toBe('event_not_found');
      expect((await explain({ messageId: ids.messageId }, by)).body.error.messageKey).toBe(
        'message_not_found',
      );
    }
  });

  it('names no message of the business', async () => {
    await write('hello');
    const chat = await theChat();
    const { id } = await post(`/v3/chats/${chat.id}/messages`, { text: 'Hi' });
    expect(Object.keys((await explain({ messageId: id })).body.error.invalidParams)).toEqual(['messageId']);
  });

  it('is for some automations only, if it names them, and not for those of another tenant', async () => {
    const [first] = [await onMessage(), await onMessage()];
    const foreign = await automationOf(await server.tenant());
    const messageId = await write('hello');
    const { data } = (await explain({ messageId, automationIds: [first, foreign] })).body;
    expect(data).toMatchObject([{ automationId: first, started: true }]);
  });

  it('does not show events of channels that an agent does not see', async () => {
    const own = await tenant.channel();
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    const messageId = await write('hello');
    const eventId = await lastEvent('message.received');
    expect((await explain({ eventId }, agent)).body.error.messageKey).toBe('event_not_found');
    expect((await explain({ messageId }, agent)).body.error.invalidParams).toHaveProperty('messageId');
    const seen = await write('hello', own);
    expect((await explain({ messageId: seen }, agent)).status).toBe(200);
  });

  it('about an event that is not handled yet is to be repeated', async () => {
    await onMessage();
    const messageId = await write('hello');
    await db.query(`update events set sequence = null where type = 'message.received' and tenant_id = $1`, [
      tenant.id,
    ]);
    expect((await explain({ messageId })).body.error.messageKey).toBe('conflict');
  });
});

describe('what is stored when an event is matched', () => {
  const silenced = async () =>
    (await db.query('select event_id, is_paused from silenced_events where tenant_id = $1', [tenant.id]))
      .rows;

  it('is nothing, unless an automation would have started otherwise', async () => {
    await onMessage({ keywords: ['menu'] });
    await write('first');
    const chat = await theChat();
    await post(`/v3/chats/${chat.id}/assignment`, { userId: await userOf() });
    await write('hello');
    expect(await silenced()).toEqual([]);
    await write('menu');
    expect(await silenced()).toEqual([{ event_id: await lastEvent('message.received'), is_paused: false }]);
  });

  it('is deleted when its event is', async () => {
    await onMessage();
    await write('first');
    const chat = await theChat();
    await post(`/v3/chats/${chat.id}/assignment`, { userId: await userOf() });
    await write('hello');
    expect(await silenced()).toHaveLength(1);
    const eventId = '01800000-0000-7000-8000-000000000000';
    await db.query('update silenced_events set event_id = $2 where tenant_id = $1', [tenant.id, eventId]);
    await server.system.app.sweep();
    expect(await silenced()).toEqual([]);
  });
});
