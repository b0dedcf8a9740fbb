import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf, groundFor, testContacts } from '../kit/campaigns.ts';
import { usePerson } from '../kit/people.ts';
import { approvedTemplate } from '../kit/sending.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
/** 02:02 in Berlin, 20:02 in New York. */
const NOW = '2026-11-15T01:02:03.456Z';
const MORNING = '2026-11-15T07:00:00.000Z';
const QUIET = { from: '21:00', to: '08:00', timezone: 'Europe/Berlin' };
const HELLO = { id: 'hello', type: 'send_message', parameters: { text: 'Hello' } };

let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date(NOW));
  tenant = await server.tenant();
  dataOf(await tenant.put('/v3/tenant', { quietHours: QUIET }));
});

const dataOf = ({ status, body }: Answer) => {
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
};
const moveTo = async (time: string) => {
  server.clock.set(new Date(time));
  await server.settle();
};
const campaignOf = async (more: object = {}, steps: object[] = [HELLO]) => {
  const ground = await groundFor(tenant, { steps });
  const made = await tenant.post('/v3/campaigns', {
    ...ground,
    name: 'x',
    contacts: testContacts(2, 10),
    ...more,
  });
  await server.settle();
  return dataOf(made);
};
const read = async (id: string) => dataOf(await tenant.get(`/v3/campaigns/${id}`));
/** The outbox of the vendor: what really went out. */
const sentOver = async (channelId: string): Promise<{ text: string; to: string }[]> =>
  dataOf(await tenant.get(`/v3/sandbox/${channelId}/outbox`));
const textsOver = async (channelId: string) => (await sentOver(channelId)).map(({ text }) => text);

