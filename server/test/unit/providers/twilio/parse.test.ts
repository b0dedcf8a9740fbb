import twilioSdk from 'twilio';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { AdapterChannel, InboundEvent, ProviderRequest } from '../../../../src/providers/adapter.ts';
import { SIGNATURE_HEADER, twilioSignature } from '../../../../src/providers/twilio/signature.ts';
import { twilio } from '../../../../src/providers/twilio/twilio.ts';
import { NOW } from '../../../kit/adapter-context.ts';
import { ACCOUNT, TOKEN } from '../../../kit/twilio.ts';

const channelOf = (config: object = {}): AdapterChannel => ({
  id: newId(),
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'sms',
  address: '+15550009999',
  config: twilio.configure({ accountSid: ACCOUNT, authToken: TOKEN, from: '+15550009999', ...config }, {}),
});
const channel = channelOf();
const URL_OF_CHANNEL = 'https://parley.test/providers/twilio/1';

const posted = (
  fields: Record<string, string> | [string, string][],
  url = URL_OF_CHANNEL,
): ProviderRequest => {
  const form = new URLSearchParams(fields);
  return {
    url,
    headers: { [SIGNATURE_HEADER]: signedBySdk(url, form) },
    body: Buffer.from(form.toString()),
    receivedAt: NOW,
  };
};
const paramsOf = (form: URLSearchParams): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
const signedBySdk = (url: string, form: URLSearchParams): string =>
  twilioSdk.getExpectedTwilioSignature(TOKEN, url, paramsOf(form));

const parse = async (fields: Record<string, string>, url?: string): Promise<InboundEvent[]> =>
  twilio.parseInbound(posted(fields, url), channel);
const told = { MessageSid: 'SM1', From: '+15550001111', To: '+15550009999', SmsStatus: 'received' };

describe('a signature of Twilio’s', () => {
  it.each([
    [URL_OF_CHANNEL, [['Body', 'hello & goodbye = ☃']]],
    [`${URL_OF_CHANNEL}?messageId=${newId()}&b=%20`, [['MessageStatus', 'sent']]],
    [
      URL_OF_CHANNEL,
      [
        ['b', '2'],
        ['B', '1'],
        ['a', ''],
        ['MediaUrl', 'y'],
        ['MediaUrl', 'x'],
        ['MediaUrl', 'x'],
      ],
    ],
    ['http://127.0.0.1:3000/providers/twilio/1', [['Body', '']]],
  ] as [string, [string, string][]][])('is made as Twilio’s own library makes it, for %s', (url, fields) => {
    const form = new URLSearchParams(fields);
    expect(twilioSignature(url, form, TOKEN)).toBe(signedBySdk(url, form));
    expect(twilio.verifySignature(posted(fields, url), channel)).toBe(true);
  });

  it('fits whether or not the port of the scheme is named', () => {
    const request = posted({ Body: 'a' }, 'https://parley.test:443/providers/twilio/1');
    expect(twilio.verifySignature({ ...request, url: URL_OF_CHANNEL }, channel)).toBe(true);
    const bare = posted({ Body: 'a' });
    expect(
      twilio.verifySignature({ ...bare, url: 'https://parley.test:443/providers/twilio/1' }, channel),
    ).toBe(true);
  });

  it('is refused where anything differs', () => {
    const request = posted({ Body: 'a' });
    const verify = (more: Partial<ProviderRequest>, at = channel) =>
      twilio.verifySignature({ ...request, ...more }, at);
    expect(verify({})).toBe(true);
    expect(verify({ url: 'https://parley.test/providers/twilio/2' })).toBe(false);
    expect(verify({ url: 'https://parley.test:8443/providers/twilio/2' })).toBe(false);
    expect(verify({ url: '' })).toBe(false);
    expect(verify({ body: Buffer.from('Body=b') })).toBe(false);
    expect(verify({ headers: {} })).toBe(false);
    expect(verify({ headers: { [SIGNATURE_HEADER]: 'AAAA' } })).toBe(false);
    expect(verify({}, channelOf({ authToken: 'another' }))).toBe(false);
  });
});

