import { jwtVerify, SignJWT } from 'jose';
import { createCache } from '../base/cache.ts';
import { ApiError } from '../base/errors.ts';
import { isTestTenant, isUuid } from '../base/ids.ts';
import { isWithin, nowMs } from '../base/time.ts';
import type { Principal } from './permissions.ts';

const ISSUER = 'parley';
const MAX_CACHED_TOKENS = 10_000;
/** After this time other processes notice a revoked token or a changed plan. */
const PRINCIPAL_TTL_MS = 3_000;
const MAX_TOKEN_CHARACTERS = 8_192;

interface Claims {
  tokenId: string;
  tenantId: string;
  expiresAtMs: number;
}

interface NewToken {
  tokenId: string;
  tenantId: string;
  scopes: readonly string[];
  issuedAt: Date;
  expiresAt: Date;
}

export interface Authenticator {
  /** The caller with an Authorization header. Synchronous if the token and the principal are cached. */
  principal(header: string | undefined, connection: object): Principal | Promise<Principal>;
  sign(token: NewToken): Promise<string>;
  /** Invalidates the cache for a token or a tenant, so that this process sees a change immediately. */
  forget(id: string): void;
}

/** `tokenId` is that of a token that we have signed, for the log. */
const unauthorized = (detail: string, tokenId?: unknown): ApiError =>
  new ApiError('unauthorized', { detail, ...(typeof tokenId === 'string' ? { cause: { tokenId } } : {}) });

interface Cached {
  /** The whole header, so that a known one is not parsed again. */
  header: string;
  claims: Claims;
  principal: Principal;
  /** When the principal must be looked up again. */
  staleAtMs: number;
}

/**
 * Tokens are JWTs signed with the installation's key. Signatures are verified once. `find` is called at most every three
 * seconds per token to check that it is not revoked and that its tenant exists. Uses real time.
 */
export function authenticator(
  secret: Uint8Array,
  find: (tokenId: string, tenantId: string) => Promise<Principal | undefined>,
  previous: readonly Uint8Array[] = [],
): Authenticator {
  const imported = (bytes: Uint8Array) =>
    crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  const key = imported(secret);
  const previousKeys = previous.map(imported);
  const cache = createCache<string, Cached>(MAX_CACHED_TOKENS);
  /** A connection mostly sends one token: comparing it with the last one takes a tenth of the time of a lookup. */
  const lastOn = new WeakMap<object, Cached>();
  const loading = new Map<string, Promise<Principal>>();

  const verifyWith = async (token: string, one: typeof key) =>
    jwtVerify(token, await one, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: ISSUER,
      requiredClaims: ['exp', 'iat', 'jti', 'tenantId'],
    });

  /** During a change of the installation's key, tokens signed with a previous key are valid, too. */
  async function verifyWithAny(token: string) {
    let [one = key, ...others] = [key, ...previousKeys];
    for (;;)
      try {
        return await verifyWith(token, one);
      } catch (error) {
        const next = others.shift();
        if (!next || (error as { code?: string }).code !== 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED')
          throw error;
        one = next;
      }
  }

  async function verify(token: string): Promise<Claims> {
    if (token.length > MAX_TOKEN_CHARACTERS) throw unauthorized('the token is too long');
    try {
      const { payload, protectedHeader } = await verifyWithAny(token);
      // Parley sets no other headers. A header that contains a key is an attack.
      if (Object.keys(protectedHeader).some((name) => name !== 'alg' && name !== 'typ'))
        throw unauthorized('the token has an unknown header');
      if (
        typeof payload.exp !== 'number' ||
        typeof payload.jti !== 'string' ||
        typeof payload.tenantId !== 'string' ||
        !isUuid(payload.jti) ||
        !isUuid(payload.tenantId)
      )
        throw unauthorized('the token has malformed claims');
      return { tokenId: payload.jti, tenantId: payload.tenantId, expiresAtMs: payload.exp * 1000 };
    } catch (error) {
      // The claims are checked after the signature, so an expired token is one of ours.
      const { code, payload } = error as { code?: string; payload?: { jti?: unknown } };
      if (code === 'ERR_JWT_EXPIRED')
        throw unauthorized('the token has expired, create a new one', payload?.jti);
      throw unauthorized('the token is not valid');
    }
  }

  async function load(header: string, known: Cached | undefined): Promise<Principal> {
    const claims = known?.claims ?? (await verify(bearerOf(header)));
    const principal = await find(claims.tokenId, claims.tenantId);
    if (!principal) {
      cache.delete(header);
      throw unauthorized('the token has been revoked', claims.tokenId);
    }
    // `find` also reads the clock of a test tenant, which must be current.
    const staleAtMs = isTestTenant(claims.tenantId) ? 0 : nowMs() + PRINCIPAL_TTL_MS;
    if (known) Object.assign(known, { principal, staleAtMs });
    else cache.set(header, { header, claims, principal, staleAtMs });
    return principal;
  }

  /** Concurrent requests with one token share one lookup. */
  function loadOnce(header: string, known: Cached | undefined): Promise<Principal> {
    const pending = loading.get(header);
    if (pending) return pending;
    const promise = load(header, known).finally(() => loading.delete(header));
    loading.set(header, promise);
    return promise;
  }

  return {
    principal(header, connection) {
      if (header === undefined) throw unauthorized('send the header "Authorization: Bearer <ACCESS_TOKEN>"');
      const last = lastOn.get(connection);
      const cached = last?.header === header ? last : cache.get(header);
      const now = nowMs();
      if (!cached) return loadOnce(header, undefined);
      if (cached !== last) lastOn.set(connection, cached);
      if (now >= cached.claims.expiresAtMs) {
        cache.delete(header);
        throw unauthorized('the token has expired, create a new one', cached.claims.tokenId);
      }
      if (isWithin(now, cached.staleAtMs, PRINCIPAL_TTL_MS)) return cached.principal;
      return isTestTenant(cached.claims.tenantId) ? load(header, cached) : loadOnce(header, cached);
    },
    async sign({ tokenId, tenantId, scopes, issuedAt, expiresAt }) {
      return new SignJWT({ tenantId, scopes })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(ISSUER)
        .setSubject(tenantId)
        .setJti(tokenId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(await key);
    },
    forget(id) {
      // Connections may keep the entry, so it is marked as stale instead of deleted.
      for (const cached of cache.values())
        if (cached.claims.tokenId === id || cached.claims.tenantId === id) cached.staleAtMs = 0;
    },
  };
}

const AUTHORIZATION = 'authorization';

/**
 * The Authorization header of a request. Two of them are refused. Read from the raw list: Node builds the object of all
 * headers only on access, and most requests need no other header.
 */
export function authorizationOf(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    if (found !== undefined) throw unauthorized('send one Authorization header, not two');
    found = rawHeaders[index + 1];
  }
  return found;
}

/** The token of a Bearer header. */
export function bearerOf(header: string): string {
  if (header.length > 7 && header.slice(0, 7).toLowerCase() === 'bearer ') return header.slice(7).trim();
  throw unauthorized('send the header "Authorization: Bearer <ACCESS_TOKEN>"');
}
