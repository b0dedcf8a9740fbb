import twilioSdk from 'twilio';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import type { InboundEvent } from '../../../../src/providers/inbound-event.ts';
import type { ProviderRequest } from '../../../../src/providers/provider-request.ts';
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
const form = { MessageSid: 'SM1', From: '+15550001111', To: '+15550009999', SmsStatus: 'received' };

describe('a signature of Twilio', () => {
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

  it('is valid with and without the default port', () => {
    const request = posted({ Body: 'a' }, 'https://parley.test:443/providers/twilio/1');
    expect(twilio.verifySignature({ ...request, url: URL_OF_CHANNEL }, channel)).toBe(true);
    const bare = posted({ Body: 'a' });
    expect(
      twilio.verifySignature({ ...bare, url: 'https://parley.test:443/providers/twilio/1' }, channel),
    ).toBe(true);
  });

  it('is invalid if anything differs', () => {
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

describe('a request of Twilio', () => {
  it('becomes a message with the time of its arrival', async () => {
    expect(await parse({ ...form, Body: 'Is this still available? ☃', NumMedia: '0' })).toEqual([
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

  it('has pictures to fetch', async () => {
    const [event] = await parse({
      ...form,
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

  it('with OptOutType is an opt-out, whatever its text', async () => {
    expect(await parse({ ...form, Body: 'ARRET', OptOutType: 'STOP' })).toMatchObject([
      { subscription: 'stop' },
    ]);
  });

  it('is a status with our own id from the callback URL', async () => {
    const messageId = newId();
    const url = `${URL_OF_CHANNEL}?messageId=${messageId}`;
    const status = (MessageStatus: string, more = {}) =>
      parse({ MessageSid: 'SM1', MessageStatus, ...more }, url);
    expect(await status('delivered')).toEqual([
      { kind: 'status', vendorId: 'SM1', messageId, status: 'delivered', occurredAt: NOW },
    ]);
    expect(await status('sent')).toMatchObject([{ status: 'sent' }]);
    expect(await status('undelivered', { ErrorCode: '30005' })).toMatchObject([
      { status: 'failed', error: { code: '30005', message: 'The phone no longer exists.' } },
    ]);
    expect(await status('failed', { ErrorCode: '99999', ErrorMessage: 'in words' })).toMatchObject([
      { status: 'failed', error: { code: '99999', message: 'in words' } },
    ]);
    for (const still of ['queued', 'accepted', 'sending', 'scheduled', 'unheardof', 'constructor'])
      expect(await status(still)).toEqual([]);
  });

  it('ignores an id in the URL that is not ours', async () => {
    const events = await parse({ MessageSid: 'SM1', MessageStatus: 'sent' }, `${URL_OF_CHANNEL}?messageId=1`);
    expect(events).toEqual([{ kind: 'status', vendorId: 'SM1', status: 'sent', occurredAt: NOW }]);
  });

  it('throws if it is invalid, and removes NUL from texts', async () => {
    await expect(parse({ Body: 'a' })).rejects.toThrow('has no MessageSid');
    await expect(parse({ MessageSid: 'SM1', Body: 'a' })).rejects.toThrow('has no From');
    expect(await parse({ ...form, Body: 'a\0b' })).toMatchObject([{ text: 'a\uFFFDb' }]);
    expect(await parse({ ...form, Body: 'a', NumMedia: '1000000000' })).toMatchObject([{ media: [] }]);
  });
});

describe('a sender on another network than SMS', () => {
  it.each([
    ['whatsapp:+15550001111', 'whatsapp', 'phone_number', '+15550001111'],
    ['rcs:+15550001111', 'rcs', 'phone_number', '+15550001111'],
    ['whatsapp:US.13491208655302741918', 'whatsapp', 'whatsapp_id', 'US.13491208655302741918'],
  ])('%s', async (From, transport, type, value) => {
    expect(await parse({ ...form, From, Body: 'hi' })).toMatchObject([
      { contact: { type, value }, type: 'text', text: 'hi', content: { transport } },
    ]);
  });

  it('on Messenger is left out', async () => {
    expect(await parse({ ...form, From: 'messenger:100', Body: 'hi' })).toEqual([]);
  });
});

describe('a message with more than a text', () => {
  it('has its place', async () => {
    const place = { Latitude: '52.5', Longitude: '13.4', Address: 'Main Street', Label: 'Shop' };
    expect(await parse({ ...form, ...place })).toMatchObject([
      {
        type: 'location',
        text: null,
        content: { latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Main Street' },
      },
    ]);
    expect(await parse({ ...form, Latitude: 'north', Longitude: '1', Body: 'a' })).toMatchObject([
      { type: 'text', content: {} },
    ]);
  });

  it('has the button that was chosen', async () => {
    const button = { From: 'whatsapp:+15550001111', ButtonPayload: 'yes-1', ButtonText: 'Yes', Body: 'Yes' };
    expect(await parse({ ...form, ...button })).toMatchObject([
      { type: 'interactive', text: 'Yes', content: { id: 'yes-1', title: 'Yes', transport: 'whatsapp' } },
    ]);
    expect(await parse({ ...form, ButtonPayload: 'a' })).toMatchObject([
      { type: 'interactive', text: null, content: { id: 'a', title: null } },
    ]);
  });
});

describe('the settings', () => {
  const SK = `SK${'0123456789abcdef'.repeat(2)}`;
  const issuesOf = (config: object): string[] => {
    try {
      twilio.configure({ accountSid: ACCOUNT, authToken: TOKEN, from: '+15550009999', ...config }, {});
      return [];
    } catch (error) {
      return Object.keys((error as { invalidParams: object }).invalidParams);
    }
  };

  it('may have an API key, with its secret and besides the auth token', () => {
    expect(issuesOf({ apiKeySid: SK, apiKeySecret: 'secret' })).toEqual([]);
    expect(issuesOf({ apiKeySid: SK })).toEqual(['config.apiKeySecret']);
    expect(issuesOf({ apiKeySecret: 'secret' })).toEqual(['config.apiKeySid']);
    expect(issuesOf({ apiKeySid: 'AC1', apiKeySecret: 'secret' })).toEqual(['config.apiKeySid']);
    expect(issuesOf({ apiKeySid: SK, apiKeySecret: 'secret', authToken: null })).toEqual([
      'config.authToken',
    ]);
  });

  it('may name a sender on WhatsApp or RCS', () => {
    expect(issuesOf({ from: 'whatsapp:+15550009999' })).toEqual([]);
    expect(issuesOf({ from: 'rcs:shop_agent' })).toEqual([]);
    expect(issuesOf({ from: 'whatsapp:shop' })).toEqual(['config.from']);
    expect(issuesOf({ from: 'fax:+15550009999' })).toEqual(['config.from']);
  });
});
