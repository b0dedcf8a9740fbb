import { verifyWebhook, WebhookError } from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { keyOf, signedHeaders } from '../../../src/webhooks/payload.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const body = '{"type":"message.received","data":{"text":"Grüße 🙂 \\u2028"}}';
const signed = (secondsAgo = 0, ...secrets: string[]) =>
  signedHeaders('3.0.0', '019a82a0', new Date(Date.now() - secondsAgo * 1000), body, secrets.map(keyOf));
const good = signed(0, secret);

describe('verifyWebhook', () => {
  it('returns the event, whatever form the body and the headers have', async () => {
    const bytes = new TextEncoder().encode(body);
    const capitals = Object.fromEntries(
      Object.entries(good).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const given of [body, bytes, bytes.buffer, Buffer.from(body)])
      for (const headers of [good, capitals, new Headers(good)])
        expect(await verifyWebhook({ body: given, headers, secret })).toEqual(JSON.parse(body));
  });

  it('accepts one of several signatures, and another age if asked to', async () => {
    const two = signed(0, other, secret);
    expect(await verifyWebhook({ body, headers: two, secret })).toBeDefined();
    const unknown = { ...good, 'webhook-signature': `v2,abc v1,! ${good['webhook-signature']}` };
    expect(await verifyWebhook({ body, headers: unknown, secret })).toBeDefined();
    expect(
      await verifyWebhook({ body, headers: signed(900, secret), secret, toleranceSeconds: 1000 }),
    ).toBeDefined();
  });

  it.each<[string, Record<string, string | string[] | undefined>, string?]>([
    ['another secret', signed(0, other)],
    ['a request of an hour ago', signed(3600, secret)],
    ['a request of the future', signed(-3600, secret)],
    ['another id', { ...good, 'webhook-id': 'another' }],
    ['another time', { ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }],
    ['a time that is none', { ...good, 'webhook-timestamp': 'now' }],
    ['a time with an exponent', { ...good, 'webhook-timestamp': '1e9' }],
    ['no signature', { ...good, 'webhook-signature': undefined }],
    ['an empty signature', { ...good, 'webhook-signature': 'v1,' }],
    [
      'a signature of another version',
      { ...good, 'webhook-signature': good['webhook-signature'].replace('v1', 'v2') },
    ],
    ['two ids', { ...good, 'webhook-id': ['019a82a0', 'x'] }],
    ['no headers', {}],
    ['a changed body', good, `${body} `],
    ['an empty body', good, ''],
  ])('refuses %s', async (_, headers, given = body) => {
    await expect(verifyWebhook({ body: given, headers, secret })).rejects.toThrow(WebhookError);
  });

  it('says that the secret is none: the mistake is on our side', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_***', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])
      await expect(verifyWebhook({ body, headers: good, secret: wrong })).rejects.toThrow(TypeError);
  });
});
