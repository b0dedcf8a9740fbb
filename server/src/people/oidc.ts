import type * as OpenIdClient from 'openid-client';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import type { SessionCall } from '../http/call.ts';
import type { OutboundClient } from '../outbound/client.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { limitFailures, linkLimits } from './failures.ts';
import { type AutoJoin, findOrJoin, type Identity } from './oidc-person.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  autoJoin: AutoJoin | undefined;
}

interface OidcDeps {
  outbound: Pick<OutboundClient, 'request'>;
  keys: Keys;
  baseUrl: () => string;
}

export interface Oidc {
  readonly issuer: string;
  /** Where the browser goes to log in. What must fit together afterwards is kept in a cookie. */
  start(call: Pick<SessionCall, 'setLoginCookie'>): Promise<string>;
  /** Checks the answer of the identity provider and returns the id of the person. */
  finish(
    call: Pick<SessionCall, 'query' | 'loginCookie' | 'setLoginCookie' | 'address'>,
    db: Database,
  ): Promise<string>;
  /** The page of the console that goes on after a login, or says why there is none. */
  pageAfter(reason?: OidcReason): string;
}

/** Why somebody was not logged in, as it is in the address of the console’s page. */
const oidcReasons = [
  'expired',
  'not_valid',
  'no_answer',
  'not_invited',
  'not_verified',
  'other_account',
  'too_many_attempts',
] as const;
type OidcReason = (typeof oidcReasons)[number];

/** The reason of an error; undefined for one that is not about the login. */
export function oidcReasonOf(error: unknown): OidcReason | undefined {
  if (!(error instanceof ApiError) || error.key === 'route_not_found') return undefined;
  // The database is out of reach.
  if (error.key === 'service_unavailable' && error.reason === undefined) return undefined;
  const given = error.key === 'too_many_attempts' ? error.key : error.reason;
  return oidcReasons.find((reason) => reason === given) ?? 'not_valid';
}

/** What was agreed on at the start of a login. */
interface Started {
  state: string;
  nonce: string;
  verifier: string;
  expiresAtMs: number;
}

const PURPOSE = 'oidc.login';
const LOGIN_SECONDS = 600;
const DEADLINE_MS = 10_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** The provider's keys and addresses are read again after this time. */
const CONFIGURATION_MS = 3600_000;
const MAX_NAME_CHARACTERS = 255;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/;
/** Where the identity provider sends the browser back to. */
const RETURN_PATH = '/v3/session/oidc/callback';
const PAGE = '/console/login/oidc';

/** Logs people in over an identity provider that the operator trusts (OpenID Connect, authorization code with PKCE). */
export function createOidc(settings: OidcSettings, { outbound, keys, baseUrl }: OidcDeps): Oidc {
  const redirectUri = (): string => `${baseUrl()}${RETURN_PATH}`;
  let configured: { at: number; value: Promise<OpenIdClient.Configuration> } | undefined;

  /** Loaded with the first login: most installations have none. */
  const library = (): Promise<typeof OpenIdClient> => import('openid-client');

  async function discover(): Promise<OpenIdClient.Configuration> {
    const client = await library();
    const { issuer, clientId, clientSecret } = settings;
    return client.discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      clientSecret === undefined ? client.None() : undefined,
      {
        [client.customFetch]: fetchWith(outbound),
        execute: [
          // Also the signature of what came over TLS is checked.
          client.enableNonRepudiationChecks,
          // The configuration allows plain http for addresses of this machine only.
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    );
  }

  function configuration(): Promise<OpenIdClient.Configuration> {
    const now = nowMs();
    if (!configured || now - configured.at > CONFIGURATION_MS) {
      const value = discover();
      configured = { at: now, value };
      value.catch(() => {
        configured = undefined;
      });
    }
    return configured.value;
  }

  function readStarted(cookie: string | undefined): Started {
    try {
      const started = JSON.parse(keys.decrypt(Buffer.from(cookie ?? '', 'base64url'), PURPOSE)) as Started;
      if (started.expiresAtMs > nowMs()) return started;
    } catch {}
    throw new ApiError('unauthorized', { reason: 'expired' });
  }

  return {
    issuer: settings.issuer,
    async start(call) {
      const client = await library();
      const started: Started = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        expiresAtMs: nowMs() + LOGIN_SECONDS * 1000,
      };
      const config = await configuration().catch(explain);
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri(),
        scope: 'openid email profile',
        state: started.state,
        nonce: started.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(started.verifier),
        code_challenge_method: 'S256',
      });
      call.setLoginCookie(
        keys.encrypt(JSON.stringify(started), PURPOSE).toString('base64url'),
        LOGIN_SECONDS,
      );
      return url.href;
    },
    async finish(call, db) {
      // Not counted: without the cookie, which nobody can make, nothing is guessed. Any page could cause such requests of its readers.
      const { state, nonce, verifier } = readStarted(call.loginCookie);
      const identity = await limitFailures(db, linkLimits(call.address), async () => {
        call.setLoginCookie('', 0);
        const client = await library();
        const config = await configuration().catch(explain);
        const current = new URL(redirectUri());
        for (const [name, values] of Object.entries(call.query as Record<string, string | string[]>))
          for (const value of [values].flat()) current.searchParams.append(name, value);
        const tokens = await client
          .authorizationCodeGrant(config, current, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          })
          .catch(explain);
        return identityOf(tokens.claims() as OpenIdClient.IDToken);
      });
      return db.systemTransaction((tx) => findOrJoin(tx, identity, settings.autoJoin));
    },
    pageAfter: (reason) => `${baseUrl()}${PAGE}${reason === undefined ? '' : `?error=${reason}`}`,
  };
}

/** The library's requests go through the guarded client: the answer of a provider must not lead into our network. */
const fetchWith =
  (outbound: Pick<OutboundClient, 'request'>): OpenIdClient.CustomFetch =>
  async (url, { method, headers, body }) => {
    const answer = await outbound.request({
      url,
      method,
      headers: { ...headers },
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    return new Response(answer.body.length === 0 ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: answer.headers,
    });
  };

/** A provider that cannot be reached is not the fault of the person who logs in. */
function explain(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause as Error)
    if (cause instanceof OutboundError)
      throw new ApiError('service_unavailable', { reason: 'no_answer', cause: error });
  throw new ApiError('unauthorized', { reason: 'not_valid', cause: error });
}

function identityOf({ iss, sub, email, email_verified, name }: OpenIdClient.IDToken): Identity {
  const isVerified = email_verified === true && typeof email === 'string' && EMAIL.test(email);
  return {
    issuer: iss,
    subject: sub,
    email: isVerified ? email.toWellFormed().replaceAll('\0', '') : undefined,
    name: typeof name === 'string' && name.trim() !== '' ? cleanName(name) : undefined,
  };
}

const cleanName = (name: string): string =>
  name.trim().slice(0, MAX_NAME_CHARACTERS).toWellFormed().replaceAll('\0', '');
