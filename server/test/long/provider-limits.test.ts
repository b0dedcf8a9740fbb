import { describe, expect, it } from 'vitest';
import { bytesInFlight } from '../../src/channels/bytes-in-flight.ts';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import { isSignedMail, mailSignature } from '../../src/providers/smtp/signature.ts';
import { isSignedByTwilio, twilioSignature } from '../../src/providers/twilio/signature.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { pigeon, pigeonChannel, pigeonHeaders, written } from '../kit/vendor.ts';
import { dial, listen, say } from '../kit/wire.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const server = await useServer();
const port = await listen(server.system.app.server);

const mailChannel = async (tenant: TestTenant): Promise<string> => {
  const made = await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Support',
    address: 'support@example.com',
    config: {
      from: 'support@example.com',
      smtp: { host: 'relay.example.com', port: 587, user: 'a', password: 'b' },
      inboundSecret: 'a-secret-for-posted-mails',
    },
  });
  expect(made.status).toBe(200);
  return made.body.data.id;
};
const whatsappChannel = async (tenant: TestTenant, phoneNumberId: string): Promise<string> => {
  const made = await tenant.post('/v3/channels', {
    kind: 'whatsapp',
    provider: 'whatsapp_cloud',
    name: 'Support',
    address: '+15550009999',
    config: {
      phoneNumberId,
      businessAccountId: '222',
      accessToken: 'EAA',
      appSecret: 'app-secret',
      verifyToken: 'verify',
    },
  });
  expect(made.status).toBe(200);
  return made.body.data.id;
};
/** The head of a request whose body is announced and not sent. */
const head = (path: string, bytes: number, headers: Record<string, string> = {}): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: parley.test',
    `Content-Length: ${bytes}`,
    'Content-Type: message/rfc822',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
const storedIn = async (tenant: TestTenant): Promise<unknown[]> =>
  (await server.system.db.query('select 1 from inbound where tenant_id = $1', [tenant.id])).rows;

describe('a vendor’s request whose body has not arrived', () => {
  it('I3 X5: is refused without a known provider, a known channel or a signature', async () => {
    const tenant = await server.tenant();
    const channel = await mailChannel(tenant);
    const signature = { 'X-Parley-Signature': 'sha256=00' };
    const unknown = '019a82a0-0000-7000-8000-00000000ffff';
    // Not a byte of the body is sent: a server that waited for it would not answer.
    for (const bytes of [39 * MIB, 1])
      for (const [path, headers] of [
        [`/providers/smtp/${unknown}`, signature],
        [`/providers/smtp/x`, signature],
        [`/providers/smtp/${channel}`, {}],
        [`/providers/smtp/${channel}`, { 'X-Hub-Signature-256': 'sha256=00' }],
        [`/providers/smtp/${channel}`, { 'X-Parley-Signature': '' }],
        [`/providers/twilio/${channel}`, { 'X-Twilio-Signature': 'x' }],
        ['/providers/smtp', signature],
        ['/providers/swallow', signature],
        [`/providers/swallow/${channel}`, signature],
        ['/providers/whatsapp_cloud', {}],
      ] as const) {
        const { socket, heard } = dial(port);
        socket.write(head(path, bytes, { ...headers, Connection: 'close' }));
        const answer = await heard;
        expect([path, answer.status, answer.body?.error.messageKey]).toEqual([path, 401, 'unauthorized']);
      }
    expect(await storedIn(tenant)).toEqual([]);
  });

  it('I3: is refused if it announces more than its vendor sends', async () => {
    const tenant = await server.tenant();
    const meta = { 'X-Hub-Signature-256': 'sha256=00' };
    const whatsapp = await whatsappChannel(tenant, '77001');
    const mail = await mailChannel(tenant);
    for (const [path, bytes, headers] of [
      [`/providers/whatsapp_cloud/${whatsapp}`, 3 * MIB + 1, meta],
      ['/providers/whatsapp_cloud', 3 * MIB + 1, meta],
      ['/providers/instagram', 3 * MIB + 1, meta],
      [`/providers/smtp/${mail}`, 40 * MIB + 1, { 'X-Parley-Signature': 'sha256=00' }],
    ] as const) {
      const answer = await say(port, head(path, bytes, headers));
      expect([path, answer.status]).toEqual([path, 413]);
    }
  });

  it('I3: of Meta may have 3 MiB', async () => {
    const tenant = await server.tenant();
    const channel = await whatsappChannel(tenant, '77002');
    const payload = {
      object: 'whatsapp_business_account',
      entry: [{ id: '222', changes: [{ field: 'account_update', value: { text: 'x'.repeat(2.9 * MIB) } }] }],
    };
    const { headers, body: raw } = signedRequest(payload, '', 'app-secret');
    const answer = await server.call('POST', `/providers/whatsapp_cloud/${channel}`, { raw, headers });
    expect(answer.status).toBe(200);
  });
});

