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
      startReason: 'missing_variables',
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
        status: 'completed',
        startedAt: NOW,
        message: {
          channelId: ground.channelId,
          chatId: ground.chatId,
          type: 'text',
          text: `Hello ${FROM}, order 7?`,
        },
        call: null,
      },
      {
        step: 'answer',
        detail: { until: later(2 * DAY), reply: { text: 'Very good!' } },
        startedAt: NOW,
        endedAt: later(5 * MINUTE),
        message: null,
      },
      { step: 'which', detail: { case: 0, values: { 'message.text': 'Very good!' } } },
      { step: 'label', detail: { labelId: label.id } },
      { step: 'note', detail: { externalId: 'satisfaction', value: 'Very good!' } },
      { step: 'pause', detail: { until: later(65 * MINUTE) }, endedAt: later(65 * MINUTE) },
      { step: 'thanks', message: { text: 'happy Very good!' } },
      { step: 'close', detail: { status: 'closed' } },
      { step: 'end' },
    ]);
    expect(run.changes).toEqual([
      { field: 'labels', from: null, to: 'happy' },
      { field: 'attributes.satisfaction', from: null, to: 'Very good!' },
      { field: 'chat.status', from: 'open', to: 'closed' },
    ]);
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
    expect(run.trace[1].message).toMatchObject({ channelId: other.id, chatId: null, text: 'By mail' });
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
    expect(run.trace[0].call).toEqual({
      method: 'POST',
      url: `${receiver.url}/${ground.contactId}`,
      headers: { 'X-A': 'b' },
      body: '{"a":1}',
      usesSecrets: false,
      response: { status: 201, body: { case: 'A7' } },
      isAssumed: false,
    });
    expect(run.trace[1].message.text).toBe('Case A7 201');
    expect((await dryRun(id)).trace).toMatchObject([
      { call: { response: { status: 200, body: null }, isAssumed: true } },
      { message: { text: 'Case  200' } },
    ]);
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
    expect(body.data.trace[0].call).toMatchObject({ headers: null, body: null, usesSecrets: true });
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
        { step: 'late', status: 'failed', error: { code: 'window_closed' }, message: null },
      ],
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
    expect(run.trace[1].detail).toMatchObject({ timedOut: true });
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
    const reasonFor = async (text: string) => (await dryRun(id, { message: { text } })).startReason;
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
      startReason: 'other_trigger',
      status: 'completed',
    });
    await post(`/v3/chats/${ground.chatId}/status`, { status: 'closed' });
    expect(await dryRun(id, { message })).toMatchObject({ startReason: null, status: 'completed' });
    const fresh = await post('/v3/contacts', { phoneNumber: '+15550002222' });
    expect(await dryRun(id, { message, contactId: fresh.id })).toMatchObject({
      startReason: null,
      status: 'completed',
      trace: [{ message: { text: 'Hi Hello' } }],
    });
    const elsewhere = await saved([say('hi', 'Hi')], {
      trigger: { type: 'chat_opened', parameters: { channelId: (await ground.tenant.channel()).id } },
    });
    const over = { ...message, channelId: ground.channelId };
    expect(await dryRun(elsewhere, { message: over })).toMatchObject({ startReason: 'other_channel' });
    expect((await post('/v3/chats/search', { query: `eq(contactId,"${fresh.id}")` })).length).toBe(0);
  });

  it('begins in a chat that it is given', async () => {
    const id = await saved([say('hi', 'Hi')]);
    expect((await dryRun(id, { chatId: ground.chatId })).trace).toMatchObject([
      { message: { chatId: ground.chatId, text: 'Hi' } },
    ]);
  });
});
