import { describe, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { checksumsOf } from '../kit/checksums.ts';
import { FROM, NOW, onMessage, say, useDryRuns } from '../kit/dry-run.ts';
import { useReceiver } from '../kit/receiver.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const receiver = await useReceiver();
const { db } = server.system;
const { ground, tryOut, dryRun, post, saved } = useDryRuns(server);
const later = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const stepsOf = (run: { trace: { step: string }[] }) => run.trace.map(({ step }) => step);

describe('a dry run', () => {
  it('follows the whole conversation: texts, reply, branch, wait, changes', async () => {
    const label = await post('/v3/labels', { name: 'happy' });
    await post('/v3/attributes', { name: 'Satisfaction', externalId: 'satisfaction' });
    const id = await saved(
      [
        say('ask', 'Hello {{ contact.displayName }}, order {{ variables.order }}?'),
        { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'P2D', onTimeout: 'end' } },
        {
          id: 'which',
          type: 'branch',
          parameters: { cases: [{ when: 'hasWord(message.text,"good")', next: 'label' }], else: 'end' },
        },
        { id: 'label', type: 'add_label', parameters: { labelId: label.id } },
        {
          id: 'note',
          type: 'set_attribute',
          parameters: { externalId: 'satisfaction', value: '{{ message.text }}' },
        },
        { id: 'pause', type: 'wait', parameters: { for: 'PT1H' } },
        say('thanks', '{% for l in contact.labels %}{{ l.name }}{% endfor %} {{ attributes.satisfaction }}'),
        { id: 'close', type: 'set_chat_status', parameters: { status: 'closed' } },
        { id: 'end', type: 'end' },
      ],
      { variables: [{ name: 'order', type: 'string', required: true }], ...onMessage },
    );
    const run = await dryRun(id, {
      message: { text: 'hello' },
      variables: { order: '7' },
      replies: [{ text: 'Very good!', after: 'PT5M' }],
    });
    expect(run).toMatchObject({
      automationId: id,
      contactId: ground.contactId,
      startReason: { code: 'missing_variables' },
      status: 'completed',
      stoppedBy: null,
      error: null,
      startedAt: NOW,
      endedAt: later(65 * MINUTE),
      variables: { order: '7' },
    });
    expect(run.trace).toMatchObject([
      {
        step: 'ask',
        type: 'send_message',
        status: 'completed',
        at: NOW,
        input: { text: 'Hello {{ contact.displayName }}, order {{ variables.order }}?' },
        output: {
          channelId: ground.channelId,
          chatId: ground.chatId,
          type: 'text',
          text: `Hello ${FROM}, order 7?`,
        },
        why: 'It is the first step',
        isAssumed: null,
      },
      {
        step: 'answer',
        input: { timeout: 'P2D', onTimeout: 'end' },
        output: { until: later(2 * DAY), reply: { text: 'Very good!' } },
        at: NOW,
        endedAt: later(5 * MINUTE),
        why: 'The contact replied',
      },
      {
        step: 'which',
        output: { case: 0, values: { 'message.text': 'Very good!' } },
        why: 'hasWord(message.text,"good") is true: message.text = "Very good!"',
      },
      { step: 'label', output: { labelId: label.id }, why: 'The step which leads to it' },
      { step: 'note', output: { externalId: 'satisfaction', value: 'Very good!' } },
      {
        step: 'pause',
        output: { until: later(65 * MINUTE) },
        endedAt: later(65 * MINUTE),
        why: `It waits until ${later(65 * MINUTE)}`,
      },
      { step: 'thanks', output: { text: 'happy Very good!' } },
      { step: 'close', output: { status: 'closed' } },
      { step: 'end', input: {}, output: {} },
    ]);
    expect(run.messages).toMatchObject([
      { text: `Hello ${FROM}, order 7?`, step: 'ask', at: NOW, type: 'text', channelId: ground.channelId },
      { text: 'happy Very good!', step: 'thanks', at: later(65 * MINUTE), chatId: ground.chatId },
    ]);
    expect(run.changes).toEqual([
      { field: 'labels', from: null, to: 'happy' },
      { field: 'attributes.satisfaction', from: null, to: 'Very good!' },
      { field: 'chat.status', from: 'open', to: 'closed' },
    ]);
  });

  it('says of a wait what it would do, and of a question what came of it', async () => {
    const id = await saved([
      { id: 'past', type: 'wait', parameters: { until: '2020-01-01T00:00:00Z' } },
      { id: 'ask', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'ask' } },
    ]);
    const silent = await dryRun(id);
    expect(silent.trace.slice(0, 2)).toMatchObject([
      { step: 'past', why: 'It does not wait: the time has come' },
      { step: 'ask', why: `No reply came until ${later(DAY)}` },
    ]);
    expect(silent.trace.at(-1)).toMatchObject({
      status: 'waiting',
      why: expect.stringMatching(/^It waits for a reply until 20/),
    });
  });

  it('has no effect at all', async () => {
    await post('/v3/attributes', { name: 'Plan', externalId: 'plan' });
    const label = await post('/v3/labels', { name: 'gold' });
    const user = await post('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
    await ground.tenant.put('/v3/secrets/key', { value: 'hidden' });
    await post('/v3/api_webhooks', { url: receiver.url, events: [{ scopes: [] }] });
    const other = await ground.tenant.channel('email');
    await post('/v3/contacts', { email: 'ada@example.com' });
    await ground.tenant.put(`/v3/contacts/${ground.contactId}`, { email: 'ada@example.org' });
    const id = await saved(
      [
        say('one', 'One'),
        say('mail', 'By mail', { channelId: other.id }),
        { id: 'ask', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        { id: 'plan', type: 'set_attribute', parameters: { externalId: 'plan', value: 'gold' } },
        { id: 'add', type: 'add_label', parameters: { labelId: label.id } },
        { id: 'assign', type: 'assign', parameters: { userId: user.id } },
        { id: 'off', type: 'unsubscribe', parameters: { channelKind: 'email' } },
        {
          id: 'call',
          type: 'http_request',
          parameters: {
            method: 'POST',
            url: receiver.url,
            headers: { 'x-key': '{{ secrets.key }}' },
            body: '{}',
            saveAs: 'crm',
          },
        },
        { id: 'close', type: 'set_chat_status', parameters: { status: 'closed' } },
      ],
      onMessage,
    );
    await server.settle();
    receiver.received.length = 0;
    const before = await checksumsOf(db);
    const run = await dryRun(id, { message: { text: 'hello' }, replies: [{ text: 'yes' }] });
    expect(run).toMatchObject({ status: 'completed', error: null });
    expect(run.trace[1].output).toMatchObject({ channelId: other.id, chatId: null, text: 'By mail' });
    const body = {
      contactId: ground.contactId,
      definition: { trigger: smallest.trigger, steps: [say('x', 'x'), ...smallest.steps] },
    };
    expect((await tryOut(id, body)).status).toBe(200);
    await server.settle();
    expect(await checksumsOf(db)).toEqual(before);
    expect(receiver.received).toEqual([]);
  });

  it('tells what a call would send, makes none, and goes on with the response that it was given', async () => {
    const steps = [
      {
        id: 'call',
        type: 'http_request',
        parameters: {
          method: 'POST',
          url: `${receiver.url}/{{ contact.id }}`,
          headers: { 'X-A': 'b' },
          body: '{"a":1}',
          saveAs: 'crm',
        },
      },
      say('said', 'Case {{ steps.crm.body.case }} {{ steps.crm.status }}'),
    ];
    const id = await saved(steps, { trigger: { type: 'api', parameters: { channelId: ground.channelId } } });
    const run = await dryRun(id, { responses: { call: { status: 201, body: { case: 'A7' } } } });
    expect(run.trace[0]).toMatchObject({ why: expect.stringContaining('was given'), isAssumed: false });
    expect(run.trace[0].input).toEqual({
      method: 'POST',
      url: `${receiver.url}/${ground.contactId}`,
      headers: { 'X-A': 'b' },
      body: '{"a":1}',
      usesSecrets: false,
    });
    expect(run.trace[0].output).toEqual({ status: 201, body: { case: 'A7' } });
    expect(run.messages).toMatchObject([{ text: 'Case A7 201' }]);
    const outputs = async (responses: object) =>
      (await dryRun(id, { responses })).trace.map(({ output }: { output: object }) => output);
    expect(await outputs({})).toMatchObject([{ status: 200, body: {} }, { text: 'Case  200' }]);
    expect(await outputs({ call: { status: 500 } })).toMatchObject([{ status: 500, body: {} }, {}]);
    expect(await outputs({ call: { body: null } })).toMatchObject([{ status: 200, body: null }, {}]);
    expect((await dryRun(id)).trace[0]).toMatchObject({ isAssumed: true });
    expect(receiver.received).toEqual([]);
  });

  it('never shows a secret', async () => {
    await ground.tenant.put('/v3/secrets/key', { value: 'hidden-value' });
    const id = await saved([
      {
        id: 'call',
        type: 'http_request',
        parameters: {
          method: 'POST',
          url: 'https://example.com/',
          headers: { authorization: 'Bearer {{ secrets.key }}' },
          body: '{{ secrets.key }}',
        },
      },
    ]);
    const { text, body } = await tryOut(id);
    expect(text).not.toContain('hidden-value');
    expect(body.data.trace[0].input).toMatchObject({ headers: null, body: null, usesSecrets: true });
  });

  it('says why a message would be refused: the window, the consent, no channel', async () => {
    const late = await saved(
      [{ id: 'wait', type: 'wait', parameters: { for: 'P2D' } }, say('late', 'Still there?')],
      onMessage,
    );
    expect(await dryRun(late, { message: { text: 'hello' } })).toMatchObject({
      status: 'failed',
      error: { code: 'window_closed' },
      trace: [
        { step: 'wait' },
        { step: 'late', status: 'failed', error: { code: 'window_closed' }, why: expect.any(String) },
      ],
      messages: [],
    });
    const promotion = await saved([say('buy', 'Buy')], { ...onMessage, purpose: 'marketing' });
    expect(await dryRun(promotion, { message: { text: 'hi' }, replies: [] })).toMatchObject({
      status: 'completed',
    });
    await ground.tenant.put(`/v3/contacts/${ground.contactId}`, { isSubscribed: false });
    expect(await dryRun(promotion, { message: { text: 'hi' } })).toMatchObject({
      status: 'cancelled',
      error: { code: 'unsubscribed' },
    });
    expect(await dryRun(await saved([say('hi', 'Hi')]))).toMatchObject({ error: { code: 'no_channel' } });
  });

  it('hears STOP as the contact means it', async () => {
    const id = await saved(
      [
        say('ask', 'Well?'),
        { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        say('more', 'More'),
      ],
      { ...onMessage, purpose: 'marketing' },
    );
    const run = await dryRun(id, { message: { text: 'hi' }, replies: [{ text: 'STOP' }] });
    expect(run).toMatchObject({ status: 'cancelled', error: { code: 'unsubscribed' } });
    expect(run.trace[1]).toMatchObject({
      output: { timedOut: true },
      why: expect.stringContaining('No reply came until'),
    });
    expect(run.changes).toContainEqual({ field: 'isSubscribed', from: 'true', to: 'false' });
    expect((await ground.tenant.get(`/v3/contacts/${ground.contactId}`)).body.data.isSubscribed).toBe(true);
  });

  it('lets the time pass where no reply comes, or one comes too late', async () => {
    const id = await saved(
      [
        say('ask', 'Well?'),
        { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'PT1H', onTimeout: 'late' } },
        { id: 'done', type: 'end' },
        { id: 'late', type: 'end' },
      ],
      onMessage,
    );
    const way = async (replies: object[]) => stepsOf(await dryRun(id, { message: { text: 'hi' }, replies }));
    expect(await way([])).toEqual(['ask', 'answer', 'late']);
    expect(await way([{}])).toEqual(['ask', 'answer', 'late']);
    expect(await way([{ text: 'yes', after: 'PT2H' }])).toEqual(['ask', 'answer', 'late']);
    expect(await way([{ text: 'yes' }])).toEqual(['ask', 'answer', 'done']);
    expect(await way([{ type: 'interactive', content: { id: 'y', title: 'Yes' } }])).toEqual([
      'ask',
      'answer',
      'done',
    ]);
  });

  it('begins at the time that it is given, also for relative conditions', async () => {
    const cases = [{ when: 'lt(contact.createdAt,now("-P30D"))', next: 'old' }];
    const id = await saved([
      { id: 'which', type: 'branch', parameters: { cases, else: 'new' } },
      { id: 'new', type: 'end' },
      { id: 'old', type: 'end' },
    ]);
    expect(stepsOf(await dryRun(id))).toEqual(['which', 'new']);
    const run = await dryRun(id, { at: later(40 * DAY) });
    expect([stepsOf(run), run.startedAt]).toEqual([['which', 'old'], later(40 * DAY)]);
  });

  it('is of the latest version, of one that it names, or of a definition that is not saved', async () => {
    const id = await automationOf(ground.tenant, { steps: [{ id: 'first', type: 'end' }] });
    const { activeVersionId } = (await ground.tenant.get(`/v3/automations/${id}`)).body.data;
    await ground.tenant.put(`/v3/automations/${id}`, { steps: [{ id: 'second', type: 'end' }] });
    expect(stepsOf(await dryRun(id))).toEqual(['second']);
    const named = await dryRun(id, { versionId: activeVersionId });
    expect([stepsOf(named), named.versionId]).toEqual([['first'], activeVersionId]);
    const definition = { trigger: { type: 'api' }, steps: [{ id: 'third', type: 'end' }] };
    const unsaved = await dryRun(id, { definition });
    expect([stepsOf(unsaved), unsaved.versionId]).toEqual([['third'], null]);
  });

  it('says whether the message would start the automation', async () => {
    const id = await saved(smallest.steps, {
      trigger: { type: 'message_received', parameters: { keywords: ['menu'] } },
    });
    const reasonFor = async (text: string) =>
      (await dryRun(id, { message: { text } })).startReason?.code ?? null;
    expect([await reasonFor('hello'), await reasonFor('the menu')]).toEqual(['no_keyword', null]);
    expect(await reasonFor('STOP')).toBe('unsubscribed');
    const user = await post('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
    await post(`/v3/chats/${ground.chatId}/assignment`, { userId: user.id });
    expect(await reasonFor('the menu')).toBe('assigned_to_user');
  });

  it('says whether the message would open the chat, and answers who writes for the first time', async () => {
    const id = await saved([say('hi', 'Hi {{ message.text }}')], {
      trigger: { type: 'chat_opened', parameters: { channelId: ground.channelId } },
    });
    const message = { text: 'Hello' };
    // The chat is open already.
    expect(await dryRun(id, { message })).toMatchObject({
      startReason: { code: 'other_trigger' },
      status: 'completed',
    });
    await post(`/v3/chats/${ground.chatId}/status`, { status: 'closed' });
    expect(await dryRun(id, { message })).toMatchObject({ startReason: null, status: 'completed' });
    const fresh = await post('/v3/contacts', { phoneNumber: '+15550002222' });
    expect(await dryRun(id, { message, contactId: fresh.id })).toMatchObject({
      startReason: null,
      status: 'completed',
      trace: [{ output: { text: 'Hi Hello' } }],
    });
    const elsewhere = await saved([say('hi', 'Hi')], {
      trigger: { type: 'chat_opened', parameters: { channelId: (await ground.tenant.channel()).id } },
    });
    const over = { ...message, channelId: ground.channelId };
    expect(await dryRun(elsewhere, { message: over })).toMatchObject({
      startReason: { code: 'other_channel' },
    });
    expect((await post('/v3/chats/search', { query: `eq(contactId,"${fresh.id}")` })).length).toBe(0);
  });

  it('begins in a chat that it is given', async () => {
    const id = await saved([say('hi', 'Hi')]);
    expect((await dryRun(id, { chatId: ground.chatId })).trace).toMatchObject([
      { output: { chatId: ground.chatId, text: 'Hi' } },
    ]);
  });

  it('lets somebody who has no chat write on the first channel that reaches them', async () => {
    const id = await saved([say('hi', 'Hi {{ message.text }}')], onMessage);
    const contact = await post('/v3/contacts', { phoneNumber: '+15550002222' });
    const run = await dryRun(id, { contactId: contact.id, message: { text: 'Hello' } });
    expect(run).toMatchObject({
      startReason: null,
      status: 'completed',
      messages: [{ text: 'Hi Hello', channelId: ground.channelId, chatId: null }],
    });
    const unreachable = await post('/v3/contacts', { email: 'ada@example.com' });
    const refused = await tryOut(id, { contactId: unreachable.id, message: { text: 'Hello' } });
    expect(Object.keys(refused.body.error.invalidParams)).toEqual(['message.channelId']);
  });
});