describe('what Twilio tells', () => {
  it('becomes a message at the time it was received', async () => {
    expect(await parse({ ...told, Body: 'Is this still available? ☃', NumMedia: '0' })).toEqual([
      {
        kind: 'message',
        vendorId: 'SM1',
        occurredAt: NOW,
        contact: { type: 'phone_number', value: '+15550001111', name: null },
        type: 'text',
        text: 'Is this still available? ☃',
        media: [],
        content: {},
      },
    ]);
  });

  it('brings pictures, to be fetched', async () => {
    const [event] = await parse({
      ...told,
      Body: '',
      NumMedia: '2',
      MediaUrl0: 'https://api.twilio.com/a',
      MediaContentType0: 'image/jpeg',
      MediaUrl1: 'https://api.twilio.com/b',
      MediaContentType1: 'text/vcard',
    });
    expect(event).toMatchObject({
      type: 'image',
      text: null,
      media: [
        { mimeType: 'image/jpeg', ref: { url: 'https://api.twilio.com/a' } },
        { mimeType: 'text/vcard', ref: { url: 'https://api.twilio.com/b' } },
      ],
    });
  });

  it.each([
    ['STOP', 'stop'],
    [' stop\n', 'stop'],
    ['StopAll', 'stop'],
    ['unsubscribe', 'stop'],
    ['CANCEL', 'stop'],
    ['end', 'stop'],
    ['quit', 'stop'],
    ['revoke', 'stop'],
    ['optout', 'stop'],
    ['START', 'start'],
    ['unstop', 'start'],
    ['please stop', undefined],
    ['stop!', undefined],
    ['', undefined],
  ])('a text of %j asks for %s', async (Body, expected) => {
    const [event] = await parse({ ...told, Body });
    expect((event as { subscription?: string }).subscription).toBe(expected);
    expect(event).toMatchObject({ kind: 'message' });
  });

  it('Twilio’s own judgement of a text counts, where it is given', async () => {
    expect(await parse({ ...told, Body: 'ARRET', OptOutType: 'STOP' })).toMatchObject([
      { subscription: 'stop' },
    ]);
  });

  it('is a status with our own id, from the URL that it was told to call', async () => {
    const messageId = newId();
    const url = `${URL_OF_CHANNEL}?messageId=${messageId}`;
    const status = (MessageStatus: string, more = {}) =>
      parse({ MessageSid: 'SM1', MessageStatus, ...more }, url);
    expect(await status('delivered')).toEqual([
      { kind: 'status', vendorId: 'SM1', messageId, status: 'delivered', occurredAt: NOW },
    ]);
    expect(await status('sent')).toMatchObject([{ status: 'sent' }]);
    expect(await status('undelivered', { ErrorCode: '30005' })).toMatchObject([
      { status: 'failed', error: { code: '30005', message: 'There is no such phone any more.' } },
    ]);
    expect(await status('failed', { ErrorCode: '99999', ErrorMessage: 'in words' })).toMatchObject([
      { status: 'failed', error: { code: '99999', message: 'in words' } },
    ]);
    for (const still of ['queued', 'accepted', 'sending', 'scheduled', 'unheardof'])
      expect(await status(still)).toEqual([]);
  });

  it('an id in the URL that is none of ours is left out', async () => {
    const events = await parse({ MessageSid: 'SM1', MessageStatus: 'sent' }, `${URL_OF_CHANNEL}?messageId=1`);
    expect(events).toEqual([{ kind: 'status', vendorId: 'SM1', status: 'sent', occurredAt: NOW }]);
  });

  it('throws at what makes no sense, and takes what cannot be stored out of texts', async () => {
    await expect(parse({ Body: 'a' })).rejects.toThrow('names no message');
    await expect(parse({ MessageSid: 'SM1', Body: 'a' })).rejects.toThrow('who wrote');
    expect(await parse({ ...told, Body: 'a\0b' })).toMatchObject([{ text: 'a\uFFFDb' }]);
    expect(await parse({ ...told, Body: 'a', NumMedia: '1000000000' })).toMatchObject([{ media: [] }]);
  });
});
