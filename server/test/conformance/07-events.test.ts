import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Received, useReceiver } from '../kit/receiver.ts';
import { dataOf, eventually, invalid, refusalOf, TIMESTAMP } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';
import { chat as chatTable, expectFits, message as messageTable } from './tables.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

interface Subscription {
  id: string;
  secret: string;
  received: Received[];
}

/** Creates a webhook with its own receiver. */
async function subscribe(path: string, body: object): Promise<Subscription> {
  const receiver = await useReceiver();
  const { id, secret } = dataOf(await tenant.post(path, { url: receiver.url, ...body }));
  return { id, secret, received: receiver.received };
}
const subscribeV3 = (events: object[]) => subscribe('/v3/api_webhooks', { events });
const subscribeV2 = (type: string, more: object = {}) =>
  subscribe('/v2/api_webhooks', { tenantId: tenant.id, type, ...more });

const say = (channel: { id: string; kind: make.Kind }, text: string) =>
  make.write(tenant, channel, { from: make.addressOn(channel.kind), text });

/** Waits for a text, then returns all deliveries. The deliveries of a channel are made in order. */
async function receiveUntil({ id, received }: Subscription, text: string): Promise<Received[]> {
  const arrived = () => received.find(({ body }) => body.data.text === text);
  await eventually(`delivery of "${text}"`, arrived);
  // Requests may overtake each other, so the number of deliveries comes from the API.
  const path = `/v3/api_webhooks/${id}/deliveries/search`;
  const { pagination } = (await tenant.post(path, {})).body;
  await eventually('rest of the deliveries', () => received.length >= pagination.total || undefined);
  return received;
}
const textsOf = (deliveries: Received[]): string[] => deliveries.map(({ body }) => body.data.text).toSorted();

const KINDS = ['whatsapp', 'sms', 'email', 'instagram'] as const;
const V2_TYPES = [
  ...KINDS.flatMap((kind) => ['RECEIVED', 'STATUS'].map((what) => `${kind.toUpperCase()}_MESSAGE_${what}`)),
  'INSTAGRAM_MESSAGE_ECHO',
];

describe.skipIf(!server.servesV2)('Events / v2', () => {
  it.each(V2_TYPES)('%s can be subscribed to', async (type) => {
    expect(await make.v2Webhook(tenant, { type })).toMatchObject({ type, isActive: true });
  });

  it('other types cannot be subscribed to', async () => {
    for (const type of [
      'SMS_MESSAGE_ECHO',
      'EMAIL_MESSAGE_ECHO',
      'message.received',
      '',
      'TELEGRAM_MESSAGE_RECEIVED',
    ]) {
      const body = { tenantId: tenant.id, type, url: make.NOBODY };
      expect(refusalOf(await tenant.post('/v2/api_webhooks', body))).toEqual(
        invalid({ type: 'invalid_enum_value' }),
      );
    }
  });

  it.each(KINDS)('%s: a received message is delivered with a signature', async (kind) => {
    const type = `${kind.toUpperCase()}_MESSAGE_RECEIVED`;
    const channel = await make.channel(tenant, kind);
    const subscription = await subscribeV2(type);
    await say(channel, 'Hello');
    const [delivery] = (await receiveUntil(subscription, 'Hello')) as [Received];
    expect(new Webhook(subscription.secret).verify(delivery.text, asHeaders(delivery))).toEqual(
      delivery.body,
    );
    expect(delivery.body).toEqual({
      id: expect.any(String),
      type,
      createdAt: expect.stringMatching(TIMESTAMP),
      channelId: channel.id,
      data: expect.objectContaining({
        sender: 'inbound',
        type: kind === 'email' ? 'email' : 'text',
        text: 'Hello',
      }),
    });
    expectFits(messageTable, delivery.body.data);
  });

  it('a subscription receives only its type', async () => {
    const sms = await make.channel(tenant, 'sms');
    const email = await make.channel(tenant, 'email');
    const subscription = await subscribeV2('EMAIL_MESSAGE_RECEIVED');
    const control = await subscribeV2('SMS_MESSAGE_RECEIVED');
    await say(sms, 'by SMS');
    await receiveUntil(control, 'by SMS');
    await say(email, 'by email');
    expect(textsOf(await receiveUntil(subscription, 'by email'))).toEqual(['by email']);
  });

  it('a subscription with a channelId receives only events of that channel', async () => {
    const [ours, other] = [await make.channel(tenant), await make.channel(tenant)];
    const type = 'WHATSAPP_MESSAGE_RECEIVED';
    const [one, all] = [await subscribeV2(type, { channelId: ours.id }), await subscribeV2(type)];
    await say(other, 'to the other');
    await receiveUntil(all, 'to the other');
    await say(ours, 'to ours');
    expect(textsOf(await receiveUntil(one, 'to ours'))).toEqual(['to ours']);
    expect(textsOf(await receiveUntil(all, 'to ours'))).toEqual(['to ours', 'to the other']);
  });

  it('a subscription receives nothing while it is inactive', async () => {
    const channel = await make.channel(tenant);
    const type = 'WHATSAPP_MESSAGE_RECEIVED';
    const [paused, control] = [await subscribeV2(type), await subscribeV2(type)];
    const setActive = async (isActive: boolean) =>
      dataOf(await tenant.put(`/v2/api_webhooks/${paused.id}`, { isActive }));
    await setActive(false);
    await say(channel, 'meanwhile');
    await receiveUntil(control, 'meanwhile');
    await setActive(true);
    await say(channel, 'afterwards');
    expect(textsOf(await receiveUntil(paused, 'afterwards'))).toEqual(['afterwards']);
  });

  it('a deleted subscription receives nothing', async () => {
    const channel = await make.channel(tenant);
    const type = 'WHATSAPP_MESSAGE_RECEIVED';
    const [deleted, control] = [await subscribeV2(type), await subscribeV2(type)];
    await tenant.delete(`/v2/api_webhooks/${deleted.id}`);
    await say(channel, 'too late');
    await receiveUntil(control, 'too late');
    expect(deleted.received).toEqual([]);
  });
});

