import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { useListener } from './listeners.ts';

/** What the provider says about somebody; any claim of the ID token can be replaced. */
export interface Claims extends JWTPayload {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface Issuer {
  url: string;
  /** Somebody logs in at the page of the provider. Returns the query with which the browser comes back. */
  authorize(page: string, claims: Claims, more?: { signWith?: 'another key' }): Promise<string>;
  /** Somebody is logged in at the provider: its page sends browsers back at once. */
  letIn(claims: Claims): void;
  /** Answers nothing but errors from now on. */
  fail(): void;
  requests: string[];
}

export const CLIENT_ID = 'parley-test';
export const CLIENT_SECRET = 'the-secret-of-the-client';

/** An identity provider on this machine: OpenID Connect with the authorization code flow and PKCE. */
export async function useIssuer(): Promise<Issuer> {
  const [keys, others] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, { token: string; challenge: string; redirectUri: string }>();
  const requests: string[] = [];
  let isFailing = false;
  let letIn: Claims | undefined;
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`);
      if (isFailing) return answer(500, { error: 'server_error' });
      if (request.url === '/.well-known/openid-configuration')
        return answer(200, {
          issuer: listener.url,
          authorization_endpoint: `${listener.url}/authorize`,
          token_endpoint: `${listener.url}/token`,
          jwks_uri: `${listener.url}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      if (request.url === '/jwks') return answer(200, { keys: [jwk] });
      if (letIn && request.url?.startsWith('/authorize?')) {
        const page = new URL(request.url, listener.url);
        void authorize(page.href, letIn).then((query) =>
          response.writeHead(302, { location: `${page.searchParams.get('redirect_uri')}${query}` }).end(),
        );
        return;
      }
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const basic = Buffer.from(String(request.headers.authorization).slice('Basic '.length), 'base64');
      const secret = form.get('client_secret') ?? decodeURIComponent(basic.toString().split(':')[1] ?? '');
      const isRight =
        code?.challenge === challenge &&
        code.redirectUri === form.get('redirect_uri') &&
        secret === CLIENT_SECRET;
      if (!isRight) return answer(400, { error: 'invalid_grant' });
      answer(200, { access_token: 'unused', token_type: 'Bearer', expires_in: 60, id_token: code.token });
    });
  });
  const listener = await useListener(server, {});
  const authorize: Issuer['authorize'] = async (page, claims, { signWith } = {}) => {
    const asked = new URL(page).searchParams;
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: listener.url,
      aud: CLIENT_ID,
      sub: 'somebody',
      nonce: asked.get('nonce'),
      iat: now,
      exp: now + 300,
      ...claims,
    };
    const token = await new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(signWith ? others.privateKey : keys.privateKey);
    const code = randomUUID();
    codes.set(code, {
      token,
      challenge: String(asked.get('code_challenge')),
      redirectUri: String(asked.get('redirect_uri')),
    });
    return `?code=${code}&state=${asked.get('state')}`;
  };
  return {
    url: listener.url,
    requests,
    fail() {
      isFailing = true;
    },
    authorize,
    letIn(claims) {
      letIn = claims;
    },
  };
}