describe('the bytes of requests in memory', () => {
  it('I3 X5: are limited per address and per process, and free again when a request ends', async () => {
    const limited = await useServer({
      databaseUrl: server.databaseUrl,
      inFlightLimits: { processBytes: 600 * KIB, addressBytes: 400 * KIB },
    });
    const limitedPort = await listen(limited.system.app.server);
    const tenant = await server.tenant();
    const channel = await mailChannel(tenant);
    const path = `/providers/smtp/${channel}`;
    const headers = { 'X-Parley-Signature': 'sha256=00' };
    const piece = Buffer.alloc(300 * KIB, 'x');
    // Two incomplete requests. The one that is read first holds 300 KiB, the other one is refused.
    const dialed = [dial(limitedPort), dial(limitedPort)];
    for (const { socket } of dialed) socket.write(head(path, 10 * MIB, headers));
    for (const { socket } of dialed) socket.write(piece);
    const refused = await Promise.race(dialed.map(({ heard }) => heard));
    expect(refused.status).toBe(503);
    expect(refused.body.error.messageKey).toBe('service_unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // Other requests are answered meanwhile.
    expect((await limited.call('GET', '/livez')).status).toBe(200);
    for (const { socket, heard } of dialed) {
      socket.destroy();
      await heard;
    }
    await until(async () => {
      const complete = Buffer.concat([
        Buffer.from(head(path, piece.length, { ...headers, Connection: 'close' })),
        piece,
      ]);
      return (await say(limitedPort, complete)).status === 401;
    });
  });

  it('I3: do not count what arrives after a refusal', () => {
    const inFlight = bytesInFlight({ processBytes: 100, addressBytes: 50 });
    const refused = inFlight.open('192.0.2.1');
    expect([refused.add(40), inFlight.total]).toEqual([true, 40]);
    expect(refused.add(20)).toBe(false);
    refused.release();
    refused.add(1_000);
    refused.release();
    expect(inFlight.total).toBe(0);
    const [one, two] = [inFlight.open('192.0.2.1'), inFlight.open('192.0.2.2')];
    expect([one.add(50), two.add(50), inFlight.open('192.0.2.3').add(1)]).toEqual([true, true, false]);
  });

  it('I3: count what has arrived, not what was announced', async () => {
    const limited = await useServer({
      databaseUrl: server.databaseUrl,
      inFlightLimits: { processBytes: 600 * KIB, addressBytes: 400 * KIB },
    });
    const limitedPort = await listen(limited.system.app.server);
    const channel = await mailChannel(await server.tenant());
    const path = `/providers/smtp/${channel}`;
    const headers = { 'X-Parley-Signature': 'sha256=00' };
    const silent = Array.from({ length: 5 }, () => dial(limitedPort));
    for (const { socket } of silent) socket.write(`${head(path, 39 * MIB, headers)}x`);
    const body = 'a mail';
    const answer = await say(
      limitedPort,
      head(path, body.length, { ...headers, Connection: 'close' }) + body,
    );
    expect(answer.status).toBe(401);
    for (const { socket, heard } of silent) {
      socket.destroy();
      await heard;
    }
  });
});

describe('a request with a wrong signature', () => {
  it('I3: never reaches a parser', async () => {
    let parsed = 0;
    const counting = {
      ...pigeon,
      route: (request: Parameters<NonNullable<typeof pigeon.route>>[0]) => {
        parsed += 1;
        return pigeon.route?.(request) ?? [];
      },
      parseInbound: (...call: Parameters<typeof pigeon.parseInbound>) => {
        parsed += 1;
        return pigeon.parseInbound(...call);
      },
    };
    const counted = await useServer({ adapters: new Map([['pigeon', counting]]) });
    const channel = await pigeonChannel(await counted.tenant());
    const raw = JSON.stringify({
      sent: [{ account: channel.account, events: [written('m1', counted.clock.now())] }],
    });
    const post = (path: string, secret: string) =>
      counted.call('POST', path, { raw, headers: pigeonHeaders(raw, secret) });
    for (const path of ['/providers/pigeon', `/providers/pigeon/${channel.id}`])
      expect((await post(path, 'wrong')).status).toBe(401);
    await counted.settle();
    expect(parsed).toBe(0);
    expect((await post('/providers/pigeon', channel.secret)).status).toBe(200);
    expect(parsed).toBe(1);
  });

  it('I3: of a large mail is verified in slices, and other work runs between them', async () => {
    const body = Buffer.alloc(12 * MIB, 'x');
    const headers = { 'x-parley-signature': mailSignature(body, 'a-secret-for-posted-mails') };
    let ticks = 0;
    const counting = setInterval(() => (ticks += 1), 0);
    const isSigned = (secret: string) => isSignedMail({ url: '', headers, body }, secret);
    expect(await isSigned('a-secret-for-posted-mails')).toBe(true);
    clearInterval(counting);
    expect(ticks).toBeGreaterThan(0);
    expect(await isSigned('another-secret-for-mails')).toBe(false);
  });

  it('I3: of Twilio is refused if it has more parameters than Twilio sends, before they are sorted', () => {
    const url = 'https://parley.test/providers/twilio/x';
    const signed = (parameters: number) => {
      const form = new URLSearchParams(
        Array.from({ length: parameters }, (_, n): [string, string] => [`p${n}`, 'v']),
      );
      return {
        url,
        headers: { 'x-twilio-signature': twilioSignature(url, form, 'token') },
        body: Buffer.from(form.toString()),
      };
    };
    expect(isSignedByTwilio(signed(500), 'token')).toBe(true);
    // Signing it took a minute, because every name was searched for in the whole form.
    expect(isSignedByTwilio(signed(300_000), 'token')).toBe(false);
  });

  it('I3: finds the ids of Meta without parsing, and nothing in hostile text', async () => {
    const tenant = await server.tenant();
    await whatsappChannel(tenant, '77003');
    const payload = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '222',
          changes: [{ field: 'messages', value: { metadata: { phone_number_id: '77003' }, messages: [] } }],
        },
      ],
    };
    const { headers, body: raw } = signedRequest(payload, '', 'app-secret');
    expect((await server.call('POST', '/providers/whatsapp_cloud', { raw, headers })).status).toBe(200);
    const hostile = Buffer.from(`"id":${' '.repeat(100_000)}`.repeat(20));
    const refused = await server.call('POST', '/providers/whatsapp_cloud', { raw: hostile, headers });
    expect(refused.status).toBe(401);
  });
});
