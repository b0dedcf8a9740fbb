import twilioSdk from 'twilio';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import { twilio } from '../../../../src/providers/twilio/twilio.ts';
import { useAdapterContext } from '../../../kit/adapter-context.ts';
import { outgoing } from '../../../kit/outgoing.ts';
import { ACCOUNT, API_KEY, API_SECRET, PICTURE, TOKEN, useTwilio } from '../../../kit/twilio.ts';

const vendor = await useTwilio();
const context = useAdapterContext();
beforeEach(() => {
  vendor.taken.length = 0;
  vendor.fetched.length = 0;
});

const channelOf = (config: object = {}): AdapterChannel => ({
  id: newId(),
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'sms',
  address: '+15550009999',
  config: twilio.configure(
    { accountSid: ACCOUNT, authToken: TOKEN, from: '+15550009999', baseUrl: vendor.url, ...config },
    {},
  ),
});
const channel = channelOf();
describe('a message to Twilio', () => {
  it('is accepted, and its callback has our id', async () => {
    const message = outgoing({ text: 'Good morning ☃ & more' });
    const result = await twilio.send(message, channel, context);
    expect(result).toEqual({ ok: true, vendorId: vendor.taken[0]?.sid, status: 'queued' });
    expect(Object.fromEntries(vendor.taken[0]?.form ?? [])).toEqual({
      To: '+15550001111',
      From: '+15550009999',
      Body: 'Good morning ☃ & more',
      StatusCallback: `https://parley.test/providers/twilio/${channel.id}?messageId=${message.id}`,
    });
  });

  it('is sent through a messaging service, with files and without a text', async () => {
    const service = channelOf({ from: null, messagingServiceSid: `MG${'a'.repeat(32)}` });
    const file = (name: string) => ({
      url: `https://files.test/${name}`,
      mimeType: 'image/png',
      filename: name,
      size: 1,
    });
    await twilio.send(
      outgoing({ type: 'image', text: null, media: [file('a'), file('b')] }),
      service,
      context,
    );
    const [{ form } = { form: new URLSearchParams() }] = vendor.taken;
    expect(form.get('MessagingServiceSid')).toBe(`MG${'a'.repeat(32)}`);
    expect(form.has('From')).toBe(false);
    expect(form.has('Body')).toBe(false);
    expect(form.getAll('MediaUrl')).toEqual(['https://files.test/a', 'https://files.test/b']);
  });

  it('of a sender on WhatsApp or RCS goes to the recipient there', async () => {
    for (const from of ['whatsapp:+15550009999', 'rcs:shop_agent']) {
      expect(await twilio.send(outgoing({ text: 'a' }), channelOf({ from }), context)).toMatchObject({
        ok: true,
      });
      const form = vendor.taken.at(-1)?.form;
      expect([form?.get('From'), form?.get('To')]).toEqual([from, `${from.split(':')[0]}:+15550001111`]);
    }
  });

  it('is sent with an API key, if the channel has one', async () => {
    const key = { apiKeySid: API_KEY, apiKeySecret: API_SECRET };
    const own = channelOf({ ...key, authToken: 'only-for-signatures' });
    expect(await twilio.send(outgoing({ text: 'a' }), own, context)).toMatchObject({ ok: true });
    expect(await twilio.check(own, context)).toEqual([]);
    const wrong = channelOf({ ...key, apiKeySecret: 'wrong' });
    expect(await twilio.check(wrong, context)).toMatchObject([{ path: 'config.apiKeySid' }]);
  });

  it('that is a template is sent as text', async () => {
    const template = {
      name: 'order',
      language: 'en',
      vendorId: null,
      header: { type: 'text', text: 'Order {{1}}', url: null },
      body: 'Dear {{name}}, {{1}} is on its way. {{unknown}} {{{name}}}',
      footer: 'Reply STOP to opt out',
      buttons: [],
      variables: { 1: 'A-17', name: 'Ada {{1}}' },
    };
    await twilio.send(outgoing({ type: 'template', text: null, template }), channel, context);
    expect(vendor.taken[0]?.form.get('Body')).toBe(
      'Order A-17\n\nDear Ada {{1}}, A-17 is on its way. {{unknown}} {{{name}}}\n\nReply STOP to opt out',
    );
  });

  it.each([
    [{ status: 400, code: 21610 }, 'never'],
    [{ status: 400, code: 21211 }, 'never'],
    [{ status: 400, code: 21614 }, 'never'],
    [{ status: 403, code: 21408 }, 'never'],
    [{ status: 400, code: 30003 }, 'never'],
    [{ status: 400, code: 30008 }, 'never'],
    [{ status: 400 }, 'never'],
    [{ status: 429, code: 20429 }, 'backoff'],
    [{ status: 400, code: 30001 }, 'backoff'],
    [{ status: 503 }, 'backoff'],
    [{ status: 401, code: 20003 }, 'reauth'],
    [{ status: 403, code: 20005 }, 'reauth'],
    [{ status: 500, code: 20500 }, 'unknown'],
    [{ status: 502 }, 'unknown'],
  ])('that is refused with %j is tried again: %s', async (refusal, retry) => {
    vendor.answerWith({ ...refusal, message: 'in Twilio’s words' });
    const code = 'code' in refusal ? String(refusal.code) : `http_${refusal.status}`;
    expect(await twilio.send(outgoing(), channel, context)).toEqual({
      ok: false,
      error: { code, message: 'in Twilio’s words' },
      retry,
    });
  });

  it('waits as long as Twilio asks for', async () => {
    vendor.answerWith({ status: 429, code: 20429, headers: { 'retry-after': '7' } });
    expect(await twilio.send(outgoing(), channel, context)).toMatchObject({
      retry: 'backoff',
      retryAfterMs: 7000,
    });
  });

  it('whose answer is lost may have been sent', async () => {
    vendor.answerWith('break', 'nonsense');
    expect(await twilio.send(outgoing(), channel, context)).toMatchObject({ ok: false, retry: 'unknown' });
    expect(await twilio.send(outgoing(), channel, context)).toMatchObject({ ok: false, retry: 'unknown' });
    expect(vendor.taken).toHaveLength(2);
  });

  it('that was not sent is tried again, unless the address is forbidden', async () => {
    const nobody = channelOf({ baseUrl: 'http://127.0.0.1:1' });
    expect(await twilio.send(outgoing(), nobody, context)).toMatchObject({ ok: false, retry: 'backoff' });
    const inside = channelOf({ baseUrl: 'http://10.0.0.1' });
    expect(await twilio.send(outgoing(), inside, context)).toMatchObject({ ok: false, retry: 'never' });
  });
});

