import { beforeEach, describe, expect, it } from 'vitest';
import { countCampaignRows, discount, groundFor, HELLO, testContacts, VARIABLES } from '../kit/campaigns.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const LATER = '2026-12-24T09:00:00.000Z';
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

describe('a test of a campaign', () => {
  it('goes to one contact now, with the same text, and leaves the campaign as it is', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const me = await create('/v3/contacts', { firstName: 'Me', phoneNumber: '+15550002999' });
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      variables: discount,
      scheduledAt: LATER,
      recurrenceRules: ['FREQ=DAILY'],
      contacts: testContacts(2),
    });
    const before = (await tenant.get(`/v3/campaigns/${id}`)).body.data;
    const answer = await tenant.post(`/v3/campaigns/${id}/test`, { contactId: me });
    expect(answer.body.data).toMatchObject({
      name: 'Test: Sale',
      isTest: true,
      status: 'running',
      isReoccurring: false,
      recipientCounts: { queued: 1 },
    });
    await server.settle();
    const messages = (await tenant.post('/v3/messages/search', {})).body.data;
    expect(messages.map((one: { text: string; contactId: string }) => [one.text, one.contactId])).toEqual([
      ['Hello ME, 20 % off', me],
    ]);
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data).toEqual(before);
    const found = await tenant.post('/v3/campaigns/search', { query: 'eq(isTest,false)' });
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('goes to an address, of which a contact and a chat are made where there are none', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const me = await create('/v3/contacts', { firstName: 'Me', phoneNumber: '+15550002999' });
    const id = await create('/v3/campaigns', { ...ground, name: 'Sale', variables: discount });
    const test = (body: object) => tenant.post(`/v3/campaigns/${id}/test`, body);
    expect((await test({ to: '+1 555 000 2999' })).body.data).toMatchObject({ isTest: true });
    await server.settle();
    expect((await test({ to: '+15550002998' })).body.data).toMatchObject({ isTest: true });
    await server.settle();
    const { data: sent } = (await tenant.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body;
    expect(
      sent.map((one: { handle: { value: string }; text: string }) => [one.handle.value, one.text]),
    ).toEqual([
      ['+15550002999', 'Hello ME, 20 % off'],
      ['+15550002998', 'Hello , 20 % off'],
    ]);
    expect(sent[0].contactId).toBe(me);
    expect((await countCampaignRows(server, tenant))?.contacts).toBe(2);
  });

  it('goes to the given address of a contact that has several, whichever was used last', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const { channelId } = ground;
    const [one, two] = ['+15550002997', '+15550002996'] as const;
    for (const to of [one, two]) await create('/v3/messages', { channelId, to, text: 'Hi' });
    const [first, second] = (await tenant.post('/v3/contacts/search', {})).body.data;
    await tenant.post(`/v3/contacts/${first.id}/merge`, { fromContactId: second.id });
    const id = await create('/v3/campaigns', { ...ground, name: 'Sale', variables: discount });
    for (const to of [one, two, one]) {
      const test = await create(`/v3/campaigns/${id}/test`, { to });
      await server.settle();
      const query = `eq(campaignId,"${test}")`;
      const { data } = (await tenant.post('/v3/messages/search', { query })).body;
      expect(
        data.map((sent: { contactId: string; handle: { value: string } }) => [
          sent.contactId,
          sent.handle.value,
        ]),
      ).toEqual([[first.id, to]]);
    }
  });

  it('leaves a chat that is made for it closed if the campaign closes its chats', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const body = { ...ground, name: 'Sale', variables: discount };
    const statusAfter = async (closeChats: boolean, to: string): Promise<string[]> => {
      const id = await create('/v3/campaigns', { ...body, closeChats });
      await create(`/v3/campaigns/${id}/test`, { to });
      await server.settle();
      const [sent] = (await tenant.post('/v3/messages/search', {})).body.data;
      const chat = (await tenant.get(`/v3/chats/${sent.chatId}`)).body.data;
      return [chat.handle.value, chat.status];
    };
    expect(await statusAfter(true, '+15550002995')).toEqual(['+15550002995', 'closed']);
    expect(await statusAfter(false, '+15550002994')).toEqual(['+15550002994', 'open']);
    // A chat that exists stays as it is.
    expect(await statusAfter(true, '+15550002994')).toEqual(['+15550002994', 'open']);
  });

  it('goes to a user at the own email address, and says what is missing on other channels', async () => {
    const ada = { name: 'Ada', email: 'ada@example.com', role: 'agent' };
    const userId = await create('/v3/users', ada);
    const mail = await groundFor(tenant, { kind: 'email', steps: HELLO, variables: VARIABLES });
    const id = await create('/v3/campaigns', { ...mail, name: 'Mail', variables: discount });
    expect((await tenant.post(`/v3/campaigns/${id}/test`, { userId })).status).toBe(200);
    await server.settle();
    const { data: sent } = (await tenant.post('/v3/messages/search', {})).body;
    expect(sent.map((one: { handle: { value: string } }) => one.handle.value)).toEqual([ada.email]);
    const sms = await create('/v3/campaigns', { ...(await groundFor(tenant)), name: 'SMS' });
    const issuesOf = async (body: object) => {
      const { status, body: answer } = await tenant.post(`/v3/campaigns/${sms}/test`, body);
      return [status, answer.error.invalidParams];
    };
    expect(await issuesOf({ userId })).toEqual([
      400,
      { userId: { key: 'custom', message: expect.stringContaining('give an address as `to`') } },
    ]);
    expect(await issuesOf({ userId: UNKNOWN })).toMatchObject([400, { userId: { key: 'custom' } }]);
    expect(await issuesOf({ to: 'nobody' })).toMatchObject([400, { to: {} }]);
    for (const body of [{}, { userId, to: '+15550002998' }])
      expect(await issuesOf(body)).toMatchObject([400, { to: { key: 'custom' } }]);
  });

  it('needs a campaign and a contact that exist', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', { ...ground, name: 'Draft' });
    expect(
      (await tenant.post(`/v3/campaigns/${id}/test`, { contactId: UNKNOWN })).body.error.messageKey,
    ).toBe('contact_not_found');
    expect(
      (await tenant.post(`/v3/campaigns/${UNKNOWN}/test`, { contactId: UNKNOWN })).body.error.messageKey,
    ).toBe('campaign_not_found');
    expect((await countCampaignRows(server, tenant))?.campaigns).toBe(1);
  });
});
