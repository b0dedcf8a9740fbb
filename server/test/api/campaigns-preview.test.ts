import { beforeEach, describe, expect, it } from 'vitest';
import { countCampaignRows, discount, groundFor, HELLO, testContacts, VARIABLES } from '../kit/campaigns.ts';
import { usePerson } from '../kit/people.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
});

const create = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.post(path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.id;
};
const preview = (body: object) => tenant.post('/v3/campaigns/preview', body);

describe('a preview', () => {
  it('says whom a campaign would reach and why not others, shows messages, and changes nothing', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550002111' });
    await create('/v3/contacts', { firstName: 'Out', phoneNumber: '+15550002222', isSubscribed: false });
    await create('/v3/contacts', { firstName: 'Mail', email: 'mail@example.com' });
    await server.settle();
    const before = await countCampaignRows(server, tenant);
    const answer = await preview({
      ...ground,
      audience: 'in(firstName,"Ada","Out","Mail")',
      variables: discount,
      contacts: [{ firstName: 'New', phoneNumber: '+15550002333', labels: [{ name: 'Fresh' }] }],
    });
    expect(answer.status).toBe(200);
    const { samples, ...rest } = answer.body.data;
    expect(rest).toEqual({
      matched: 4,
      matchedIsCapped: false,
      quietHours: null,
      examined: 4,
      sendable: 2,
      skipped: { no_handle: 1, unsubscribed: 1 },
      estimatedMinutes: 1,
    });
    expect(
      samples
        .map(
          ({
            displayName,
            messages,
            error,
          }: {
            displayName: string;
            messages: { text: string }[];
            error: null;
          }) => [displayName, messages.map(({ text }) => text), error],
        )
        .sort(),
    ).toEqual([
      ['Ada', ['Hello ADA, 20 % off'], null],
      ['New', ['Hello NEW, 20 % off'], null],
    ]);
    await server.settle();
    expect(await countCampaignRows(server, tenant)).toEqual(before);
    expect(
      (await tenant.post('/v3/audit_entries/search', { query: 'eq(operation,"previewCampaign")' })).body.data,
    ).toEqual([]);
  });

  it('shows the same text that is then sent', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const body = { ...ground, name: 'Sale', variables: discount, contacts: testContacts(1) };
    const [sample] = (await preview(body)).body.data.samples;
    await create('/v3/campaigns', body);
    await server.settle();
    const [sent] = (await tenant.post('/v3/messages/search', {})).body.data;
    expect(sent.text).toBe(sample.messages[0].text);
    expect(sent.text).toBe('Hello N0, 20 % off');
  });

  it('knows that a WhatsApp chat must be open for a text', async () => {
    const ground = await groundFor(tenant, { kind: 'whatsapp', steps: HELLO, variables: VARIABLES });
    await tenant.post(`/v3/sandbox/${ground.channelId}/inbound`, {
      from: '+15550002111',
      name: 'Ada',
      text: 'hi',
    });
    await server.settle();
    const { data } = (
      await preview({
        ...ground,
        variables: discount,
        contacts: [{ phoneNumber: '+15550002111' }, { phoneNumber: '+15550002222' }],
      })
    ).body;
    expect(data).toMatchObject({ matched: 2, sendable: 1, skipped: { window_closed: 1 } });
    expect(data.samples).toMatchObject([{ displayName: 'Ada', messages: [{ text: 'Hello ADA, 20 % off' }] }]);
  });

  it('says why there is no message', async () => {
    const wait = [{ id: 'wait', type: 'wait', parameters: { for: 'P1D' } }, ...HELLO];
    const ground = await groundFor(tenant, { steps: wait, variables: VARIABLES });
    const { data } = (await preview({ ...ground, variables: discount, contacts: testContacts(1) })).body;
    expect(data.samples).toMatchObject([{ messages: [], error: { code: 'waits' } }]);
  });

  it.each([
    ['of simple texts', 'Hello {{ contact.firstName }}'],
    ['of texts that a thread evaluates', '{{ contact.firstName | replace: "N", "M" }}'],
  ])('shows the first twenty messages of a loop %s', async (_what, text) => {
    const hello = { id: 'hello', type: 'send_message', parameters: { text }, next: 'hello' };
    const ground = await groundFor(tenant, { steps: [hello] });
    const { data } = (await preview({ ...ground, contacts: testContacts(2) })).body;
    expect(
      data.samples.map(({ messages, error }: { messages: object[]; error: null }) => [
        messages.length,
        error,
      ]),
    ).toEqual([
      [20, null],
      [20, null],
    ]);
  });

  it.each([
    [{ text: '{{ contact.lastName }}' }],
    [{ type: 'text', text: '{{ contact.lastName }}' }],
    [{ type: 'text', text: ' ' }],
  ])('says that a text would be empty: %o', async (parameters) => {
    const empty = await groundFor(tenant, { steps: [{ id: 'x', type: 'send_message', parameters }] });
    const failed = (await preview({ ...empty, contacts: testContacts(1, 1) })).body.data;
    expect(failed.samples).toMatchObject([{ messages: [], error: { code: 'empty_text' } }]);
  });

  it('is refused to an agent who does not see a channel that the automation names', async () => {
    const own = await tenant.channel();
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await create('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    const statusOf = async (channelId: string) => {
      const hello = { id: 'hello', type: 'send_message', parameters: { text: 'Hello', channelId } };
      const { automationId } = await groundFor(tenant, { steps: [hello] });
      const body = { channelId: own.id, automationId, contacts: testContacts(1) };
      return (await agent.post('/v3/campaigns/preview', body)).status;
    };
    expect(await statusOf(own.id)).toBe(200);
    expect(await statusOf((await tenant.channel()).id)).toBe(403);
  });

  it('refuses what the campaign would be refused for', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const issuesOf = async (more: object) => {
      const answer = await preview({ ...ground, variables: discount, ...more });
      return [answer.status, Object.keys(answer.body.error.invalidParams)];
    };
    expect(await issuesOf({ channelId: UNKNOWN })).toEqual([400, ['channelId']]);
    expect(await issuesOf({ variables: [] })).toEqual([400, ['variables']]);
    expect(await issuesOf({ audience: 'nope(' })).toEqual([400, ['audience']]);
    expect(await issuesOf({ contacts: [{ phoneNumber: 'x' }] })).toEqual([400, ['contacts.0.phoneNumber']]);
    const token = await tenant.tokenWith(['campaigns:read']);
    const answer = await tenant.post(
      '/v3/campaigns/preview',
      { ...ground, variables: discount, audience: 'eq(isSubscribed,true)' },
      { token },
    );
    expect(Object.keys(answer.body.error.invalidParams)).toEqual(['audience']);
  });

  it('shows no contacts to those who may not read them', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550002111' });
    const body = { ...ground, variables: discount, contacts: [{ phoneNumber: '+15550002111' }] };
    const token = await tenant.tokenWith(['campaigns:read']);
    const answer = await tenant.post('/v3/campaigns/preview', body, { token });
    expect(answer.body.data).toMatchObject({ matched: 1, sendable: 1, samples: [] });
    const unknown = { ...body, contacts: [{ firstName: 'Bob', phoneNumber: '+15550002222' }] };
    const { data } = (await tenant.post('/v3/campaigns/preview', unknown, { token })).body;
    expect(data.samples).toMatchObject([{ displayName: 'Bob' }]);
    expect((await preview(body)).body.data.samples).toMatchObject([{ displayName: 'Ada' }]);
  });
});
