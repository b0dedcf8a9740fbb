import { expect, it } from 'vitest';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import { useServer } from '../kit/server.ts';
import { messagesOf, useNumber } from '../kit/whatsapp.ts';

const server = await useServer();

/** What the button of Meta's dashboard sends. */
const dashboardTest = {
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '0',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '16505551111', phone_number_id: '123456123' },
            contacts: [{ profile: { name: 'test user name' }, wa_id: '16315551181' }],
            messages: [
              {
                from: '16315551181',
                id: 'ABGGFlA5Fpa',
                timestamp: '1504902988',
                type: 'text',
                text: { body: 'this is a text message' },
              },
            ],
          },
        },
      ],
    },
  ],
};

async function post(payload: object, secret: string): Promise<number> {
  const { headers, body: raw } = signedRequest(payload, '', secret);
  return (await server.call('POST', '/providers/whatsapp_cloud', { raw, headers })).status;
}
async function countIgnored(): Promise<number> {
  const { text } = await server.call('GET', '/metrics');
  const line =
    /^parley_vendor_requests_ignored_total\{provider="whatsapp_cloud",reason="not_connected"\} (\d+)$/m;
  return Number(line.exec(text)?.[1] ?? 0);
}
const messageFor = (phoneNumberId: string, accountId: string): object => {
  const [entry] = structuredClone(dashboardTest).entry;
  if (!entry?.changes[0]) throw new Error('no entry');
  entry.changes[0].value.metadata.phone_number_id = phoneNumberId;
  return { entry: [{ ...entry, id: accountId }] };
};

it('a signed request for a number that no channel has is answered and counted, and nothing is stored', async () => {
  const tenant = await server.tenant();
  const number = await useNumber(server, tenant);
  const before = await countIgnored();
  expect(await post(dashboardTest, number.appSecret)).toBe(200);
  expect(await post(messageFor('99887766', number.businessAccountId), number.appSecret)).toBe(200);
  await server.settle();
  expect(await countIgnored()).toBe(before + 2);
  expect(await messagesOf(tenant)).toEqual([]);
  const { rows } = await server.system.db.query('select 1 from inbound where tenant_id = $1', [tenant.id]);
  expect(rows).toEqual([]);
});

it('W1: with a wrong signature it is refused, and so is one for a number of another app', async () => {
  const number = await useNumber(server, await server.tenant());
  const other = await useNumber(server, await server.tenant());
  const before = await countIgnored();
  expect(await post(dashboardTest, 'wrong')).toBe(401);
  expect(await post(messageFor('99887766', number.businessAccountId), 'wrong')).toBe(401);
  expect(await post(messageFor(number.phoneNumberId, number.businessAccountId), other.appSecret)).toBe(401);
  expect(await countIgnored()).toBe(before);
});
