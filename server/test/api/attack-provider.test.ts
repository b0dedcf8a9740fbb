import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();

async function secretOf(channelId: string): Promise<string> {
  const { rows } = await server.system.db.query('select config_encrypted from channels where id = $1', [
    channelId,
  ]);
  const { config_encrypted } = rows[0] as { config_encrypted: Buffer };
  return JSON.parse(server.keys.decrypt(config_encrypted, 'channels.config')).signingSecret;
}

/** A text message in the shape of the vendor that the sandbox imitates. */
const message = (channelId: string, id: string): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15550009999', phone_number_id: channelId },
              messages: [
                { id, from: '15550001111', timestamp: '1794704523', type: 'text', text: { body: id } },
              ],
            },
          },
        ],
      },
    ],
  });
const sign = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const post = (channelId: string, raw: string | Buffer, signature?: string, provider = 'sandbox') =>
  server.call('POST', `/providers/${provider}/${channelId}`, {
    raw,
    headers: signature === undefined ? {} : { 'x-hub-signature-256': signature },
  });

async function stored(tenant: TestTenant): Promise<number> {
  await server.settle();
  const { rows } = await server.system.db.query(
    `select (select count(*) from inbound where tenant_id = $1) + (select count(*) from messages where tenant_id = $1)
       + (select count(*) from contacts where tenant_id = $1) as n`,
    [tenant.id],
  );
  return Number(rows[0]?.n);
}

describe('a vendor’s request', () => {
  it('W1: unsigned, wrongly signed, or signed for another channel is 401, and nothing is stored', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const other = await tenant.channel();
    const body = message(channel.id, 'm1');
    const good = sign(body, await secretOf(channel.id));
    const wrong: [string, string | undefined, string?, string?][] = [
      [channel.id, undefined],
      [channel.id, ''],
      [channel.id, 'sha256='],
      [channel.id, good.slice(0, -1)],
      [channel.id, good.toUpperCase()],
      [channel.id, good.replace('sha256=', '')],
      [channel.id, `${good}, ${good}`],
      [channel.id, sign(body, 'undefined')],
      [channel.id, sign(body, '')],
      [channel.id, sign(body, await secretOf(other.id))],
      [other.id, good],
      [channel.id, good, `${body} `],
      [channel.id, good, ''],
      [channel.id, good, body, 'twilio'],
      [channel.id, good, body, '__proto__'],
      ['019a82a0-0000-7000-8000-00000000ffff', good],
      ['x', good],
      ['%00', good],
      ['%zz', good],
    ];
    const answers = [];
    for (const [id, signature, raw = body, provider] of wrong)
      answers.push(await post(id, raw, signature, provider));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    // Callers without a valid signature cannot probe for channels.
    const messages = answers.map(({ body: { error } }) => `${error.messageKey} ${error.message}`);
    expect(new Set(messages).size).toBe(1);
    expect(await stored(tenant)).toBe(0);
  });

  it('W1: with a valid signature is stored, and processed once however often it comes', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const body = message(channel.id, 'm1');
    const signature = sign(body, await secretOf(channel.id));
    for (let times = 0; times < 3; times += 1)
      expect((await post(channel.id, body, signature)).status).toBe(200);
    expect(await stored(tenant)).toBe(2);
    // Vendors may send any content type.
    const plain = await server.call('POST', `/providers/sandbox/${channel.id.toUpperCase()}/`, {
      raw: body,
      headers: { 'x-hub-signature-256': signature, 'content-type': 'text/plain' },
    });
    expect(plain.status).toBe(200);
  });

  it.each<[string, (channelId: string) => string]>([
    ['not JSON', () => 'x'],
    ['nothing', () => ''],
    ['null', () => 'null'],
    ['another shape', () => '{"entry":[1]}'],
    ['a NUL', (id) => message(id, 'm\0')],
    ['half a surrogate pair', (id) => message(id, 'm').replaceAll('"m"', '"\\ud800"')],
    ['objects for strings', (id) => message(id, 'm').replaceAll('"m"', '{}').replace('"15550001111"', '[]')],
    ['depth', () => `{"entry":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('W1: with a valid signature and %s delays nothing', async (_, spoil) => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const body = spoil(channel.id);
    const secret = await secretOf(channel.id);
    expect((await post(channel.id, body, sign(body, secret))).status).toBe(200);
    const next = message(channel.id, 'after');
    expect((await post(channel.id, next, sign(next, secret))).status).toBe(200);
    await server.settle();
    for (let times = 0; times < 6; times += 1) {
      server.clock.advance(60_000);
      await server.settle();
    }
    const { rows } = await server.system.db.query('select text from messages where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows).toContainEqual({ text: 'after' });
    await expect
      .poll(async () => (await server.call('GET', '/readyz')).status, { timeout: 30_000 })
      .toBe(200);
  });

  it('W1: for a channel whose tenant was just deleted is refused like any other', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const body = message(channel.id, 'm1');
    const signature = sign(body, await secretOf(channel.id));
    expect((await post(channel.id, body, signature)).status).toBe(200);
    await server.call('DELETE', `/admin/tenants/${tenant.id}`, { token: OPERATOR_TOKEN });
    expect((await post(channel.id, body, signature)).status).toBe(401);
    expect(await stored(tenant)).toBe(0);
  });

  it('D2: over the limit is 413', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    expect((await post(channel.id, 'x'.repeat(1_100_000), 'x')).status).toBe(413);
    expect(await stored(tenant)).toBe(0);
  });
});
