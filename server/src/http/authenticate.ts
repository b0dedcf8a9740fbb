import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../base/errors.ts';
import { isTestTenant, isUuid } from '../base/ids.ts';
import type { Principal } from './permissions.ts';

const ISSUER = 'parley';
const VERIFIED_KEPT = 10_000;
/** So long may a revoked token, or a changed plan, go unnoticed by another process. */
const PRINCIPAL_MS = 3_000;
const LONGEST_TOKEN = 8_192;

interface Claims {
  tokenId: string;
  tenantId: string;
  expiresAtMs: number;
}

export interface NewToken {
  tokenId: string;
  tenantId: string;
  scopes: readonly string[];
  issuedAt: Date;
  expiresAt: Date;
}

export interface Authenticator {
  /** The caller behind an Authorization header; synchronous when both the signature and the principal are cached. */
  principal(header: string | undefined, connection: object): Principal | Promise<Principal>;
  sign(token: NewToken): Promise<string>;
  /** Forgets what is cached of a token or a whole tenant, so that a change holds at once in this process. */
  forget(id: string): void;
}

const unauthorized = (detail: string): ApiError => new ApiError('unauthorized', { detail });

interface Cached {
  /** The whole header, so that a known one is not taken apart again. */
  header: string;
  claims: Claims;
  principal: Principal;
  /** When the principal must be looked up again. */
  staleAtMs: number;
}

/**
 * Tokens are JWTs signed with the installation's key. Signatures are checked once; whether the token is still good
 * (not revoked, tenant there) is asked of `find` at most every three seconds. All of it runs on real time.
 */
export function authenticator(
  secret: Uint8Array,
  find: (tokenId: string, tenantId: string) => Promise<Principal | undefined>,
  earlier: readonly Uint8Array[] = [],
): Authenticator {
  const imported = (bytes: Uint8Array) =>
    crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  const key = imported(secret);
  const earlierKeys = earlier.map(imported);
  const cache = new LRUCache<string, Cached>({ max: VERIFIED_KEPT });
  /** A connection mostly sends one token: comparing it with the last one costs a tenth of looking it up. */
  const lastOn = new WeakMap<object, Cached>();
  const loading = new Map<string, Promise<Principal>>();

  const verifyWith = async (token: string, one: typeof key) =>
    jwtVerify(token, await one, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: ISSUER,
      requiredClaims: ['exp', 'iat', 'jti', 'tenantId'],
    });

  /** While the installation's key is being changed, tokens that an earlier one signed are good as well. */
  async function verifyWithAny(token: string) {
    let [one = key, ...others] = [key, ...earlierKeys];
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
    if (token.length > LONGEST_TOKEN) throw unauthorized('the token is too long');
    try {
      const { payload, protectedHeader } = await verifyWithAny(token);
      // Ours say how they are signed and nothing else; a header that offers a key is somebody else's.
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
      const expired = (error as { code?: string }).code === 'ERR_JWT_EXPIRED';
      throw unauthorized(expired ? 'the token has expired, make a new one' : 'the token is not valid');
    }
  }

  async function load(header: string, known: Cached | undefined): Promise<Principal> {
    const claims = known?.claims ?? (await verify(bearerOf(header)));
    const principal = await find(claims.tokenId, claims.tenantId);
    if (!principal) {
      cache.delete(header);
      throw unauthorized('the token has been revoked');
    }
    // With the principal comes what a test tenant's clock shows, and that is to be seen at once.
    const staleAtMs = isTestTenant(claims.tenantId) ? 0 : Date.now() + PRINCIPAL_MS;
    if (known) Object.assign(known, { principal, staleAtMs });
    else cache.set(header, { header, claims, principal, staleAtMs });
    return principal;
  }

  /** Many requests with one token ask the database once. */
  function loadOnce(header: string, known: Cached | undefined): Promise<Principal> {
    const underWay = loading.get(header);
    if (underWay) return underWay;
    const promise = load(header, known).finally(() => loading.delete(header));
    loading.set(header, promise);
    return promise;
  }

  return {
    principal(header, connection) {
      if (header === undefined) throw unauthorized('send the header "Authorization: Bearer <ACCESS_TOKEN>"');
      const last = lastOn.get(connection);
      const cached = last?.header === header ? last : cache.get(header);
      const now = Date.now();
      if (!cached) return loadOnce(header, undefined);
      if (cached !== last) lastOn.set(connection, cached);
      if (now >= cached.claims.expiresAtMs) {
        cache.delete(header);
        throw unauthorized('the token has expired, make a new one');
      }
      if (now < cached.staleAtMs) return cached.principal;
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
      // Connections may remember it, so it is not dropped but looked up again by whoever comes next.
      for (const cached of cache.values())
        if (cached.claims.tokenId === id || cached.claims.tenantId === id) cached.staleAtMs = 0;
    },
  };
}

const AUTHORIZATION = 'authorization';

/**
 * The one Authorization header of a request; of two, none can be trusted. Read from the raw list: Node makes the object
 * of all headers only for those who ask for it, and most requests need no other.
 */
export function authorizationOf(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    if (found !== undefined) throw unauthorized('send one Authorization header, not two');
    found = rawHeaders[at + 1];
  }
  return found;
}

/** The token of a Bearer header. */
export function bearerOf(header: string): string {
  if (header.length > 7 && header.slice(0, 7).toLowerCase() === 'bearer ') return header.slice(7).trim();
  throw unauthorized('send the header "Authorization: Bearer <ACCESS_TOKEN>"');
}
