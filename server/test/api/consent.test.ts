import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { contactOf, historyOf, textsOf } from '../kit/consents.ts';
import { listener } from '../kit/events.ts';
import {
  approvedTemplate,
  customers,
  type Kind,
  messageOf,
  openChat,
  outboxOf,
  send,
} from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const KINDS = Object.keys(customers) as Kind[];
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const write = async (channel: { id: string }, from: string, text: string) => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
  await server.settle();
};
const marketing = (channel: { id: string }, more: object = {}) =>
  automationOf(tenant, {
    name: 'News',
    purpose: 'marketing',
    trigger: { type: 'api', parameters: { channelId: channel.id } },
    steps: [{ id: 'news', type: 'send_message', parameters: { text: 'News' } }],
    ...more,
  });
const runs = async () =>
  (await tenant.post('/v3/automation_runs/search', { sortBy: 'asc(createdAt)' })).body.data;

describe('STOP', () => {
  it.each(
    KINDS,
  )('on %s ends marketing there, with proof, one confirmation and no answer of a bot', async (kind) => {
    const channel = await tenant.channel(kind);
    const chat = await openChat(server, tenant, channel, customers[kind]);
    await automationOf(tenant, {
      trigger: { type: 'message_received' },
      steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'How can I help?' } }],
    });
    const newEvents = listener(server, tenant);
    await newEvents();
    for (const text of ['Stop.', 'stop']) await write(channel, customers[kind], text);
    const contact = await contactOf(tenant, chat.contactId);
    expect(contact).toMatchObject({
      isSubscribed: false,
      subscriptions: [
        { channelKind: kind, status: 'unsubscribed', source: 'contact', proof: { text: 'Stop.' } },
      ],
    });
    expect(await historyOf(tenant, chat.contactId)).toHaveLength(1);
    const types = (await newEvents()).map(({ type }) => type);
    expect(types.filter((type) => type === 'contact.unsubscribed')).toHaveLength(1);
    expect(types.indexOf('contact.unsubscribed')).toBeLessThan(types.indexOf('message.received'));
    expect(await textsOf(tenant, channel)).toEqual(
      kind === 'sms' ? [] : ['You will get no more news from us. Reply START to get them again.'],
    );

    const news = await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'News', purpose: 'marketing' });
    expect([news.status, news.body.error.messageKey]).toEqual([409, 'conflict']);
    const service = await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Your invoice' });
    expect(service.status).toBe(kind === 'sms' ? 409 : 200);

    await write(channel, customers[kind], 'START');
    expect(await contactOf(tenant, chat.contactId)).toMatchObject({
      isSubscribed: true,
      subscriptions: [{ channelKind: kind, status: 'subscribed', source: 'contact' }],
    });
    expect((await send(tenant, chat, { text: 'News', purpose: 'marketing' })).purpose).toBe('marketing');
    await server.settle();
    expect((await textsOf(tenant, channel)).at(-1)).toBe('News');
  });

  it('on one kind of channel leaves the others as they are', async () => {
    const [sms, whatsapp] = [await tenant.channel('sms'), await tenant.channel('whatsapp')];
    await openChat(server, tenant, sms, customers.sms);
    const chat = await openChat(server, tenant, whatsapp, customers.whatsapp);
    await write(sms, customers.sms, 'STOP');
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(false);
    await send(tenant, chat, { text: 'News', purpose: 'marketing' });
    await server.settle();
    expect(await textsOf(tenant, whatsapp)).toEqual(['News']);
  });

  it('as "cancel" on SMS is an answer while an automation waits for one, and an opt-out otherwise', async () => {
    const channel = await tenant.channel('sms');
    const chat = await openChat(server, tenant, channel, customers.sms);
    const automationId = await automationOf(tenant, {
      trigger: { type: 'api', parameters: { channelId: channel.id } },
      steps: [
        { id: 'ask', type: 'send_message', parameters: { text: 'Tomorrow at 9?' } },
        { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        { id: 'done', type: 'send_message', parameters: { text: 'You said {{ message.text }}' } },
      ],
    });
    await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId: chat.contactId });
    await server.settle();
    await write(channel, customers.sms, 'Cancel');
    expect(await textsOf(tenant, channel)).toEqual(['Tomorrow at 9?', 'You said Cancel']);
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(true);
    await write(channel, customers.sms, 'Cancel');
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(false);
  });

  it('is no reply to what an automation asked, and START of somebody who is subscribed is one', async () => {
    const channel = await tenant.channel('whatsapp');
    const chat = await openChat(server, tenant, channel);
    const automationId = await automationOf(tenant, {
      trigger: { type: 'api', parameters: { channelId: channel.id } },
      steps: [
        { id: 'ask', type: 'send_message', parameters: { text: 'Shall we?' } },
        { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        { id: 'done', type: 'send_message', parameters: { text: 'You said {{ message.text }}' } },
      ],
    });
    await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId: chat.contactId });
    await server.settle();
    await write(channel, customers.whatsapp, 'Stop');
    await write(channel, customers.whatsapp, 'Start');
    expect(await runs()).toMatchObject([{ status: 'waiting' }]);
    await write(channel, customers.whatsapp, 'Start');
    expect((await textsOf(tenant, channel)).at(-1)).toBe('You said Start');
    expect(await historyOf(tenant, chat.contactId)).toHaveLength(2);
  });

  it('has the words and the confirmation of the channel', async () => {
    const channel = await tenant.channel('whatsapp');
    const consent = { optOutWords: ['Genug'], optOutConfirmation: 'Schade!' };
    const changed = await tenant.put(`/v3/channels/${channel.id}`, consent);
    expect(changed.body.data).toMatchObject({ ...consent, optInWords: null });
    const chat = await openChat(server, tenant, channel);
    await write(channel, customers.whatsapp, 'stop');
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(true);
    await write(channel, customers.whatsapp, 'GENUG!');
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(false);
    expect(await textsOf(tenant, channel)).toEqual(['Schade!']);
    await tenant.put(`/v3/channels/${channel.id}`, { optOutConfirmation: '' });
    await write(channel, customers.whatsapp, 'start');
    await write(channel, customers.whatsapp, 'genug');
    expect(await textsOf(tenant, channel)).toEqual(['Schade!']);
    const bad = await tenant.put(`/v3/channels/${channel.id}`, { optOutWord: ['x'] });
    expect(bad.body.error.invalidParams).toMatchObject({ optOutWord: { key: 'unrecognized_keys' } });
  });

  it('at the vendor is learnt from its error, and from nothing else', async () => {
    for (const kind of ['whatsapp', 'sms'] as const) {
      const channel = await tenant.channel(kind);
      // The sandbox refuses numbers with this end as opted out.
      const chat = await openChat(server, tenant, channel, '+15550000003');
      const { id } = await send(tenant, chat, { text: 'News' });
      await server.settle();
      expect((await messageOf(tenant, id)).status).toBe('failed');
      const { subscriptions } = await contactOf(tenant, chat.contactId);
      expect(subscriptions.find((one: { channelKind: string }) => one.channelKind === kind)).toMatchObject({
        status: 'unsubscribed',
        source: 'vendor',
        proof: { messageId: id },
      });
    }
  });
});

