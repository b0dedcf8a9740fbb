import { describe, expect, it } from 'vitest';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();

const secrets = { accessToken: 'EAAplanted', appSecret: 'planted-secret', verifyToken: 'planted-token' };
const newChannel = (config: object) => ({
  kind: 'whatsapp',
  provider: 'whatsapp_cloud',
  name: 'Support',
  address: '+15550009999',
  config: { businessAccountId: '222', ...secrets, ...config },
});
const newAccount = (config: object) => ({
  kind: 'instagram',
  provider: 'instagram',
  name: 'Shop',
  address: 'shop',
  config: { ...secrets, ...config },
});

/** Posts a request as the vendor does, and processes it. */
async function deliver(
  provider: string,
  channelId: string,
  payload: unknown,
  secret = secrets.appSecret,
): Promise<number> {
  const { headers, body: raw } = signedRequest(payload, '', secret);
  const { status } = await server.call('POST', `/providers/${provider}/${channelId}`, { raw, headers });
  await server.settle();
  return status;
}

const failures = async (tenant: TestTenant): Promise<unknown[]> =>
  (await server.system.db.query('select error from inbound where tenant_id = $1', [tenant.id])).rows;

const messagesOf = async (tenant: TestTenant): Promise<Record<string, unknown>[]> =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(timestamp)', pagination: { limit: 100 } })).body
    .data;

describe('a channel at Meta', () => {
  it('is created with its settings, which no answer contains', async () => {
    const tenant = await server.tenant();
    const answers = [
      await tenant.post('/v3/channels', newChannel({ phoneNumberId: '5551' })),
      await tenant.post('/v3/channels', newAccount({ accountId: '5552' })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ text }) => text).join()).not.toMatch(/planted|config/);
  });

  it('is refused with an issue for every invalid setting', async () => {
    const tenant = await server.tenant();
    const { status, body } = await tenant.post('/v3/channels', newChannel({ appSecret: '', baseUrl: 'x' }));
    expect(status).toBe(400);
    expect(body.error.invalidParams).toEqual({
      'config.phoneNumberId': { key: 'invalid_type', message: 'Required' },
      'config.appSecret': { key: 'custom', message: expect.stringContaining('secret') },
      'config.baseUrl': { key: 'custom', message: expect.stringContaining('http') },
    });
  });

  it('has only its own kind', async () => {
    const tenant = await server.tenant();
    const { body } = await tenant.post('/v3/channels', { ...newAccount({ accountId: '5553' }), kind: 'sms' });
    expect(body.error.invalidParams).toHaveProperty('kind');
  });

  it('keeps its other credentials when one is changed', async () => {
    const tenant = await server.tenant();
    const { body } = await tenant.post('/v3/channels', newChannel({ phoneNumberId: '5554' }));
    expect(
      (await tenant.put(`/v3/channels/${body.data.id}`, { config: { appSecret: 'newer' } })).status,
    ).toBe(200);
    expect(await deliver('whatsapp_cloud', body.data.id, { entry: [] }, 'newer')).toBe(200);
  });
});

describe('a request of Meta', () => {
  const payload = {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '222',
        changes: [
          {
            field: 'messages',
            value: {
              metadata: { phone_number_id: '5555' },
              contacts: [{ profile: { name: 'Zoë Müller' }, wa_id: '15550001111' }],
              messages: [
                {
                  from: '15550001111',
                  id: 'wamid.a',
                  timestamp: '1794704523',
                  type: 'text',
                  text: { body: 'Grüße 🎉' },
                },
              ],
            },
          },
        ],
      },
    ],
  };

  it('becomes one message of one contact, however often it is sent', async () => {
    const tenant = await server.tenant();
    const { body } = await tenant.post('/v3/channels', newChannel({ phoneNumberId: '5555' }));
    for (let time = 0; time < 3; time += 1)
      expect(await deliver('whatsapp_cloud', body.data.id, payload)).toBe(200);
    expect(await messagesOf(tenant)).toMatchObject([
      { vendorId: 'wamid.a', sender: 'inbound', type: 'text', text: 'Grüße 🎉', channelId: body.data.id },
    ]);
    const contacts = await tenant.post('/v3/contacts/search', {});
    expect(contacts.body.data).toMatchObject([{ fullName: 'Zoë Müller', phoneNumber: '+15550001111' }]);
    expect(await failures(tenant)).toEqual([]);
  });

  it('W1: is refused if another app signed it', async () => {
    const tenant = await server.tenant();
    const { body } = await tenant.post('/v3/channels', newChannel({ phoneNumberId: '5556' }));
    for (const secret of ['another', 'undefined', ' '])
      expect(await deliver('whatsapp_cloud', body.data.id, payload, secret)).toBe(401);
    expect(await messagesOf(tenant)).toEqual([]);
  });
});
