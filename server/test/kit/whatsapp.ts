import { expect } from 'vitest';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import type { FakeGraph } from './graph.ts';
import type { TestServer, TestTenant } from './server.ts';

let numbers = 0;

/** A WhatsApp number of a tenant, as Meta speaks about it. */
export interface WhatsAppNumber {
  tenant: TestTenant;
  channelId: string;
  phoneNumberId: string;
  businessAccountId: string;
  appSecret: string;
  /** Posts changes to the app's URL, in one request, and returns the status of the answer. */
  post(changes: object[], secret?: string): Promise<number>;
  /** Posts one change, and processes it. */
  change(field: string, value: object): Promise<void>;
  /** Posts a value of the field `messages`, and processes it. */
  value(value: object): Promise<void>;
  /** A text of a customer. */
  text(from: Sender, text: string, more?: object): Promise<void>;
}

/** A customer: with a number, a business-scoped user id, or both. */
interface Sender {
  number?: string;
  userId?: string;
  name?: string;
}

const contactOf = ({ number, userId, name }: Sender): object => ({
  profile: name === undefined ? {} : { name },
  ...(number === undefined ? {} : { wa_id: number }),
  ...(userId === undefined ? {} : { user_id: userId }),
});

/** Creates a channel with a number, an account and an app of its own: channels are cached by them for some seconds. */
export async function useNumber(
  server: TestServer,
  tenant: TestTenant,
  graph?: FakeGraph,
  config: object = {},
): Promise<WhatsAppNumber> {
  numbers += 1;
  const unique = `${process.pid % 10_000}${String(Date.now()).slice(-8)}${numbers}`;
  const phoneNumberId = `1${unique}`;
  const businessAccountId = `2${unique}`;
  const appSecret = `secret-${unique}`;
  if (graph) Object.assign(graph, { phoneNumberId, businessAccountId });
  const made = await tenant.post('/v3/channels', {
    kind: 'whatsapp',
    provider: 'whatsapp_cloud',
    name: 'Shop',
    address: '+15550009999',
    config: {
      phoneNumberId,
      businessAccountId,
      accessToken: graph?.token ?? 'EAAtoken',
      appSecret,
      verifyToken: `verify-${unique}`,
      ...(graph ? { baseUrl: graph.url } : {}),
      ...config,
    },
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  const metadata = { display_phone_number: '15550009999', phone_number_id: phoneNumberId };
  const seconds = (): number => Math.floor(server.clock.now().getTime() / 1000);

  const post: WhatsAppNumber['post'] = async (changes, secret = appSecret) => {
    const entry = [{ id: businessAccountId, time: seconds(), changes }];
    const { headers, body: raw } = signedRequest({ object: 'whatsapp_business_account', entry }, '', secret);
    return (await server.call('POST', '/providers/whatsapp_cloud', { raw, headers })).status;
  };
  const change: WhatsAppNumber['change'] = async (field, value) => {
    expect(await post([{ field, value }])).toBe(200);
    await server.settle();
  };
  let sent = 0;
  const value: WhatsAppNumber['value'] = (given) =>
    change('messages', { messaging_product: 'whatsapp', metadata, ...given });
  return {
    tenant,
    channelId: made.body.data.id,
    phoneNumberId,
    businessAccountId,
    appSecret,
    post,
    change: (field, given) => change(field, { messaging_product: 'whatsapp', metadata, ...given }),
    value,
    text: (from, text, more = {}) => {
      sent += 1;
      const message = {
        ...(from.number === undefined ? {} : { from: from.number }),
        ...(from.userId === undefined ? {} : { from_user_id: from.userId }),
        id: `wamid.${unique}.${sent}`,
        timestamp: String(seconds()),
        type: 'text',
        text: { body: text },
        ...more,
      };
      return value({ contacts: [contactOf(from)], messages: [message] });
    },
  };
}

/** Every message of a tenant, the oldest first. */
export const messagesOf = async (tenant: TestTenant) =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(timestamp)', pagination: { limit: 100 } })).body
    .data;
export const contactsOf = async (tenant: TestTenant) =>
  (await tenant.post('/v3/contacts/search', { sortBy: 'asc(createdAt)', pagination: { limit: 100 } })).body
    .data;