const asHeaders = ({ headers }: Received) => headers as Record<string, string>;

describe('Events / v3', () => {
  const scopes = (...channels: { id: string }[]) => [{ type: 'channel', ids: channels.map(({ id }) => id) }];

  it('a subscription has a list of events, and each is delivered with a signature', async () => {
    const channel = await make.channel(tenant);
    const events = [{ type: 'message.received' }, { type: 'chat.created' }];
    const subscription = await subscribeV3(events);
    await say(channel, 'Hello');
    const deliveries = await receiveUntil(subscription, 'Hello');
    const types = deliveries.map(({ body }) => body.type).toSorted();
    expect(types).toEqual(['chat.created', 'message.received']);
    for (const delivery of deliveries) {
      const { body, headers } = delivery;
      expect(new Webhook(subscription.secret).verify(delivery.text, asHeaders(delivery))).toEqual(body);
      expect(headers['content-type']).toMatch(/^application\/json\b/);
      expect(headers['webhook-id']).toBe(body.id);
      expect(body).toEqual({
        id: expect.any(String),
        type: expect.any(String),
        createdAt: expect.stringMatching(TIMESTAMP),
        tenantId: tenant.id,
        channelId: channel.id,
        sequence: expect.any(Number),
        data: expect.any(Object),
      });
      expectFits(body.type === 'chat.created' ? chatTable : messageTable, body.data);
    }
  });

  it('a signature is invalid for other bytes or another secret', async () => {
    const channel = await make.channel(tenant);
    const subscription = await subscribeV3([{ type: 'message.received' }]);
    const other = await subscribeV3([{ type: 'message.received' }]);
    await say(channel, 'Hello');
    const [delivery] = (await receiveUntil(subscription, 'Hello')) as [Received];
    const check = (secret: string, text: string) => () =>
      new Webhook(secret).verify(text, asHeaders(delivery));
    expect(check(subscription.secret, delivery.text)).not.toThrow();
    expect(check(subscription.secret, `${delivery.text} `)).toThrow();
    expect(check(other.secret, delivery.text)).toThrow();
  });

  it('an event with scopes is delivered for the channels in them, and no others', async () => {
    const [one, two, other] = [
      await make.channel(tenant),
      await make.channel(tenant, 'sms'),
      await make.channel(tenant),
    ];
    const scoped = await subscribeV3([{ type: 'message.received', scopes: scopes(one, two) }]);
    const everywhere = await subscribeV3([{ type: 'message.received', scopes: [] }]);
    for (const channel of [other, one, two]) {
      const text = `to ${channel.id}`;
      await say(channel, text);
      await receiveUntil(everywhere, text);
    }
    const texts = [one, two].map(({ id }) => `to ${id}`);
    expect(textsOf(await receiveUntil(scoped, `to ${two.id}`))).toEqual(texts.toSorted());
  });

  it('each event of a list has its own scopes', async () => {
    const [one, two] = [await make.channel(tenant), await make.channel(tenant)];
    const subscription = await subscribeV3([
      { type: 'message.received', scopes: scopes(one) },
      { type: 'chat.created', scopes: scopes(two) },
    ]);
    const control = await subscribeV3([{ type: 'message.received' }]);
    await say(two, 'to two');
    await receiveUntil(control, 'to two');
    await say(one, 'to one');
    const received = (await receiveUntil(subscription, 'to one')).map(({ body }) => [
      body.type,
      body.channelId,
    ]);
    expect(new Map(received as [string, string][])).toEqual(
      new Map([
        ['chat.created', two.id],
        ['message.received', one.id],
      ]),
    );
    expect(received).toHaveLength(2);
  });

  it('an event without a type matches all types in its scopes', async () => {
    const [one, two] = [await make.channel(tenant), await make.channel(tenant)];
    const subscription = await subscribeV3([{ scopes: scopes(one) }]);
    const control = await subscribeV3([{ type: 'message.received' }]);
    await say(two, 'to two');
    await receiveUntil(control, 'to two');
    await say(one, 'to one');
    const received = await receiveUntil(subscription, 'to one');
    expect(new Set(received.map(({ body }) => body.channelId))).toEqual(new Set([one.id]));
    expect(received.map(({ body }) => body.type)).toEqual(
      expect.arrayContaining(['chat.created', 'message.received']),
    );
  });

  it('events of other tenants are not delivered', async () => {
    const channel = await make.channel(tenant);
    const subscription = await subscribeV3([{}]);
    const otherTenant = await server.tenant();
    await make.chat(otherTenant, { text: 'not yours' });
    await say(channel, 'yours');
    const received = await receiveUntil(subscription, 'yours');
    expect(new Set(received.map(({ body }) => body.tenantId))).toEqual(new Set([tenant.id]));
  });
});