describe('marketing', () => {
  it('of an automation skips who is unsubscribed, without creating a chat', async () => {
    const channel = await tenant.channel('sms');
    const { id: contactId } = (
      await tenant.post('/v3/contacts', { phoneNumber: '+15550007777', isSubscribed: false })
    ).body.data;
    for (const purpose of ['marketing', 'service']) {
      const id = await marketing(channel, { purpose });
      await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
      await server.settle();
    }
    expect(
      (await runs()).map(({ status, error }: { status: string; error: { code: string } | null }) => [
        status,
        error?.code,
      ]),
    ).toEqual([
      ['cancelled', 'unsubscribed'],
      ['completed', undefined],
    ]);
    expect(await textsOf(tenant, channel)).toEqual(['News']);
    expect((await tenant.post('/v3/chats/search', {})).body.data).toHaveLength(1);
  });

  it('is the purpose of campaigns and of automations that nobody asked for', async () => {
    const channel = await tenant.channel();
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
    const purposeOf = async (trigger: object) => {
      const id = await automationOf(tenant, { trigger });
      return (await tenant.get(`/v3/automations/${id}`)).body.data.activeVersion.purpose;
    };
    for (const type of ['api', 'message_received', 'chat_opened', 'chat_closed'])
      expect(await purposeOf({ type })).toBe('service');
    for (const type of ['contact_created', 'campaign']) expect(await purposeOf({ type })).toBe('marketing');
    expect(await purposeOf({ type: 'label_added', parameters: { labelId } })).toBe('marketing');
    const automationId = await automationOf(tenant);
    const campaign = { channelId: channel.id, name: 'x', automationId };
    expect((await tenant.post('/v3/campaigns', campaign)).body.data.purpose).toBe('marketing');
    const service = await tenant.post('/v3/campaigns', { ...campaign, purpose: 'service' });
    expect(service.body.data.purpose).toBe('service');
  });

  it('that was allowed when it was scheduled is refused when it is sent', async () => {
    const channel = await tenant.channel('whatsapp');
    const chat = await openChat(server, tenant, channel);
    const scheduledAt = new Date(server.clock.now().getTime() + 3_600_000).toISOString();
    const { id } = await send(tenant, chat, { text: 'News', purpose: 'marketing', scheduledAt });
    await tenant.put(`/v3/contacts/${chat.contactId}`, { isSubscribed: false });
    server.clock.advance(3_600_000);
    await server.settle();
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'failed', error: { code: 'unsubscribed' } });
    expect(await textsOf(tenant, channel)).toEqual([]);
  });

  it('of a campaign reaches the subscribed, and a campaign for service everybody', async () => {
    const channel = await tenant.channel('sms');
    const contacts = [{ phoneNumber: '+15550007771' }, { phoneNumber: '+15550007772' }];
    await tenant.post('/v3/contacts', { ...contacts[0], isSubscribed: false });
    const automationId = await automationOf(tenant, {
      trigger: { type: 'campaign' },
      steps: [{ id: 'news', type: 'send_message', parameters: { text: 'News' } }],
    });
    for (const [purpose, sent] of [
      ['marketing', 1],
      ['service', 3],
    ] as const) {
      const { id } = (
        await tenant.post('/v3/campaigns', {
          channelId: channel.id,
          name: 'x',
          automationId,
          purpose,
          contacts,
        })
      ).body.data;
      await server.settle();
      expect(await textsOf(tenant, channel)).toHaveLength(sent);
      const { recipientCounts } = (await tenant.get(`/v3/campaigns/${id}`)).body.data;
      expect(recipientCounts.skipped).toBe(purpose === 'marketing' ? 1 : 0);
    }
  });
});

