import type { FastifyReply, FastifyRequest } from 'fastify';
import { sameSecret } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { nowMs } from '../base/time.ts';
import { type Authenticator, authorizationOf, bearerOf } from './authenticate.ts';
import type { BackOff } from './back-off.ts';
import type { Principal } from './permissions.ts';
import type { RateLimit, RateLimitDecision } from './rate-limit.ts';
import type { Route } from './route.ts';
import type { RetiringVersion } from './sunset.ts';

export type DoneCallback = (error?: Error) => void;
export type Guard = (request: FastifyRequest, reply: FastifyReply, done: DoneCallback) => void;

/** Check the token of the caller: of a tenant, together with the rate limit, or of the operator. */
export interface Guards {
  tenant: Guard;
  operator: Guard;
}

interface GuardDeps {
  authenticator: Authenticator;
  rateLimit: RateLimit;
  operatorToken: string;
  /** The limits of invalid tokens. */
  backOff: { tenant: BackOff; operator: BackOff };
}

export const guardsOf = (deps: GuardDeps): Guards => ({
  tenant: tenantGuard(deps),
  operator: operatorGuard(deps),
});

/** The answer to an invalid token: too many of them from one address are 429. A missing token is no guess. */
export function refuseToken(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  backOff: BackOff,
): Error {
  if (!(error instanceof ApiError) || error.key !== 'unauthorized') return error as Error;
  const token = request.headers.authorization;
  if (token === undefined) return error;
  request.refusedTokenId = (error.cause as { tokenId?: string } | undefined)?.tokenId;
  const seconds = backOff.fail(request.ip, token);
  if (seconds === 0) return error;
  request.isBackedOff = true;
  reply.header('retry-after', String(seconds));
  reply.header('x-ratelimit-reset', String(Math.ceil(Date.now() / 1000) + seconds));
  return new ApiError('too_many_requests', { detail: 'too many invalid tokens came from your address' });
}

/** Counts a call of a deprecated version if its token is valid, whatever its answer is. Runs in the background. */
export function countCall(
  { principal }: Authenticator,
  retiring: RetiringVersion,
  { raw }: FastifyRequest,
  spec: Route['spec'],
): void {
  const known = async () => principal(authorizationOf(raw.rawHeaders), raw.socket);
  known().then(
    (caller) => retiring.count(caller, spec),
    () => {},
  );
}

function tenantGuard({ authenticator, rateLimit, backOff }: GuardDeps): Guard {
  // Without closures and promises if everything is cached: this runs for every request.
  const admit = (
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
    done: DoneCallback,
  ): void => {
    request.principal = principal;
    const decision = rateLimit.take(principal.tenantId, principal.requestsPerMinute);
    if (decision instanceof Promise) decision.then((late) => limit(reply, principal, late, done), done);
    else limit(reply, principal, decision, done);
  };
  return (request, reply, done) => {
    let principal: Principal | Promise<Principal>;
    try {
      principal = authenticator.principal(authorizationOf(request.raw.rawHeaders), request.raw.socket);
    } catch (error) {
      done(refuseToken(request, reply, error, backOff.tenant));
      return;
    }
    if (principal instanceof Promise)
      principal
        .then((late) => admit(request, reply, late, done))
        .catch((error) => done(refuseToken(request, reply, error, backOff.tenant)));
    else admit(request, reply, principal, done);
  };
}

function limit(
  reply: FastifyReply,
  principal: Principal,
  decision: RateLimitDecision,
  done: DoneCallback,
): void {
  // As strings: Node validates every header with a pattern, and a number takes it twice as long.
  reply.header('x-ratelimit-limit', String(principal.requestsPerMinute));
  reply.header('x-ratelimit-remaining', String(decision.remaining));
  reply.header('x-ratelimit-reset', String(decision.resetAt));
  if (decision.allowed) {
    done();
    return;
  }
  reply.header('retry-after', Math.max(1, Math.ceil(decision.resetAt - nowMs() / 1000)));
  done(new ApiError('too_many_requests'));
}

function operatorGuard({ operatorToken, backOff }: GuardDeps): Guard {
  return (request, reply, done) => {
    try {
      const given = authorizationOf(request.raw.rawHeaders);
      if (given === undefined)
        throw new ApiError('unauthorized', { detail: 'send the operator token as Bearer' });
      if (!sameSecret(bearerOf(given), operatorToken))
        throw new ApiError('unauthorized', { detail: 'this is not the operator token' });
      done();
    } catch (error) {
      done(refuseToken(request, reply, error, backOff.operator));
    }
  };
}
