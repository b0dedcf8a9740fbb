import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
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
  principal(header: string | undefined): Principal | Promise<Principal>;
  sign(token: NewToken): Promise<string>;
  /** Forgets what is cached of a token or a whole tenant, so that a change holds at once in this process. */
  forget(id: string): void;
}

const unauthorized = (detail: string): ApiError => new ApiError('unauthorized', { detail });

interface Cached {
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
): Authenticator {
  const key = crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  const cache = new LRUCache<string, Cached>({ max: VERIFIED_KEPT });
  const loading = new Map<string, Promise<Principal>>();

  async function verify(token: string): Promise<Claims> {
    if (token.length > LONGEST_TOKEN) throw unauthorized('the token is too long');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: ISSUER,
        requiredClaims: ['exp', 'iat', 'jti', 'tenantId'],
      });
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

  async function load(header: string, known: Claims | undefined): Promise<Principal> {
    const claims = known ?? (await verify(bearerOf(header)));
    const principal = await find(claims.tokenId, claims.tenantId);
    if (!principal) {
      cache.delete(header);
      throw unauthorized('the token has been revoked');
    }
    cache.set(header, { claims, principal, staleAtMs: Date.now() + PRINCIPAL_MS });
    return principal;
  }

  /** Many requests with one token ask the database once. */
  function loadOnce(header: string, known: Claims | undefined): Promise<Principal> {
    const underWay = loading.get(header);
    if (underWay) return underWay;
    const promise = load(header, known).finally(() => loading.delete(header));
    loading.set(header, promise);
    return promise;
  }

  return {
    principal(header) {
      if (header === undefined) throw unauthorized('send the header "Authorization: Bearer <ACCESS_TOKEN>"');
      // By the whole header, so that a known one is not taken apart again.
      const cached = cache.get(header);
      const now = Date.now();
      if (!cached) return loadOnce(header, undefined);
      if (now >= cached.claims.expiresAtMs) {
        cache.delete(header);
        throw unauthorized('the token has expired, make a new one');
      }
      return now < cached.staleAtMs ? cached.principal : loadOnce(header, cached.claims);
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
      for (const [header, { claims }] of cache.entries())
        if (claims.tokenId === id || claims.tenantId === id) cache.delete(header);
    },
  };
}

/** The token of a Bearer header. Two headers arrive joined by a comma, which no token contains. */
export function bearerOf(header: string): string {
  if (header.length > 7 && header.slice(0, 7).toLowerCase() === 'bearer ') return header.slice(7).trim();
  throw unauthorized('send the header "Authorization: Bearer <ACCESS_TOKEN>"');
}