describe('a decision', () => {
  it('recorded with proof stays in the history, and the newest one counts', async () => {
    const { id } = (await tenant.post('/v3/contacts', { email: 'ada@example.com' })).body.data;
    const record = (body: object) => tenant.post(`/v3/contacts/${id}/consents`, body);
    const proof = { form: 'newsletter', ip: '203.0.113.7' };
    expect((await record({ channelKinds: ['email'], status: 'subscribed', proof })).body.data).toMatchObject({
      isSubscribed: true,
      subscriptions: [{ channelKind: 'email', status: 'subscribed', source: 'api', proof }],
    });
    await record({ channelKinds: ['email'], status: 'unsubscribed' });
    const old = new Date(server.clock.now().getTime() - 86_400_000).toISOString();
    expect(
      (await record({ channelKinds: ['email'], status: 'subscribed', at: old, proof })).body.data,
    ).toMatchObject({ isSubscribed: false });
    expect((await historyOf(tenant, id)).map(({ status }: { status: string }) => status)).toEqual([
      'subscribed',
      'unsubscribed',
      'subscribed',
    ]);
    const found = await tenant.post(`/v3/contacts/${id}/consents/search`, {
      query: 'eq(status,"unsubscribed")',
    });
    expect(found.body.data).toMatchObject([
      { contactId: id, channelKind: 'email', source: 'api', proof: null },
    ]);
  });

  it('written as isSubscribed sets all kinds of channels', async () => {
    const { id } = (await tenant.post('/v3/contacts', { firstName: 'Ada', isSubscribed: false })).body.data;
    expect((await contactOf(tenant, id)).subscriptions).toHaveLength(4);
    expect(await historyOf(tenant, id)).toMatchObject(
      Array(4).fill({ status: 'unsubscribed', source: 'api', proof: null }),
    );
    await tenant.put(`/v3/contacts/${id}`, { isSubscribed: true });
    const contact = await contactOf(tenant, id);
    expect(contact.isSubscribed).toBe(true);
    expect(new Set(contact.subscriptions.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['subscribed']),
    );
    await tenant.post(`/v3/contacts/${id}/consents`, { channelKinds: ['sms'], status: 'unsubscribed' });
    const newEvents = listener(server, tenant);
    await newEvents();
    await tenant.put(`/v3/contacts/${id}`, { isSubscribed: false });
    await tenant.put(`/v3/contacts/${id}`, { isSubscribed: false });
    expect((await newEvents()).map(({ type }) => type)).toEqual(['contact.updated', 'contact.unsubscribed']);
  });

  it('is refused with its parameter if it is invalid, and belongs to the tenant', async () => {
    const { id } = (await tenant.post('/v3/contacts', { firstName: 'Ada' })).body.data;
    const path = `/v3/contacts/${id}/consents`;
    for (const [body, at] of [
      [{ status: 'maybe' }, 'status'],
      [{ status: 'subscribed', channelKinds: ['fax'] }, 'channelKinds.0'],
      [{ status: 'subscribed', channelKinds: [] }, 'channelKinds'],
      [{ status: 'subscribed', at: '2999-01-01T00:00:00Z' }, 'at'],
      [{ status: 'subscribed', proof: { x: 'x'.repeat(5000) } }, 'proof'],
      [{ status: 'subscribed', kind: 'sms' }, 'kind'],
    ] as const) {
      const answer = await tenant.post(path, body);
      expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, [at]]);
    }
    expect(await historyOf(tenant, id)).toEqual([]);
    const other = await server.tenant();
    for (const at of [path, `${path}/search`])
      expect((await other.post(at, { status: 'subscribed' })).body.error.messageKey).toMatch(
        /contact_not_found|invalid/,
      );
    expect((await other.post(path, { status: 'unsubscribed' })).body.error.messageKey).toBe(
      'contact_not_found',
    );
  });

  it('by a step is one of the contact, with the run as proof', async () => {
    const channel = await tenant.channel('whatsapp');
    const chat = await openChat(server, tenant, channel);
    await automationOf(tenant, {
      trigger: { type: 'message_received', parameters: { keywords: ['no more'] } },
      steps: [
        { id: 'out', type: 'unsubscribe', parameters: {} },
        { id: 'bye', type: 'send_message', parameters: { text: 'Done: {{ contact.isSubscribed }}' } },
      ],
    });
    await automationOf(tenant, {
      trigger: { type: 'message_received', parameters: { keywords: ['again please'] } },
      steps: [{ id: 'in', type: 'subscribe', parameters: { channelKind: 'whatsapp' } }],
    });
    await write(channel, customers.whatsapp, 'no more of this');
    expect(await contactOf(tenant, chat.contactId)).toMatchObject({
      isSubscribed: false,
      subscriptions: [{ channelKind: 'whatsapp', status: 'unsubscribed', source: 'automation' }],
    });
    expect(await textsOf(tenant, channel)).toEqual(['Done: false']);
    await write(channel, customers.whatsapp, 'again please');
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(true);
    const { data } = (
      await tenant.post('/v3/events/search', { search: 'subscribed', sortBy: 'asc(sequence)' })
    ).body;
    expect(data.map(({ type }: { type: string }) => type)).toEqual([
      'contact.unsubscribed',
      'contact.subscribed',
    ]);
  });
});

it('a template is still sent for service after an opt-out on WhatsApp', async () => {
  const channel = await tenant.channel('whatsapp');
  const chat = await openChat(server, tenant, channel);
  await write(channel, customers.whatsapp, 'STOP');
  const templateId = await approvedTemplate(server, tenant, { channelId: channel.id });
  await send(tenant, chat, { template: { templateId } });
  await server.settle();
  expect(await outboxOf(tenant, channel)).toHaveLength(2);
});
