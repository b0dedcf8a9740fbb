import { dataOf, eventually } from './client.ts';
import type { Tenant } from './server-under-test.ts';

/** The resources that the documented operations need, created through the API. */

// biome-ignore lint/suspicious/noExplicitAny: tests look into resources of every shape
type Resource = any;

export type Kind = 'whatsapp' | 'sms' | 'email' | 'instagram';

let addressCount = 0;
export const phoneNumber = (): string => `+1202555${String(++addressCount).padStart(4, '0')}`;
const addresses: Record<Kind, () => string> = {
  whatsapp: phoneNumber,
  sms: phoneNumber,
  email: () => `person${++addressCount}@example.com`,
  instagram: () => `person.${++addressCount}`,
};
/** A new address for a channel of this kind. */
export const addressOn = (kind: Kind): string => addresses[kind]();

export const channel = async (tenant: Tenant, kind: Kind = 'whatsapp'): Promise<Resource> =>
  dataOf(
    await tenant.post('/v3/channels', {
      kind,
      provider: 'sandbox',
      name: `Conformance ${kind}`,
      address: addressOn(kind),
    }),
  );

/** Writes to a channel as a customer. */
export async function write(
  tenant: Tenant,
  to: { id: string },
  message: { from: string; text: string; name?: string },
): Promise<void> {
  dataOf(await tenant.post(`/v3/sandbox/${to.id}/inbound`, message));
}

/** Writes to a new channel and returns the chat. */
export async function chat(
  tenant: Tenant,
  { kind = 'whatsapp', ...message }: { kind?: Kind; from?: string; name?: string; text?: string } = {},
): Promise<Resource> {
  const { id } = await channel(tenant, kind);
  await write(tenant, { id }, { from: addressOn(kind), text: 'Is this still available?', ...message });
  return eventually('chat', async () => {
    const found = await tenant.post('/v3/chats/search', { query: `eq(channelId,"${id}")` });
    return dataOf(found)[0];
  });
}

export const contact = async (tenant: Tenant, more: object = {}): Promise<Resource> =>
  dataOf(await tenant.post('/v3/contacts', { firstName: 'Ada', phoneNumber: phoneNumber(), ...more }));

let names = 0;
export const uniqueName = (noun: string): string => `${noun}_${++names}`;

export const label = async (tenant: Tenant): Promise<Resource> =>
  dataOf(await tenant.post('/v3/labels', { name: uniqueName('label'), color: '#0f766e' }));

export const attribute = async (tenant: Tenant): Promise<Resource> =>
  dataOf(await tenant.post('/v3/attributes', { name: 'Shoe size', externalId: uniqueName('attribute') }));

export const template = async (tenant: Tenant, channelId: string): Promise<Resource> =>
  dataOf(
    await tenant.post('/v3/message_templates', {
      channelId,
      name: uniqueName('template'),
      language: 'en',
      body: 'Hello {{name}}',
    }),
  );

export async function file(tenant: Tenant, content: string, filename = 'hello.txt'): Promise<Resource> {
  const form = new FormData();
  form.set('file', new Blob([content]), filename);
  return dataOf(await tenant.call('POST', '/v3/files', { form }));
}

/** An automation that does nothing, published unless it is a draft. */
export async function automation(
  tenant: Tenant,
  { isDraft = false, ...definition }: { isDraft?: boolean; [part: string]: unknown } = {},
): Promise<Resource> {
  const made = dataOf(
    await tenant.post('/v3/automations', {
      name: uniqueName('automation'),
      trigger: { type: 'api', parameters: {} },
      steps: [{ id: 'last', type: 'end', parameters: {} }],
      ...definition,
    }),
  );
  return isDraft ? made : dataOf(await tenant.post(`/v3/automations/${made.id}/publish`, {}));
}

/** The URL of webhooks that never receive anything. */
export const NOBODY = 'http://127.0.0.1:9/hook';

export const webhook = async (tenant: Tenant, more: object = {}): Promise<Resource> =>
  dataOf(await tenant.post('/v3/api_webhooks', { url: NOBODY, events: [{ type: 'chat.deleted' }], ...more }));

export const v2Webhook = async (tenant: Tenant, more: object = {}): Promise<Resource> =>
  dataOf(
    await tenant.post('/v2/api_webhooks', {
      tenantId: tenant.id,
      type: 'SMS_MESSAGE_STATUS',
      url: NOBODY,
      ...more,
    }),
  );

/** The time so many days from now. */
export const inDays = (days: number): string => new Date(Date.now() + days * 24 * 3600_000).toISOString();