describe('quiet hours', () => {
  it('are stored, and removed with null', async () => {
    expect(dataOf(await tenant.get('/v3/tenant')).quietHours).toEqual(QUIET);
    expect(dataOf(await tenant.put('/v3/tenant', { quietHours: null })).quietHours).toBeNull();
  });

  it.each([
    ['quietHours.to', { from: '21:00' }],
    ['quietHours.from', { to: '08:00' }],
    ['quietHours.to', { from: '21:00', to: '21:00' }],
    ['quietHours.from', { from: '24:00', to: '08:00' }],
    ['quietHours.from', { from: '21h', to: '08:00' }],
    ['quietHours.timezone', { from: '21:00', to: '08:00', timezone: 'Mars/Olympus' }],
    ['quietHours.from', { isOff: true, from: '21:00' }],
    ['quietHours.days', { from: '21:00', to: '08:00', days: ['mon'] }],
  ])('name %s as what is wrong with %j', async (path, quietHours) => {
    const answer = await tenant.put('/v3/tenant', { quietHours });
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, [path]]);
  });

  it('hold a campaign, which says until when, and let each recipient go once', async () => {
    const { id, channelId } = await campaignOf();
    expect(await read(id)).toMatchObject({
      status: 'running',
      recipientCounts: { queued: 2 },
      waiting: { reason: 'quiet_hours', recipients: 2, until: MORNING },
    });
    await moveTo('2026-11-15T06:59:59.999Z');
    expect(await textsOver(channelId)).toEqual([]);
    await moveTo(MORNING);
    expect(await textsOver(channelId)).toEqual(['Hello', 'Hello']);
    await moveTo('2026-11-15T12:00:00.000Z');
    expect(await textsOver(channelId)).toEqual(['Hello', 'Hello']);
    expect(await read(id)).toMatchObject({ status: 'completed', waiting: null });
  });

  it('are those of the zone of each contact', async () => {
    const [berlin, newYork] = testContacts(2, 10);
    dataOf(await tenant.post('/v3/contacts', { ...newYork, timezone: 'America/New_York' }));
    const { id, channelId } = await campaignOf({ contacts: [berlin, newYork] });
    expect((await sentOver(channelId)).map(({ to }) => to)).toEqual([newYork?.phoneNumber]);
    expect((await read(id)).waiting).toMatchObject({ recipients: 1, until: MORNING });
  });

  it('of a channel are used instead of those of the tenant, also none', async () => {
    const { id: channelId } = await tenant.channel('sms');
    const automationId = await automationOf(tenant, { steps: [HELLO] });
    const start = async () => {
      const body = { channelId, automationId, name: 'x', contacts: testContacts(1) };
      const made = dataOf(await tenant.post('/v3/campaigns', body));
      await server.settle();
      return (await read(made.id)).waiting;
    };
    dataOf(await tenant.put(`/v3/channels/${channelId}`, { quietHours: { isOff: true } }));
    expect(await start()).toBeNull();
    const longer = { ...QUIET, to: '10:00' };
    dataOf(await tenant.put(`/v3/channels/${channelId}`, { quietHours: longer }));
    expect(await start()).toMatchObject({ until: '2026-11-15T09:00:00.000Z' });
    expect(await textsOver(channelId)).toEqual(['Hello']);
  });

  it('leave a paused campaign paused when they end', async () => {
    const { id, channelId } = await campaignOf();
    const set = (status: string) => tenant.post(`/v3/campaigns/${id}/status`, { status });
    await set('paused');
    await moveTo(MORNING);
    expect(await textsOver(channelId)).toEqual([]);
    // Neither does a change of the hours let it go on.
    await tenant.put('/v3/tenant', { quietHours: null });
    await server.settle();
    expect(await textsOver(channelId)).toEqual([]);
    await set('running');
    await server.settle();
    expect(await textsOver(channelId)).toEqual(['Hello', 'Hello']);
  });

  it('let those go who wait, when they are changed', async () => {
    const { id, channelId } = await campaignOf();
    dataOf(await tenant.put('/v3/tenant', { quietHours: { ...QUIET, to: '03:00' } }));
    await server.settle();
    expect((await read(id)).waiting).toMatchObject({ until: '2026-11-15T02:00:00.000Z' });
    dataOf(await tenant.put('/v3/tenant', { quietHours: null }));
    await server.settle();
    expect(await textsOver(channelId)).toEqual(['Hello', 'Hello']);
  });

  it('do not hold what is not marketing, nor a test of a campaign', async () => {
    const { channelId } = await campaignOf({ purpose: 'service' });
    expect(await textsOver(channelId)).toEqual(['Hello', 'Hello']);
    const held = await campaignOf();
    const [{ id: contactId }] = dataOf(await tenant.post('/v3/contacts/search', {}));
    dataOf(await tenant.post(`/v3/campaigns/${held.id}/test`, { contactId }));
    await server.settle();
    expect(await textsOver(held.channelId)).toEqual(['Hello']);
  });

  it('hold what a marketing automation sends, and answer customers as always', async () => {
    const { id: channelId } = await tenant.channel('sms');
    const start = (trigger: object, text: string) =>
      tenant
        .post('/v3/automations', {
          name: text,
          trigger,
          steps: [{ id: 'send', type: 'send_message', parameters: { text, channelId } }],
        })
        .then(({ body }) => tenant.post(`/v3/automations/${body.data.id}/publish`));
    await start({ type: 'contact_created' }, 'Welcome');
    await start({ type: 'message_received' }, 'We are here');
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'Hello?' });
    await server.settle();
    expect(await textsOver(channelId)).toEqual(['We are here']);
    await moveTo(MORNING);
    expect(await textsOver(channelId)).toEqual(['We are here', 'Welcome']);
  });

  it('hold messages that were queued before they began, but nothing behind them', async () => {
    await moveTo('2026-11-15T19:30:00.000Z');
    const { id: channelId } = await tenant.channel('sms');
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'Hello?' });
    await server.settle();
    const [chat] = dataOf(await tenant.post('/v3/chats/search', {}));
    const send = async (body: object) =>
      dataOf(await tenant.post(`/v3/chats/${chat.id}/messages`, body)).id as string;
    const offers = [
      await send({ text: 'Offer 1', purpose: 'marketing' }),
      await send({ text: 'Offer 2', purpose: 'marketing' }),
    ];
    // The sender comes to them late.
    server.clock.set(new Date('2026-11-15T20:30:00.000Z'));
    await send({ text: 'Your parcel' });
    const agent = await usePerson(server, tenant, 'agent');
    await agent.call('POST', `/v3/chats/${chat.id}/messages`, {
      body: { text: 'Hi, it is Ada', purpose: 'marketing' },
    });
    await server.settle();
    expect((await textsOver(channelId)).sort()).toEqual(['Hi, it is Ada', 'Your parcel']);
    expect(dataOf(await tenant.get(`/v3/messages/${offers[0]}`))).toMatchObject({
      status: 'queued',
      scheduledAt: '2026-11-16T07:00:00.000Z',
    });
    await moveTo('2026-11-16T07:00:00.000Z');
    expect((await textsOver(channelId)).slice(2)).toEqual(['Offer 1', 'Offer 2']);
    const { rows } = await db.query('select attempts from messages where id = any ($1)', [offers]);
    expect(rows).toEqual([{ attempts: 1 }, { attempts: 1 }]);
  });

  it('keep the template of the campaign for the message that waits', async () => {
    const { id: channelId } = await tenant.channel('whatsapp');
    const own = await approvedTemplate(server, tenant, { channelId, name: 'own' });
    const other = await approvedTemplate(server, tenant, { channelId, name: 'other' });
    const automationId = await automationOf(tenant, {
      steps: [{ id: 'send', type: 'send_template', parameters: { templateId: own } }],
    });
    const body = { channelId, automationId, name: 'x', messageTemplateId: other, contacts: testContacts(1) };
    dataOf(await tenant.post('/v3/campaigns', body));
    await server.settle();
    await moveTo(MORNING);
    const [sent] = await sentOver(channelId);
    expect(sent).toMatchObject({ content: { templateId: other } });
  });

  it('are in the preview of a campaign, which shows its messages', async () => {
    const ground = await groundFor(tenant, { steps: [HELLO] });
    const [one, two, three] = testContacts(3, 10);
    dataOf(await tenant.post('/v3/contacts', { ...two, timezone: 'America/New_York' }));
    dataOf(await tenant.post('/v3/contacts', { ...three, timezone: 'Europe/Lisbon' }));
    const body = {
      ...ground,
      name: 'x',
      contacts: [one, two, three],
    };
    const preview = async (more: object = {}) =>
      dataOf(await tenant.post('/v3/campaigns/preview', { ...body, ...more }));
    const now = await preview();
    expect(now.quietHours).toEqual({ recipients: 2, from: MORNING, until: '2026-11-15T08:00:00.000Z' });
    expect(now.samples).toMatchObject(Array(3).fill({ messages: [{ text: 'Hello' }] }));
    const scheduled = { isScheduled: true, scheduledAt: '2026-11-15T12:30:00Z' };
    expect((await preview(scheduled)).quietHours).toEqual({
      recipients: 1,
      from: '2026-11-15T13:00:00.000Z',
      until: '2026-11-15T13:00:00.000Z',
    });
    expect((await preview({ purpose: 'service' })).quietHours).toBeNull();
  });
});