describe('a file of an MMS', () => {
  const at = (name: string) => ({
    url: `${vendor.url}/2010-04-01/Accounts/${ACCOUNT}/Messages/MM1/Media/${name}`,
  });
  const fetchMedia = (ref: Record<string, unknown>) => twilio.fetchMedia?.(ref, channel, context);

  it('is fetched through one redirect, without the credentials', async () => {
    expect(await fetchMedia(at('ME1'))).toEqual({ bytes: PICTURE, mimeType: 'image/png', filename: null });
    expect(
      vendor.fetched.map(({ path, headers }) => [
        path === '/cdn/picture',
        headers.authorization !== undefined,
      ]),
    ).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it('that is redirected twice, deleted, or elsewhere is not fetched', async () => {
    await expect(fetchMedia(at('round'))).rejects.toMatchObject({ code: 'http_401', isTemporary: false });
    await expect(fetchMedia(at('gone'))).rejects.toMatchObject({ code: 'http_404', isTemporary: false });
    vendor.fetched.length = 0;
    await expect(fetchMedia({ url: 'http://127.0.0.1:1/x' })).rejects.toMatchObject({
      code: 'media_elsewhere',
    });
    await expect(fetchMedia({})).rejects.toMatchObject({ code: 'media_elsewhere' });
    expect(vendor.fetched).toEqual([]);
  });
});

describe('settings for Twilio', () => {
  const issues = (config: object): unknown => {
    try {
      return twilio.configure(config as Record<string, unknown>, {});
    } catch (error) {
      return Object.keys((error as { invalidParams: object }).invalidParams).sort();
    }
  };
  it('are refused with all issues at once', () => {
    expect(issues({})).toEqual(['config.accountSid', 'config.authToken', 'config.from']);
    expect(
      issues({ accountSid: 'AC1', authToken: 7, from: '<>', messagingServiceSid: 'x', baseUrl: 'ftp://x' }),
    ).toEqual(
      ['accountSid', 'authToken', 'baseUrl', 'from', 'messagingServiceSid'].map((name) => `config.${name}`),
    );
  });
  it('keep what is not given, and unknown ones are refused', () => {
    const stored = channel.config;
    expect(twilio.configure({ authToken: 'new' }, stored)).toEqual({
      ...stored,
      authToken: 'new',
    });
    expect(issues({ ...stored, unheardOf: 1 })).toEqual(['config.unheardOf']);
  });
  it('are checked by a call to Twilio', async () => {
    expect(await twilio.check(channel, context)).toEqual([]);
    expect(await twilio.check(channelOf({ authToken: 'wrong' }), context)).toMatchObject([
      { path: 'config.authToken' },
    ]);
    vendor.account.status = 'suspended';
    expect(await twilio.check({ ...channel, address: 'x' }, context)).toMatchObject([
      { path: 'address' },
      { path: 'config.accountSid' },
    ]);
    vendor.account.status = 'active';
    const local = { ...context, callbackUrl: () => 'http://127.0.0.1:3000/providers/twilio/1' };
    expect(await twilio.check(channelOf({ baseUrl: 'http://127.0.0.1:1' }), local)).toMatchObject([
      { message: expect.stringContaining('PARLEY_BASE_URL') },
      { path: 'config.baseUrl' },
    ]);
  });
});

it('Twilio’s own client works with the fake server', async () => {
  const http = new twilioSdk.RequestClient();
  const request = http.request.bind(http);
  http.request = (options) =>
    request({ ...options, uri: options.uri.replace('https://api.twilio.com', vendor.url) });
  const client = twilioSdk(ACCOUNT, TOKEN, { httpClient: http });
  const sent = await client.messages.create({
    to: '+15550001111',
    from: '+15550009999',
    body: 'hello',
    mediaUrl: ['https://files.test/a', 'https://files.test/b'],
    statusCallback: 'https://parley.test/x',
  });
  expect(sent).toMatchObject({
    sid: vendor.taken[0]?.sid,
    status: 'queued',
    body: 'hello',
    numMedia: '2',
    errorCode: null,
  });
  expect(vendor.taken[0]?.form.getAll('MediaUrl')).toEqual(['https://files.test/a', 'https://files.test/b']);
  vendor.answerWith({ status: 400, code: 21610, message: 'opted out' });
  await expect(client.messages.create({ to: '+1', from: '+1', body: 'a' })).rejects.toMatchObject({
    code: 21610,
    status: 400,
  });
  expect((await client.api.v2010.accounts(ACCOUNT).fetch()).status).toBe('active');
  const unauthorized = twilioSdk(ACCOUNT, 'wrong', { httpClient: http });
  await expect(unauthorized.messages.create({ to: '+1', from: '+1', body: 'a' })).rejects.toMatchObject({
    code: 20003,
  });
});
