import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
/** The server of another company: it answers every request with a greeting. */
const keys: unknown[] = [];
const crm = await useHttpServer((request, response) => {
  keys.push(request.headers['idempotency-key']);
  response.writeHead(201, { 'content-type': 'application/json' }).end('{"greeting":"Welcome back"}');
});
const crmUrl = `${crm.url}/people`;

const ADA = '+15550001111';
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

const write = async (text: string, from = ADA): Promise<void> => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text, name: 'Ada Lovelace' });
  await server.settle();
};
const later = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
const outbox = async (): Promise<string[]> =>
  (await tenant.get(`/v3/sandbox/${channel.id}/outbox`)).body.data.map((sent: { text: string }) => sent.text);
const runs = async (): Promise<{ id: string; status: string; error: { code: string } | null }[]> =>
  (await tenant.post('/v3/automation_runs/search', { sortBy: 'asc(createdAt)' })).body.data;
const traceOf = async (runId: string) => (await tenant.get(`/v3/automation_runs/${runId}`)).body.data.trace;
const contact = async () => (await tenant.post('/v3/contacts/search', {})).body.data[0];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const question = {
  name: 'How was it?',
  trigger: { type: 'message_received', parameters: { keywords: ['order'] } },
  steps: [
    { id: 'ask', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}, good or bad?' } },
    { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'PT1H', onTimeout: 'late' } },
    {
      id: 'decide',
      type: 'branch',
      parameters: { cases: [{ when: 'contains(message.text,"good")', next: 'thanks' }], else: 'sorry' },
    },
    { id: 'thanks', type: 'send_message', parameters: { text: 'Thank you!' }, next: 'done' },
    { id: 'sorry', type: 'send_message', parameters: { text: 'Sorry.' }, next: 'done' },
    { id: 'late', type: 'send_message', parameters: { text: 'Another time, then.' } },
    { id: 'done', type: 'end' },
  ],
};

describe('an automation with a question', () => {
  it('asks, takes the answer, and goes the way that the answer says', async () => {
    await automationOf(tenant, question);
    await write('My order came');
    expect(await outbox()).toEqual(['Hello Ada, good or bad?']);
    expect(await runs()).toMatchObject([{ status: 'waiting' }]);
    await write('Very good');
    expect(await outbox()).toEqual(['Hello Ada, good or bad?', 'Thank you!']);
    const [run] = await runs();
    expect(run).toMatchObject({ status: 'completed' });
    expect(await traceOf(run?.id as string)).toMatchObject([
      { number: 1, step: 'ask', status: 'completed', detail: { text: 'Hello Ada, good or bad?' } },
      { number: 2, step: 'answer', detail: { reply: { text: 'Very good' } } },
      { number: 3, step: 'decide', detail: { case: 0, values: { 'message.text': 'Very good' } } },
      { number: 4, step: 'thanks', status: 'completed' },
      { number: 5, step: 'done', status: 'completed' },
    ]);
  });

  it('does not wait for ever', async () => {
    await automationOf(tenant, question);
    await write('My order came');
    await later(HOUR);
    expect(await outbox()).toEqual(['Hello Ada, good or bad?', 'Another time, then.']);
    await write('good');
    expect(await outbox()).toHaveLength(2);
  });

  it('starts for its keywords as whole words, and for each person by itself', async () => {
    await automationOf(tenant, question);
    await write('In disorder');
    await write('ORDER!', '+15550002222');
    expect(await outbox()).toHaveLength(1);
    expect(await runs()).toHaveLength(1);
  });

  it('goes on with the version that it started with', async () => {
    const id = await automationOf(tenant, question);
    await write('My order came');
    await tenant.put(`/v3/automations/${id}`, { steps: [{ id: 'end', type: 'end' }] });
    await tenant.post(`/v3/automations/${id}/publish`);
    await write('good');
    expect(await outbox()).toEqual(['Hello Ada, good or bad?', 'Thank you!']);
  });
});

