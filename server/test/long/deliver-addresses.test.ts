import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import type { Lookup } from '../../src/outbound/connector.ts';
import { useSamePort } from '../kit/internet.ts';
import { type Receiver, useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { ACCOUNT, TOKEN } from '../kit/twilio.ts';
import { deliveriesOf, subscribe, write } from '../kit/webhooks.ts';

/**
 * 127.0.0.2 represents the internet: it is the only allowed address. 127.0.0.1 represents an internal service, and every
 * connection to it is counted. All other addresses below are refused before a connection is made.
 */
const answers = new Map<string, string[]>();
const lookup: Lookup = async (name) => {
  const found = answers.get(name);
  if (!found) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
const server = await useServer({
  policy: { allow: parseAllowList('127.0.0.2'), loopback: false },
  outbound: { lookup },
});

const [outside, inside] = (await useSamePort(
  (port) => useReceiver('127.0.0.2', port),
  (port) => useReceiver('127.0.0.1', port),
)) as [Receiver, Receiver];
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  answers.clear();
  outside.received.length = 0;
  tenant = await server.tenant();
  channel = await tenant.channel();
});
const hookAt = (host: string) => subscribe(tenant, `http://${host}:${outside.port}${outside.path}`);
const say = async (text: string): Promise<void> => {
  await write(tenant, channel, text);
  await server.settle();
};
/** The last attempt, which must have ended before anything was sent. */
async function expectRefused(hook: { id: string }): Promise<void> {
  const attempt = (await deliveriesOf(tenant, hook)).at(-1).attempts.at(-1);
  expect(attempt.response).toBeNull();
  expect(attempt.error).toContain('PARLEY_OUTBOUND_ALLOW_HOSTS');
  expect([attempt.timings.connectMs, attempt.timings.waitMs]).toEqual([null, null]);
  expect(inside.connections()).toBe(0);
}

describe('a host name', () => {
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fd00:ec2::254',
    '4000::1',
  ])('S2: that was public and resolves to %s at the time of sending is not connected to', async (address) => {
    answers.set('rebound.example', ['127.0.0.2']);
    const hook = await hookAt('rebound.example');
    // The connection must not be kept: over it, the first answer of the resolver would still be used.
    outside.answerWith({ status: 200, headers: { connection: 'close' } });
    await say('before');
    expect(outside.received).toHaveLength(1);
    answers.set('rebound.example', [address]);
    await say('after');
    await expectRefused(hook);
    expect(outside.received).toHaveLength(1);
  });

  it.each([
    [['127.0.0.2', '127.0.0.1']],
    [['127.0.0.1', '127.0.0.2']],
    [['127.0.0.2', '127.0.0.2', '::ffff:127.0.0.1']],
    [['127.0.0.2', '10.0.0.1']],
  ])('S2: with one bad address among %j is not connected to at all', async (mixed) => {
    answers.set('mixed.example', mixed);
    const before = outside.connections();
    const hook = await hookAt('mixed.example');
    await say('hello');
    await expectRefused(hook);
    expect(outside.connections()).toBe(before);
  });

  it('S2: that does not resolve is a failed attempt, and the next one resolves it again', async () => {
    const hook = await hookAt('late.example');
    await say('hello');
    answers.set('late.example', []);
    server.clock.advance(10_000);
    await server.settle();
    answers.set('late.example', ['127.0.0.2']);
    server.clock.advance(3600_000);
    await server.settle();
    const [delivery] = await deliveriesOf(tenant, hook);
    expect(delivery.status).toBe('delivered');
    expect(delivery.attempts.map(({ error }: { error: string | null }) => error)).toEqual([
      expect.stringContaining('late.example: it has no public address'),
      expect.stringContaining('late.example: it has no public address'),
      null,
    ]);
  });
});

const spellings = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '１２７.０.０.１',
  '127.0.0.1.',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[::1]',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
];

