import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, exportJWK, exportSPKI, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { useReceiver } from '../kit/receiver.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';
import { listen, say, send } from '../kit/wire.ts';

const server = await useServer();
const receiver = await useReceiver();

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = (): number => Math.floor(Date.now() / 1000);

/** The claims of a good token, so that each test changes one thing. */
function claimsOf(tenant: TestTenant): Record<string, unknown> {
  return decodeJwt(tenant.token) as Record<string, unknown>;
}

/** A token signed with the server's own key: wrong only in what the test says. */
const sign = (claims: Record<string, unknown>, header: object = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header }).sign(server.keys.tokens);

async function expectRefused(token: string): Promise<void> {
  const answer = await server.call('GET', '/v3/me', { token });
  expect([answer.status, answer.body.error.messageKey]).toEqual([401, 'unauthorized']);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

it('a token that is signed with the server’s key and wrong in nothing is good', async () => {
  const tenant = await server.tenant();
  const token = await sign(claimsOf(tenant));
  expect((await server.call('GET', '/v3/me', { token })).status).toBe(200);
});

describe('a forged signature', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', '', 'HS512', 'RS256', undefined])('J1: alg %s', async (alg) => {
    const tenant = await server.tenant();
    const [, , signature] = tenant.token.split('.');
    for (const end of ['', signature])
      await expectRefused(`${part({ alg, typ: 'JWT' })}.${part(claimsOf(tenant))}.${end}`);
  });

  it('J1: an empty one, none, a part of one, and one of other claims', async () => {
    const tenant = await server.tenant();
    const other = await server.tenant();
    const [header, claims, signature = ''] = tenant.token.split('.');
    await expectRefused(`${header}.${claims}.`);
    await expectRefused(`${header}.${claims}`);
    await expectRefused(`${header}.${claims}.${signature.slice(0, -2)}`);
    await expectRefused(`${header}.${other.token.split('.')[1]}.${signature}`);
    await expectRefused(
      `${header}.${part({ ...claimsOf(tenant), scopes: ['*'], plan: 'scale' })}.${signature}`,
    );
    await expectRefused('..');
    await expectRefused('x'.repeat(9_000));
  });

  it('J1: HS256 with a public key, or any other key', async () => {
    const tenant = await server.tenant();
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = new TextEncoder().encode(await exportSPKI(publicKey as never));
    for (const key of [pem, new TextEncoder().encode('secret'), new Uint8Array(32)])
      await expectRefused(await new SignJWT(claimsOf(tenant)).setProtectedHeader({ alg: 'HS256' }).sign(key));
  });
});

describe('a header that offers a key', () => {
  it('J2: kid, jku, x5u, an embedded key and an unknown crit are refused, and nothing is fetched', async () => {
    const tenant = await server.tenant();
    const claims = claimsOf(tenant);
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = await exportJWK(publicKey as never);
    const headers = [
      { kid: 'x' },
      { kid: "' or 1=1 --" },
      { kid: '../../dev/null' },
      { jku: receiver.url },
      { x5u: receiver.url },
      { jwk },
      { x5c: ['MIIB'] },
    ];
    for (const header of headers) await expectRefused(await sign(claims, header));
    const [, body] = tenant.token.split('.');
    await expectRefused(`${part({ alg: 'HS256', crit: ['x'], x: 1 })}.${body}.${tenant.token.split('.')[2]}`);
    for (const header of [{ jwk }, { jku: receiver.url, jwk }, { x5u: receiver.url }])
      await expectRefused(
        await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', ...header }).sign(privateKey as never),
      );
    await server.settle();
    expect(receiver.connections()).toBe(0);
  });
});

describe('claims that do not hold', () => {
  it.each([
    ['expired', { exp: now() - 1 }],
    ['not yet valid', { nbf: now() + 3600 }],
    ['of another issuer', { iss: 'other' }],
    ['for another audience', { aud: 'other' }],
    ['without an end', { exp: undefined }],
    ['with an end in words', { exp: String(now() + 3600) }],
    ['without an id', { jti: undefined }],
    ['with an id that nobody has', { jti: newId() }],
    ['with an id of another shape', { jti: "x' or '1'='1" }],
    ['with a number for an id', { jti: 7 }],
    ['without a tenant', { tenantId: undefined }],
    ['of a tenant of another shape', { tenantId: 'x' }],
    ['of a tenant that is not there', { tenantId: newId() }],
    ['without a beginning', { iat: undefined }],
  ])('J3: a token %s', async (_, change) => {
    const tenant = await server.tenant();
    await expectRefused(await sign({ ...claimsOf(tenant), ...change }));
  });

  it('J3: a token of one tenant under the name of another', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    await expectRefused(await sign({ ...claimsOf(tenant), tenantId: other.id, sub: other.id }));
  });

  it('J3: a revoked token, and one whose tenant is gone', async () => {
    const tenant = await server.tenant();
    const weak = await tenant.tokenWith(['chats:read']);
    await tenant.delete(`/v3/tokens/${decodeJwt(weak).jti}`);
    await expectRefused(weak);
    await server.call('DELETE', `/admin/tenants/${tenant.id}`, { token: OPERATOR_TOKEN });
    await expectRefused(tenant.token);
  });

  it('J3: scopes in the token give nothing that the stored ones do not', async () => {
    const tenant = await server.tenant();
    const weak = decodeJwt(await tenant.tokenWith(['chats:read'])) as Record<string, unknown>;
    const token = await sign({ ...weak, scopes: ['*'] });
    expect((await tenant.post('/v3/tokens/search', {}, { token })).status).toBe(403);
  });
});

describe('a token in the wrong place', () => {
  it('J4: two Authorization headers, in whatever order', async () => {
    const tenant = await server.tenant();
    const port = await listen(server.system.app.server);
    const good = `Authorization: Bearer ${tenant.token}`;
    for (const lines of [
      [good, good],
      [good, 'Authorization: Bearer x'],
      ['authorization: Bearer x', good],
      ['Authorization: ', good],
    ]) {
      const answer = await say(
        port,
        `GET /v3/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`,
      );
      expect([answer.status, answer.body?.error.messageKey]).toEqual([401, 'unauthorized']);
    }
    const operator = `Authorization: Bearer ${OPERATOR_TOKEN}`;
    const twice = await say(
      port,
      `GET /admin/tenants HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${operator}\r\n${operator}\r\n\r\n`,
    );
    expect(twice.status).toBe(401);
    expect(
      (await send(port, 'GET', '/v3/me', { headers: { authorization: `bearer ${tenant.token}` } })).status,
    ).toBe(200);
  });

  it('J4: in the query, in a cookie, in the body, or under another scheme', async () => {
    const { token } = await server.tenant();
    for (const name of ['token', 'access_token', 'authorization'])
      expect((await server.call('GET', `/v3/me?${name}=${token}`)).status).toBe(401);
    for (const headers of [
      { cookie: `token=${token}` },
      { 'x-access-token': token },
      { authorization: token },
      { authorization: `Token ${token}` },
      { authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` },
      { authorization: `Bearer: ${token}` },
    ])
      expect(
        (await server.call('GET', '/v3/me', { headers: headers as Record<string, string> })).status,
      ).toBe(401);
    expect((await server.call('POST', '/v3/tokens/search', { body: { access_token: token } })).status).toBe(
      401,
    );
  });
});