describe('a run', () => {
  const started = async (more: object): Promise<string> => {
    await write('hello');
    const id = await automationOf(tenant, more);
    const { headers } = await tenant.post(`/v3/automations/${id}/trigger`, {
      contactId: (await contact()).id,
    });
    return headers['x-automation-run-id'] as string;
  };
  const sending = (text: string) => ({
    trigger: { type: 'api', parameters: { channelId: channel.id } },
    steps: [{ id: 'send', type: 'send_message', parameters: { text } }],
  });

  it('changes what its steps say, and what later steps see', async () => {
    const label = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    await tenant.post('/v3/attributes', { name: 'Tier', externalId: 'tier' });
    await started({
      trigger: { type: 'api', parameters: { channelId: channel.id } },
      steps: [
        { id: 'set', type: 'set_attribute', parameters: { externalId: 'tier', value: 'gold' } },
        { id: 'label', type: 'add_label', parameters: { labelId: label.id } },
        {
          id: 'if',
          type: 'branch',
          parameters: {
            cases: [
              {
                when: `and(eq(attributes.tier,"gold"),contains(contact.labelIds,"${label.id}"))`,
                next: 'yes',
              },
            ],
            else: 'no',
          },
        },
        { id: 'no', type: 'end', next: 'no' },
        { id: 'yes', type: 'send_message', parameters: { text: 'You are {{ attributes.tier }}' } },
        { id: 'close', type: 'set_chat_status', parameters: { status: 'closed' } },
      ],
    });
    await server.settle();
    expect(await outbox()).toEqual(['You are gold']);
    expect(await contact()).toMatchObject({ labels: [{ name: 'VIP' }], attributes: [{ value: 'gold' }] });
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    expect(chat.status).toBe('closed');
  });

  it('publishes events when it begins and ends', async () => {
    await started(sending('Hi'));
    await server.settle();
    const { body } = await tenant.post('/v3/events/search', {
      query: 'startsWith(type,"automation.")',
      sortBy: 'asc(sequence)',
    });
    expect(body.data).toMatchObject([
      { type: 'automation.run_started', data: { status: 'running', endedAt: null } },
      { type: 'automation.run_completed', data: { status: 'completed', endedAt: expect.any(String) } },
    ]);
  });

  it('that is cancelled while it waits does nothing more', async () => {
    const runId = await started({
      trigger: { type: 'api', parameters: { channelId: channel.id } },
      steps: [{ id: 'w', type: 'wait', parameters: { for: 'PT10M' } }, ...sending('Late').steps],
    });
    await server.settle();
    const { endedAt } = (await tenant.post(`/v3/automation_runs/${runId}/cancel`)).body.data;
    await later(10 * MINUTE);
    expect(await outbox()).toEqual([]);
    const { trace } = (await tenant.get(`/v3/automation_runs/${runId}`)).body.data;
    expect(trace).toMatchObject([{ step: 'w', status: 'cancelled', endedAt }]);
  });

  it('fails outside the window, and goes on from there when it is tried again', async () => {
    const runId = await started(sending('Hi'));
    server.clock.advance(25 * HOUR);
    await server.settle();
    expect(await runs()).toMatchObject([{ id: runId, status: 'failed', error: { code: 'window_closed' } }]);
    await write('I am back');
    const answer = await tenant.post(`/v3/automation_runs/${runId}/retry`);
    expect(answer.body.data).toMatchObject({ status: 'running', step: 'send' });
    await server.settle();
    expect(await outbox()).toEqual(['Hi']);
    expect(await runs()).toMatchObject([{ status: 'completed', error: null }]);
    expect((await tenant.post(`/v3/automation_runs/${runId}/retry`)).body.error.messageKey).toBe('conflict');
  });

  it('for marketing sends nothing to a contact that is unsubscribed, and says so', async () => {
    const runId = await started({ ...sending('Hi'), purpose: 'marketing' });
    await tenant.put(`/v3/contacts/${(await contact()).id}`, { isSubscribed: false });
    await server.settle();
    expect(await outbox()).toEqual([]);
    expect(await runs()).toMatchObject([{ id: runId, status: 'cancelled', error: { code: 'unsubscribed' } }]);
  });

  it('asks another server, with a key that is its own, and uses the answer', async () => {
    const runId = await started({
      trigger: { type: 'api', parameters: { channelId: channel.id } },
      steps: [
        {
          id: 'crm',
          type: 'http_request',
          parameters: { method: 'POST', url: crmUrl, body: '{"id":"{{ contact.id }}"}', saveAs: 'crm' },
        },
        { id: 'say', type: 'send_message', parameters: { text: '{{ steps.crm.body.greeting }}' } },
      ],
    });
    await server.settle();
    expect(await outbox()).toEqual(['Welcome back']);
    expect(keys.at(-1)).toBe(`${runId}:1`);
    expect(await traceOf(runId)).toMatchObject([{ detail: { status: 201 } }, { step: 'say' }]);
  });

  it('of a chat that is deleted ends', async () => {
    await automationOf(tenant, question);
    await write('My order came');
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    await tenant.delete(`/v3/chats/${chat.id}`);
    await later(2 * HOUR);
    expect(await runs()).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('what happens', () => {
  const labelled = (labelId: string, more: object = {}) => ({
    trigger: { type: 'label_added', parameters: { labelId, channelId: channel.id, ...more } },
    steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Labelled' } }],
  });

  it('starts automations that wait for a label, for that label only', async () => {
    const [one, two] = await Promise.all(
      ['One', 'Two'].map(async (name) => (await tenant.post('/v3/labels', { name })).body.data),
    );
    await automationOf(tenant, labelled(one.id));
    await write('hello');
    const { id } = await contact();
    await tenant.post(`/v3/contacts/${id}/labels`, { labels: [{ id: two.id }] });
    await server.settle();
    expect(await outbox()).toEqual([]);
    await tenant.post(`/v3/contacts/${id}/labels`, { labels: [{ id: one.id }, { id: two.id }] });
    await server.settle();
    expect(await outbox()).toEqual(['Labelled']);
  });

  it('starts automations that wait for a label, also for a contact that is created with it', async () => {
    const label = (await tenant.post('/v3/labels', { name: 'New' })).body.data;
    await automationOf(tenant, labelled(label.id));
    const created = await tenant.post('/v3/contacts', {
      phoneNumber: '+15550003333',
      labels: [{ id: label.id }],
    });
    expect(created.status).toBe(200);
    await tenant.post('/v3/contacts', { phoneNumber: '+15550004444' });
    await server.settle();
    expect(await runs()).toMatchObject([{ contactId: created.body.data.id }]);
  });

  it.each([
    [false, []],
    [true, ['Labelled']],
  ])('by the doing of a run starts others only where they say so (%s)', async (fromAutomations, said) => {
    const label = (await tenant.post('/v3/labels', { name: 'Chain' })).body.data;
    await automationOf(tenant, labelled(label.id, { fromAutomations }));
    await automationOf(tenant, {
      trigger: { type: 'message_received', parameters: {} },
      steps: [{ id: 'l', type: 'add_label', parameters: { labelId: label.id } }],
    });
    await write('hello');
    expect(await outbox()).toEqual(said);
  });

  it('to a chat starts automations when that is asked for', async () => {
    await automationOf(tenant, {
      trigger: { type: 'chat_closed', parameters: {} },
      steps: [{ id: 'bye', type: 'send_message', parameters: { text: 'Goodbye' } }],
    });
    await write('hello');
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'closed' });
    await server.settle();
    expect(await outbox()).toEqual([]);
    await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'open' });
    await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'closed', triggerAutomations: true });
    await server.settle();
    expect(await outbox()).toEqual(['Goodbye']);
  });

  it('starts several automations in the order in which they were made', async () => {
    for (const text of ['first', 'second', 'third'])
      await automationOf(tenant, {
        trigger: { type: 'contact_created', parameters: { channelId: channel.id } },
        steps: [{ id: 's', type: 'send_message', parameters: { text } }],
      });
    await write('hello');
    expect((await outbox()).toSorted()).toEqual(['first', 'second', 'third'].toSorted());
    expect(await runs()).toHaveLength(3);
  });
});
