import { describe, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { FROM, onMessage, say, useDryRuns } from '../kit/dry-run.ts';
import { usePerson } from '../kit/people.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { type Answer, useServer } from '../kit/server.ts';

const server = await useServer();
const { ground, tryOut, dryRun, post, saved } = useDryRuns(server);
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const issuesOf = (answer: Answer) => Object.keys(answer.body.error.invalidParams ?? {});

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
    const keyOf = async (automationId: string, body: object, by = ground.tenant) =>
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
    expect(await keyOf(theirs, { contactId: theirContact, chatId: ground.chatId }, other)).toBe(
      'chat_not_found',
    );
  });

  it('to a token that may not read what it would show', async () => {
    const id = await saved(smallest.steps);
    const scopes = ['automations:read', 'contacts:read', 'chats:read'];
    const tried = await ground.tenant.post(
      `/v3/automations/${id}/dry_run`,
      { contactId: ground.contactId },
      { token: await ground.tenant.tokenWith(scopes) },
    );
    expect([tried.status, tried.body.error.invalidParams.contactId?.message]).toEqual([
      400,
      expect.stringContaining('messages:read'),
    ]);
  });

  it('to an agent who does not see the channel', async () => {
    const own = await ground.tenant.channel();
    const agent = await usePerson(server, ground.tenant, 'agent', { access: 'teams' });
    await post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    const hidden = await saved([say('hi', 'Hi', { channelId: ground.channelId })]);
    expect((await tryOut(hidden, {}, agent)).status).toBe(403);
    const anywhere = await saved([say('hi', 'Hi')], onMessage);
    expect(issuesOf(await tryOut(anywhere, { chatId: ground.chatId }, agent))).toEqual(['chatId']);
    // The only chat of the contact is in the other channel.
    for (const message of [{ text: 'x' }, { text: 'x', channelId: own.id }]) {
      const seen = await tryOut(anywhere, { message }, agent);
      expect(seen.body.data.messages).toMatchObject([{ channelId: own.id, chatId: null }]);
    }
  });
});

describe('a dry run of a contact that somebody is changing', () => {
  it('is a conflict after a moment, and keeps nobody waiting', async () => {
    const id = await saved(smallest.steps);
    const client = await usePgClient(server.databaseUrl);
    await client.query('begin');
    await client.query('select 1 from contacts where id = $1 for update', [ground.contactId]);
    expect((await tryOut(id)).body.error.messageKey).toBe('conflict');
    await client.query('rollback');
    expect((await tryOut(id)).status).toBe(200);
  });

  it('leaves other dry runs and messages of the contact alone', async () => {
    const id = await saved([say('hi', 'Hi')], onMessage);
    const [write] = [
      ground.tenant.post(`/v3/sandbox/${ground.channelId}/inbound`, { from: FROM, text: 'second' }),
    ];
    const runs = await Promise.all(Array.from({ length: 8 }, () => dryRun(id, { message: { text: 'x' } })));
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'completed'));
    await write;
    await server.settle();
    expect((await ground.tenant.post('/v3/messages/search', {})).body.data).toMatchObject([
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
