import { expect } from 'vitest';
import { useReceiver } from './receiver.ts';
import type { TestServer, TestTenant } from './server.ts';

export interface TestWebhook {
  id: string;
  secret: string;
}

/** Subscribes a URL, to received messages by default. */
export async function subscribe(
  tenant: TestTenant,
  url: string,
  events: unknown[] = [{ type: 'message.received' }],
): Promise<TestWebhook> {
  const made = await tenant.post('/v3/api_webhooks', { url, events });
  expect(made.status).toBe(200);
  return made.body.data;
}

/** A new tenant with a channel, and a webhook for received messages with its receiver. */
export async function createWebhook(server: TestServer) {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  const target = await useReceiver();
  return { tenant, channel, target, hook: await subscribe(tenant, target.url) };
}

/** Writes as a customer, once for each text. */
export async function write(tenant: TestTenant, channel: { id: string }, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const path = `/v3/sandbox/${channel.id}/inbound`;
    expect((await tenant.post(path, { from: '+15550001111', text })).status).toBe(200);
  }
}

/** Up to a hundred deliveries of a webhook with their attempts, in the order of their creation. */
export async function deliveriesOf(tenant: TestTenant, webhook: { id: string }) {
  const found = await tenant.post(`/v3/api_webhooks/${webhook.id}/deliveries/search`, {
    sortBy: 'asc(id)',
    pagination: { limit: 100 },
  });
  expect(found.status).toBe(200);
  return Promise.all(
    found.body.data.map(
      async ({ id }: { id: string }) => (await tenant.get(`/v3/webhook_deliveries/${id}`)).body.data,
    ),
  );
}

export const statusOf = async (tenant: TestTenant, webhook: { id: string }): Promise<string> =>
  (await tenant.get(`/v3/api_webhooks/${webhook.id}`)).body.data.status;
