import type { TestServer, TestTenant } from './server.ts';

/** The smallest valid automation. */
export const smallest = {
  name: 'Smallest',
  trigger: { type: 'api' },
  steps: [{ id: 'end', type: 'end' }],
};

/** Creates an automation, published by default, and returns its id. */
export async function automationOf(
  tenant: TestTenant,
  more: object = {},
  { published = true } = {},
): Promise<string> {
  const made = await tenant.post('/v3/automations', { ...smallest, ...more });
  const { id } = made.body.data;
  if (published) await tenant.post(`/v3/automations/${id}/publish`);
  return id;
}

/** A contact who has written to the tenant, with their chat. */
export async function personOf(
  server: TestServer,
  tenant: TestTenant,
  from = '+15550001111',
): Promise<{ contactId: string; chatId: string }> {
  const channel = await tenant.channel();
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text: 'hello' });
  await server.settle();
  const { rows } = await server.system.db.query(
    'select id, contact_id from chats where tenant_id = $1 and channel_id = $2',
    [tenant.id, channel.id],
  );
  return { contactId: String(rows[0]?.contact_id), chatId: String(rows[0]?.id) };
}
