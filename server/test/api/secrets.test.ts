import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/base/crypto.ts';
import { dumpTables } from '../kit/dump.ts';
import { useReceiver } from '../kit/receiver.ts';
import { OPERATOR_TOKEN, SECRET_KEY, useServer } from '../kit/server.ts';

const server = await useServer();
const receiver = await useReceiver();

/** Uses every secret there is, in the ways that work and in those that fail. */
async function plant() {
  const tenant = await server.tenant();
  const password = 'hunter2-the-password-of-a-channel';
  const channel = (
    await tenant.post('/v3/channels', {
      kind: 'whatsapp',
      provider: 'sandbox',
      name: 'Test',
      address: '+15550009999',
    })
  ).body.data;
  const mail = await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Mail',
    address: 'help@shop.test',
    config: {
      from: 'help@shop.test',
      smtp: { host: '127.0.0.1', port: 25, user: 'help', password },
      inboundSecret: password,
    },
  });
  expect(mail.status).toBe(200);
  const hook = await tenant.post(
    '/v3/api_webhooks',
    { url: receiver.url, events: [{}] },
    {
      headers: { 'idempotency-key': 'planted' },
    },
  );
  const made = await tenant.post(
    '/v3/tokens',
    { name: 'a', scopes: ['*'] },
    { headers: { 'idempotency-key': 'planted' } },
  );
  receiver.answerWith(500);
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
  await server.settle();
  server.clock.advance(60_000);
  await server.settle();
  const { rows } = await server.system.db.query('select config_encrypted from channels where id = $1', [
    channel.id,
  ]);
  const config = JSON.parse(
    server.keys.decrypt((rows[0] as { config_encrypted: Buffer }).config_encrypted, 'channels.config'),
  );
  const secrets: Record<string, string> = {
    'access token': made.body.data.token,
    'access token in use': tenant.token,
    'signature of a token': tenant.token.split('.')[2] as string,
    'webhook secret': hook.body.data.secret,
    'webhook secret’s bytes': Buffer.from(hook.body.data.secret.slice(6), 'base64').toString('hex'),
    'sandbox signing secret': config.signingSecret,
    'channel password': password,
    'operator token': OPERATOR_TOKEN,
    'installation key': SECRET_KEY,
  };
  for (const [name, secret] of Object.entries(secrets))
    expect([name, secret.length > 20]).toEqual([name, true]);
  return { tenant, channel, hook: hook.body.data, secrets };
}

/** What the server says when it is asked wrongly, with secrets in every place that a client may put them by mistake. */
async function provoke({ tenant, channel, secrets }: Awaited<ReturnType<typeof plant>>): Promise<string> {
  const { token } = tenant;
  const answers = [
    await server.call('GET', '/v3/me', { token: `${token}x` }),
    await server.call('GET', `/v3/me?token=${token}`),
    await server.call('GET', '/admin/tenants', { token: OPERATOR_TOKEN }),
    await server.call('GET', '/admin/tenants', { token }),
    await server.call('GET', '/v3/me', { headers: { authorization: `Basic ${token}` } }),
    await tenant.get(`/v3/channels/${channel.id}`),
    await tenant.post('/v3/tokens/search', { query: 'x' }),
    await tenant.post('/v3/api_webhooks', { url: 'x', events: [{}] }),
    await tenant.post('/v3/channels', {
      kind: 'x',
      provider: 'sandbox',
      config: { password: secrets['channel password'] },
    }),
    await tenant.call('POST', '/v3/channels', {
      raw: `{"config":{"password":"${secrets['channel password']}"},`,
    }),
    await server.call('POST', `/providers/sandbox/${channel.id}`, {
      body: { messages: [] },
      headers: { authorization: `Bearer ${token}`, 'x-sandbox-signature': 'sha256=00' },
    }),
  ];
  return answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n');
}

const findIn = (text: string, secrets: Record<string, string>): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

describe('a secret', () => {
  it('J5, L1: is in no table, no log line, no error and no metric', async () => {
    const planted = await plant();
    const errors = await provoke(planted);
    const metrics = (await server.call('GET', '/metrics')).text;
    const log = server.logged.join('');
    expect(metrics).toContain('parley_http_request_duration_seconds');
    expect(log).toContain(planted.tenant.id);
    const tables = await dumpTables(server.databaseUrl);
    // The dump would show a secret: it has what is stored openly, as text and as bytes.
    const plain = { url: receiver.url, bytes: sha256('{"name":"a","scopes":["*"]}').toString('hex') };
    expect(findIn(tables, plain)).toEqual(['url', 'bytes']);
    expect(findIn(tables, planted.secrets)).toEqual([]);
    expect(findIn(log, planted.secrets)).toEqual([]);
    expect(findIn(errors, planted.secrets)).toEqual([]);
    expect(findIn(metrics, planted.secrets)).toEqual([]);
    const whole = await planted.tenant.get(`/v3/api_webhooks/${planted.hook.id}`);
    const deliveries = await planted.tenant.post(`/v3/api_webhooks/${planted.hook.id}/deliveries/search`, {});
    const delivery = await planted.tenant.get(`/v3/webhook_deliveries/${deliveries.body.data[0].id}`);
    expect(findIn(whole.text + deliveries.text + delivery.text, planted.secrets)).toEqual([]);
    expect(receiver.received.length).toBeGreaterThan(1);
    expect(findIn(JSON.stringify(receiver.received), planted.secrets)).toEqual([]);
  });

  it('L1: is not logged when the server itself fails', async () => {
    const tenant = await server.tenant();
    const secret = 'a-secret-in-a-body-0123456789';
    const { db } = server.system;
    await db.query('alter table channels rename to channels_away', []);
    try {
      const body = {
        kind: 'sms',
        provider: 'sandbox',
        name: secret,
        address: secret,
        config: {},
      };
      const answer = await tenant.post('/v3/channels', body);
      expect([answer.status, answer.body.error.message]).toEqual([500, 'Oops! Something went wrong']);
      expect(answer.text).not.toContain('channels');
      const lines = server.logged.filter((line) => line.includes(answer.body.error.requestId));
      expect(lines.some((line) => line.includes('internal error'))).toBe(true);
      for (const line of server.logged)
        expect(line.includes(secret) || line.includes(tenant.token)).toBe(false);
    } finally {
      await db.query('alter table channels_away rename to channels', []);
    }
  });
});
