import { expect, it } from 'vitest';
import { SIGNATURE_HEADER, twilioSignature } from '../../src/providers/twilio/signature.ts';
import { onlyChat } from '../kit/meta-channel.ts';
import { useServer } from '../kit/server.ts';
import { ACCOUNT, TOKEN, useTwilio } from '../kit/twilio.ts';

const server = await useServer();
const vendor = await useTwilio();

it.each([
  ['whatsapp:+15550009999', 'whatsapp:+15550001111', undefined],
  ['rcs:shop_agent', 'rcs:+15550001111', undefined],
  ['whatsapp:+15550009999', 'whatsapp:+15550001111', `MG${'a'.repeat(32)}`],
])('a message to %s is one of a phone number, and its answer goes back there', async (from, customer, messagingServiceSid) => {
  const tenant = await server.tenant();
  const { body } = await tenant.post('/v3/channels', {
    kind: 'sms',
    provider: 'twilio',
    name: 'Texts',
    address: from,
    config: {
      accountSid: ACCOUNT,
      authToken: TOKEN,
      ...(messagingServiceSid === undefined ? { from } : { messagingServiceSid }),
      baseUrl: vendor.url,
    },
  });
  const path = `/providers/twilio/${body.data.id}`;
  const form = new URLSearchParams({
    MessageSid: `SM${tenant.id}`,
    From: customer,
    To: from,
    Body: 'Yes',
    ButtonPayload: 'yes-1',
    ButtonText: 'Yes',
  });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    [SIGNATURE_HEADER]: twilioSignature(`https://parley.test${path}`, form, TOKEN),
  };
  expect((await server.call('POST', path, { raw: form.toString(), headers })).status).toBe(200);
  await server.settle();
  const chat = await onlyChat(tenant);
  expect(chat).toMatchObject({
    handle: { type: 'phone_number', value: '+15550001111' },
    latestMessage: {
      type: 'interactive',
      text: 'Yes',
      content: { id: 'yes-1', title: 'Yes', transport: customer.split(':')[0] },
    },
  });
  expect((await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Fine' })).status).toBe(200);
  await server.settle();
  const sent = vendor.taken.at(-1)?.form;
  expect([sent?.get('From'), sent?.get('To'), sent?.get('Body'), sent?.get('MessagingServiceSid')]).toEqual([
    messagingServiceSid === undefined ? from : null,
    customer,
    'Fine',
    messagingServiceSid ?? null,
  ]);
});