describe('an address', () => {
  it.each(spellings)('S1: written as %s is refused at creation and at update', async (host) => {
    const url = `http://${host}:${outside.port}${outside.path}`;
    const { id } = await hookAt('127.0.0.2');
    for (const answer of [
      await tenant.post('/v3/api_webhooks', { url, events: [{}] }),
      await tenant.put(`/v3/api_webhooks/${id}`, { url }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.error.invalidParams).toEqual({
        url: { key: 'invalid_string', message: expect.any(String) },
      });
    }
  });

  it.each(spellings)('S1: written as %s is not connected to, even if it was allowed before', async (host) => {
    answers.set(host.toLowerCase(), ['127.0.0.1']);
    const hook = await hookAt('127.0.0.2');
    // Like a webhook that was created while the operator allowed the address.
    const url = `http://${host}:${outside.port}${outside.path}`;
    await server.system.db.query('update webhooks set url = $2 where id = $1', [hook.id, url]);
    await say('hello');
    await expectRefused(hook);
    expect(outside.received).toEqual([]);
  });
});

describe('a redirect', () => {
  it.each([
    301, 302, 303, 307, 308,
  ])('S3: with %i to an internal address is a failed attempt and not followed', async (status) => {
    const hook = await hookAt('127.0.0.2');
    outside.answerWith({ status, headers: { location: inside.url } });
    await say('hello');
    expect(inside.connections()).toBe(0);
    expect(outside.received).toHaveLength(1);
    expect(await deliveriesOf(tenant, hook)).toMatchObject([
      {
        status: 'pending',
        attempts: [
          {
            response: { status, headers: { location: inside.url } },
            error: `The receiver answered ${status}; only 2xx counts as received.`,
          },
        ],
      },
    ]);
  });
});

describe('a server in the settings of a channel', () => {
  const twilio = (baseUrl: string) => ({
    kind: 'sms',
    provider: 'twilio',
    name: 'Texts',
    address: '+15550009999',
    config: { accountSid: ACCOUNT, authToken: TOKEN, from: '+15550009999', baseUrl },
  });
  const mail = (config: object) => ({
    kind: 'email',
    provider: 'smtp',
    name: 'Mail',
    address: 'help@example.com',
    config: { from: 'help@example.com', smtp: { host: 'mail.example.com', port: 465 }, ...config },
  });

  it.each([
    ['baseUrl', twilio('http://localhost:9/')],
    ['baseUrl', twilio('https://0x7f.1')],
    ['baseUrl', twilio('http://169.254.169.254')],
    ['smtp.host', mail({ smtp: { host: 'localhost', port: 25 } })],
    ['smtp.host', mail({ smtp: { host: '::1', port: 25 } })],
    ['smtp.host', mail({ smtp: { host: '[::1]', port: 25 } })],
    ['smtp.host', mail({ smtp: { host: 'local%68ost', port: 25 } })],
    ['smtp.host', mail({ smtp: { host: 'LOCALHOST.', port: 25 } })],
    ['smtp.host', mail({ smtp: { host: '2130706433', port: 25 } })],
    ['imap.host', mail({ imap: { host: '10.0.0.1', port: 993, user: 'a', password: 'b' } })],
    [
      'oauth.tokenUrl',
      mail({
        smtp: { host: 'mail.example.com', port: 465, user: 'ada' },
        oauth: { tokenUrl: 'https://10.0.0.1/token', clientId: 'a', refreshToken: 'b' },
      }),
    ],
  ])('is refused at %s when the channel is created', async (path, channel) => {
    const answer = await tenant.post('/v3/channels', channel);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: {
          invalidParams: {
            [`config.${path}`]: { message: expect.stringContaining('PARLEY_OUTBOUND_ALLOW_HOSTS') },
          },
        },
      },
    });
  });

  it('is refused when the channel is changed, and the old settings stay', async () => {
    const { body } = await tenant.post('/v3/channels', twilio('http://127.0.0.2'));
    const changed = await tenant.put(`/v3/channels/${body.data.id}`, {
      config: { baseUrl: 'http://localhost' },
    });
    expect(Object.keys(changed.body.error.invalidParams)).toEqual(['config.baseUrl']);
    expect((await tenant.get(`/v3/channels/${body.data.id}`)).body.data).toEqual(body.data);
  });
});
