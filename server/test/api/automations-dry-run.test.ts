import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { usePerson } from '../kit/people.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const receiver = await useReceiver();
const { db } = server.system;
const NOW = '2026-11-15T01:02:03.456Z';
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const FROM = '+15550001111';
const later = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let tenant: TestTenant;
let channel: { id: string };
let contactId: string;
let chatId: string;
beforeEach(async () => {
  server.clock.set(new Date(NOW));
  tenant = await server.tenant();
  channel = await tenant.channel();
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: FROM, text: 'first' });
  await server.settle();
  const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
  contactId = chat.contactId;
  chatId = chat.id;
});

const post = async (path: string, body: object = {}) => {
  const answer = await tenant.post(path, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
};
const tryOut = (id: string, body: object = {}, by: Pick<TestTenant, 'post'> = tenant): Promise<Answer> =>
  by.post(`/v3/automations/${id}/dry_run`, { contactId, ...body });
const dryRun = async (id: string, body: object = {}) => {
  const answer = await tryOut(id, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
};
const say = (id: string, text: string, more: object = {}) => ({
  id,
  type: 'send_message',
  parameters: { text, ...more },
});
const saved = (steps: object[], more: object = {}) =>
  automationOf(tenant, { ...smallest, steps, ...more }, { published: false });
const onMessage = { trigger: { type: 'message_received' } };
const stepsOf = (run: { trace: { step: string }[] }) => run.trace.map(({ step }) => step);
const issuesOf = (answer: Answer) => Object.keys(answer.body.error.invalidParams ?? {});

/** Everything in the database, except for what any request leaves behind. */
async function everything(): Promise<Record<string, string>> {
  const { rows } = await db.query(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('rate_windows', 'workers', 'shards', 'tokens')`,
    [],
  );
  const found: Record<string, string> = {};
  for (const { name } of rows) {
    const counted = await db.query(
      `select count(*)::text || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum from ${name} t`,
      [],
    );
    found[String(name)] = String(counted.rows[0]?.sum);
  }
  const { rows: sequences } = await db.query('select last_value::text as value from event_positions', []);
  found.event_positions = String(sequences[0]?.value);
  return found;
}

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
      contactId,
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
        message: { channelId: channel.id, chatId, type: 'text', text: `Hello ${FROM}, order 7?` },
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
    await tenant.put('/v3/secrets/key', { value: 'hidden' });
    await post('/v3/api_webhooks', { url: receiver.url, events: [{ scopes: [] }] });
    const other = await tenant.channel('email');
    await post('/v3/contacts', { email: 'ada@example.com' });
    await tenant.put(`/v3/contacts/${contactId}`, { email: 'ada@example.org' });
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
    const before = await everything();
    const run = await dryRun(id, { message: { text: 'hello' }, replies: [{ text: 'yes' }] });
    expect(run).toMatchObject({ status: 'completed', error: null });
    expect(run.trace[1].message).toMatchObject({ channelId: other.id, chatId: null, text: 'By mail' });
    const body = {
      contactId,
      definition: { trigger: smallest.trigger, steps: [say('x', 'x'), ...smallest.steps] },
    };
    expect((await tryOut(id, body)).status).toBe(200);
    await server.settle();
    expect(await everything()).toEqual(before);
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
    const id = await saved(steps, { trigger: { type: 'api', parameters: { channelId: channel.id } } });
    const run = await dryRun(id, { responses: { call: { status: 201, body: { case: 'A7' } } } });
    expect(run.trace[0].call).toEqual({
      method: 'POST',
      url: `${receiver.url}/${contactId}`,
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
    await tenant.put('/v3/secrets/key', { value: 'hidden-value' });
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
    await tenant.put(`/v3/contacts/${contactId}`, { isSubscribed: false });
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
    expect((await tenant.get(`/v3/contacts/${contactId}`)).body.data.isSubscribed).toBe(true);
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
    const id = await automationOf(tenant, { steps: [{ id: 'first', type: 'end' }] });
    const { activeVersionId } = (await tenant.get(`/v3/automations/${id}`)).body.data;
    await tenant.put(`/v3/automations/${id}`, { steps: [{ id: 'second', type: 'end' }] });
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
    await post(`/v3/chats/${chatId}/assignment`, { userId: user.id });
    expect(await reasonFor('the menu')).toBe('assigned_to_user');
  });

  it('says whether the message would open the chat, and answers who writes for the first time', async () => {
    const id = await saved([say('hi', 'Hi {{ message.text }}')], {
      trigger: { type: 'chat_opened', parameters: { channelId: channel.id } },
    });
    const message = { text: 'Hello' };
    // The chat is open already.
    expect(await dryRun(id, { message })).toMatchObject({
      startReason: 'other_trigger',
      status: 'completed',
    });
    await post(`/v3/chats/${chatId}/status`, { status: 'closed' });
    expect(await dryRun(id, { message })).toMatchObject({ startReason: null, status: 'completed' });
    const fresh = await post('/v3/contacts', { phoneNumber: '+15550002222' });
    expect(await dryRun(id, { message, contactId: fresh.id })).toMatchObject({
      startReason: null,
      status: 'completed',
      trace: [{ message: { text: 'Hi Hello' } }],
    });
    const elsewhere = await saved([say('hi', 'Hi')], {
      trigger: { type: 'chat_opened', parameters: { channelId: (await tenant.channel()).id } },
    });
    const over = { ...message, channelId: channel.id };
    expect(await dryRun(elsewhere, { message: over })).toMatchObject({ startReason: 'other_channel' });
    expect((await post('/v3/chats/search', { query: `eq(contactId,"${fresh.id}")` })).length).toBe(0);
  });

  it('begins in a chat that it is given', async () => {
    const id = await saved([say('hi', 'Hi')]);
    expect((await dryRun(id, { chatId })).trace).toMatchObject([{ message: { chatId, text: 'Hi' } }]);
  });
});

describe('a dry run is refused', () => {
  it.each([
    ['of a version and a definition', { versionId: UNKNOWN, definition: smallest }, ['definition.name']],
    ['of an unknown version', { versionId: UNKNOWN }, ['versionId']],
    ['far away', { at: '2030-01-01T00:00:00Z' }, ['at']],
    ['with a reply after no duration', { replies: [{ text: 'x', after: 'soon' }] }, ['replies.0.after']],
    ['with a reply before the question', { replies: [{ text: 'x', after: '-PT1M' }] }, ['replies.0.after']],
    ['with too many replies', { replies: Array.from({ length: 51 }, () => ({ text: 'x' })) }, ['replies']],
    ['with an unknown key', { reply: 'x' }, ['reply']],
    ['with NUL in a response', { responses: { a: { body: '\0' } } }, ['responses.a.body']],
    ['with half a character in a text', { message: { text: '\uD800' } }, ['message.text']],
    ['with variables of another type', { variables: { seats: 'two' } }, ['variables.seats']],
    [
      'of an invalid definition',
      { definition: { trigger: { type: 'api' }, steps: [{ id: 'a', type: 'end', next: 'b' }] } },
      ['definition.steps.0.next'],
    ],
    ['on an unknown channel', { message: { text: 'x', channelId: UNKNOWN } }, ['message.channelId']],
  ])('%s', async (_what, body, paths) => {
    const id = await saved(smallest.steps, { variables: [{ name: 'seats', type: 'number' }] });
    const answer = await tryOut(id, body);
    expect([answer.status, issuesOf(answer)]).toEqual([400, paths]);
  });

  it('for what does not exist, or belongs to another tenant', async () => {
    const id = await saved(smallest.steps);
    const keyOf = async (automationId: string, body: object, by = tenant) =>
      (await tryOut(automationId, body, by)).body.error.messageKey;
    expect(await keyOf(UNKNOWN, {})).toBe('automation_not_found');
    expect(await keyOf('x', {})).toBe('automation_not_found');
    expect(await keyOf(id, { contactId: UNKNOWN })).toBe('contact_not_found');
    expect(await keyOf(id, { chatId: UNKNOWN })).toBe('chat_not_found');
    const other = await server.tenant();
    expect(await keyOf(id, {}, other)).toBe('automation_not_found');
    const theirs = await automationOf(other);
    expect(await keyOf(theirs, {}, other)).toBe('contact_not_found');
    const theirContact = (await other.post('/v3/contacts', { phoneNumber: FROM })).body.data.id;
    expect(await keyOf(theirs, { contactId: theirContact, chatId }, other)).toBe('chat_not_found');
  });

  it('to a token that may not read what it would show', async () => {
    const id = await saved(smallest.steps);
    const scopes = ['automations:read', 'contacts:read', 'chats:read'];
    const tried = await tenant.post(
      `/v3/automations/${id}/dry_run`,
      { contactId },
      { token: await tenant.tokenWith(scopes) },
    );
    expect([tried.status, tried.body.error.invalidParams.contactId?.message]).toEqual([
      400,
      expect.stringContaining('messages:read'),
    ]);
  });

  it('to an agent who does not see the channel', async () => {
    const own = await tenant.channel();
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    const hidden = await saved([say('hi', 'Hi', { channelId: channel.id })]);
    expect((await tryOut(hidden, {}, agent)).status).toBe(403);
    const anywhere = await saved([say('hi', 'Hi')], onMessage);
    expect(issuesOf(await tryOut(anywhere, { chatId }, agent))).toEqual(['chatId']);
    // The only chat of the contact is in the other channel.
    expect(issuesOf(await tryOut(anywhere, { message: { text: 'x' } }, agent))).toEqual([
      'message.channelId',
    ]);
    const seen = await tryOut(anywhere, { message: { text: 'x', channelId: own.id } }, agent);
    expect(seen.body.data.trace).toMatchObject([{ message: { channelId: own.id, chatId: null } }]);
  });
});

describe('a dry run of a contact that somebody is changing', () => {
  it('is a conflict after a moment, and keeps nobody waiting', async () => {
    const id = await saved(smallest.steps);
    const client = await usePgClient(server.databaseUrl);
    await client.query('begin');
    await client.query('select 1 from contacts where id = $1 for update', [contactId]);
    expect((await tryOut(id)).body.error.messageKey).toBe('conflict');
    await client.query('rollback');
    expect((await tryOut(id)).status).toBe(200);
  });

  it('leaves other dry runs and messages of the contact alone', async () => {
    const id = await saved([say('hi', 'Hi')], onMessage);
    const [write] = [tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: FROM, text: 'second' })];
    const runs = await Promise.all(Array.from({ length: 8 }, () => dryRun(id, { message: { text: 'x' } })));
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'completed'));
    await write;
    await server.settle();
    expect((await tenant.post('/v3/messages/search', {})).body.data).toMatchObject([
      { text: 'second' },
      { text: 'first' },
    ]);
  });
});

describe('a dry run ends', () => {
  it('after 300 steps of a loop', async () => {
    const id = await saved([
      {
        id: 'a',
        type: 'branch',
        parameters: { cases: [{ when: 'isNull(contact.id)', next: 'b' }], else: 'a' },
      },
      { id: 'b', type: 'end' },
    ]);
    const run = await dryRun(id);
    expect([run.status, run.stoppedBy, run.trace.length]).toEqual(['stopped', 'too_many_steps', 300]);
  });

  it('after 300 steps of a loop of waits, years later', async () => {
    const id = await saved([
      { id: 'a', type: 'wait', parameters: { for: 'P300D' } },
      { id: 'b', type: 'wait', parameters: { for: 'P1D' }, next: 'a' },
    ]);
    const run = await dryRun(id);
    expect([run.status, run.stoppedBy]).toEqual(['stopped', 'too_many_steps']);
  });

  it('with the failure of a text that never ends, and tells its neighbours nothing', async () => {
    const endless = '{% for i in (1..100000) %}{% for j in (1..100000) %}{{ j }}{% endfor %}{% endfor %}';
    const id = await saved([say('hi', endless)], onMessage);
    const run = await dryRun(id, { message: { text: 'x' } });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'liquid_error' } });
  });

  it.each([
    '{{',
    '{% raw %}{{ contact.id',
    '<script>',
    "'; drop table x; --",
  ])('for a contact who writes %j', async (text) => {
    const id = await saved(
      [
        say('hi', 'You said: {{ message.text }}.'),
        { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        say('again', '{% if message.text %}{{ message.text | escape }}.{% endif %}'),
      ],
      onMessage,
    );
    const run = await dryRun(id, { message: { text }, replies: [{ text, content: { text } }] });
    expect(run.status).toBe('completed');
  });
});
