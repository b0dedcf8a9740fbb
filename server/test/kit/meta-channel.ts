import { expect } from 'vitest';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import type { FakeGraph } from './graph.ts';
import type { TestServer, TestTenant } from './server.ts';

const secrets = { appSecret: 'planted-secret', verifyToken: 'planted-token' };

export interface MetaChannel {
  id: string;
  provider: 'whatsapp_cloud' | 'instagram';
}

/** A channel at the fake Graph API. */
export async function metaChannel(
  tenant: TestTenant,
  graph: FakeGraph,
  kind: 'whatsapp' | 'instagram',
  config: object = {},
): Promise<MetaChannel> {
  const { phoneNumberId, businessAccountId, accountId, appId, token, url } = graph;
  const provider = kind === 'whatsapp' ? 'whatsapp_cloud' : 'instagram';
  const ids = kind === 'whatsapp' ? { phoneNumberId, businessAccountId, appId } : { accountId };
  const { status, body } = await tenant.post('/v3/channels', {
    kind,
    provider,
    name: 'Shop',
    address: kind === 'whatsapp' ? '+15550009999' : 'shop',
    config: { ...secrets, ...ids, accessToken: token, baseUrl: url, ...config },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return { id: body.data.id, provider };
}

/** Posts a request as Meta does, and processes it. */
export async function deliver(server: TestServer, channel: MetaChannel, payload: unknown): Promise<void> {
  const { headers, body: raw } = signedRequest(payload, '', secrets.appSecret);
  const path = `/providers/${channel.provider}/${channel.id}`;
  expect((await server.call('POST', path, { raw, headers })).status).toBe(200);
  await server.settle();
}

/** A text of a customer on WhatsApp. */
export const whatsappText = (
  graph: FakeGraph,
  from: string,
  id: string,
  seconds: number,
  text = 'hello',
) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: graph.businessAccountId,
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { phone_number_id: graph.phoneNumberId },
            contacts: [{ wa_id: from, profile: { name: 'Ada' } }],
            messages: [{ from, id, timestamp: String(seconds), type: 'text', text: { body: text } }],
          },
        },
      ],
    },
  ],
});

/** An element of Instagram, such as a message. */
export const instagramEntry = (
  graph: FakeGraph,
  from: string,
  ms: number,
  element: object,
  list = 'messaging',
) => ({
  object: 'instagram',
  entry: [
    {
      id: graph.accountId,
      time: ms,
      [list]: [{ sender: { id: from }, recipient: { id: graph.accountId }, timestamp: ms, ...element }],
    },
  ],
});

/** The only chat of the tenant. */
export async function onlyChat(tenant: TestTenant) {
  const { body } = await tenant.post('/v3/chats/search', {});
  expect(body.data).toHaveLength(1);
  return body.data[0];
}
