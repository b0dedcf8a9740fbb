import type { FastifyReply, FastifyRequest } from 'fastify';
import { sameSecret } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { nowMs } from '../base/time.ts';
import { type Authenticator, authorizationOf, bearerOf } from './authenticate.ts';
import type { BackOff } from './back-off.ts';
import type { CookieJar } from './cookies.ts';
import { isSafe, refuseForeignSite, requireOwnSite, tenantOf } from './own-site.ts';
import type { Principal } from './permissions.ts';
import type { RateLimit, RateLimitDecision } from './rate-limit.ts';
import type { Route } from './route.ts';
import type { Session, Sessions } from './sessions.ts';
import type { RetiringVersion } from './sunset.ts';

export type DoneCallback = (error?: Error) => void;
export type Guard = (request: FastifyRequest, reply: FastifyReply, done: DoneCallback) => void;

/** Check who calls, together with the rate limit. An Authorization header always wins over a cookie. */
export interface Guards {
  /** A token of a tenant, or a session of one of its users. */
  tenant: Guard;
  /** A token of a tenant. */
  token: Guard;
  /** The operator's token, or the session of a person who may do the same. */
  operator: Guard;
  /** A session, whatever tenant it is for. */
  session: Guard;
  /** Anyone, except pages of other sites. */
  login: Guard;
}

/** What people who have logged in are recognised by. */
export interface PeopleDeps {
  sessions: Sessions;
  rateLimit: RateLimit;
  sessionCookie: CookieJar;
  baseUrl: () => string;
}

interface GuardDeps {
  authenticator: Authenticator;
  rateLimit: RateLimit;
  people: PeopleDeps;
  operatorToken: string;
  /** The limits of invalid tokens. */
  backOff: { tenant: BackOff; operator: BackOff };
}

/** Requests of one session per minute. */
const SESSION_REQUESTS = 600;

export const guardsOf = (deps: GuardDeps): Guards => ({
  tenant: tenantGuard(deps, true),
  token: tenantGuard(deps, false),
  operator: operatorGuard(deps),
  session: sessionGuard(deps),
  login: loginGuard(deps),
});

/**
 * Who calls in a tenant: with a token, or else with the cookie of a session, in the tenant that the request names. The tenant of a
 * stream that is open already is given.
 */
export function findCaller(
  { authenticator, people }: Pick<GuardDeps, 'authenticator' | 'people'>,
  request: FastifyRequest,
  streamTenantId?: string,
): Principal | Promise<Principal> {
  const authorization = authorizationOf(request.raw.rawHeaders);
  const cookie = authorization === undefined ? people.sessionCookie.read(request) : undefined;
  if (cookie === undefined) return authenticator.principal(authorization, request.raw.socket);
  requireOwnSite(request, people.baseUrl());
  return streamTenantId === undefined
    ? people.sessions.principal(cookie, tenantOf(request))
    : people.sessions.recheck(cookie, streamTenantId);
}

/** The answer to an invalid token: too many of them from one address are 429. A missing token is no guess. */
export function refuseToken(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  backOff: BackOff,
  cookie?: string,
): Error {
  if (!(error instanceof ApiError) || error.key !== 'unauthorized') return error as Error;
  const token = request.headers.authorization ?? cookie;
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

/** Admits a caller by the Authorization header, or refuses the request without one. */
type AdmitToken = (
  request: FastifyRequest,
  reply: FastifyReply,
  header: string | undefined,
  done: DoneCallback,
) => void;

function tokenAdmission({ authenticator, rateLimit, backOff }: GuardDeps): AdmitToken {
  // Without closures and promises if everything is cached: this runs for every request.
  const admit = (
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
    done: DoneCallback,
  ): void => {
    request.principal = principal;
    if (principal.expiresAt !== undefined) reply.header('parley-token-expires', principal.expiresAt);
    const decision = rateLimit.take(principal.tenantId, principal.requestsPerMinute);
    if (decision instanceof Promise) decision.then((late) => limit(reply, principal, late, done), done);
    else limit(reply, principal, decision, done);
  };
  return (request, reply, header, done) => {
    let principal: Principal | Promise<Principal>;
    try {
      principal = authenticator.principal(header, request.raw.socket);
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

/** With `takesSessions`, a request without a token may have the cookie of a session. */
function tenantGuard(deps: GuardDeps, takesSessions: boolean): Guard {
  const { people, backOff } = deps;
  const admitToken = tokenAdmission(deps);
  const admitPerson = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const principal = await findCaller(deps, request);
    request.principal = principal;
    await limitPerson(people, reply, principal);
  };
  return (request, reply, done) => {
    let header: string | undefined;
    try {
      header = authorizationOf(request.raw.rawHeaders);
    } catch (error) {
      done(refuseToken(request, reply, error, backOff.tenant));
      return;
    }
    // Only without a token: Node builds the object of all headers on first access.
    const cookie = header === undefined && takesSessions ? people.sessionCookie.read(request) : undefined;
    if (cookie === undefined) return admitToken(request, reply, header, done);
    admitPerson(request, reply).then(
      () => done(),
      (error) => done(refuseToken(request, reply, error, backOff.tenant, cookie)),
    );
  };
}

/** Counts a request of a person: in the tenant, beside the requests of its tokens, and of the session. */
async function limitPerson(
  { rateLimit }: PeopleDeps,
  reply: FastifyReply,
  principal: Principal,
): Promise<void> {
  const { tenantId, requestsPerMinute, caller } = principal;
  const ofTenant = await rateLimit.take(tenantId, requestsPerMinute);
  setLimitHeaders(reply, requestsPerMinute, ofTenant);
  requireAllowed(reply, ofTenant);
  if (caller.type === 'user') await limitSession(rateLimit, reply, caller.sessionId);
}

async function limitSession(rateLimit: RateLimit, reply: FastifyReply, sessionId: string): Promise<void> {
  requireAllowed(reply, await rateLimit.take(sessionId, SESSION_REQUESTS));
}

function requireAllowed(reply: FastifyReply, decision: RateLimitDecision): void {
  if (decision.allowed) return;
  reply.header('x-ratelimit-reset', String(decision.resetAt));
  reply.header('retry-after', Math.max(1, Math.ceil(decision.resetAt - nowMs() / 1000)));
  throw new ApiError('too_many_requests');
}

function setLimitHeaders(reply: FastifyReply, perMinute: number, decision: RateLimitDecision): void {
  // As strings: Node validates every header with a pattern, and a number takes it twice as long.
  reply.header('x-ratelimit-limit', String(perMinute));
  reply.header('x-ratelimit-remaining', String(decision.remaining));
  reply.header('x-ratelimit-reset', String(decision.resetAt));
}

function limit(
  reply: FastifyReply,
  principal: Principal,
  decision: RateLimitDecision,
  done: DoneCallback,
): void {
  setLimitHeaders(reply, principal.requestsPerMinute, decision);
  if (decision.allowed) {
    done();
    return;
  }
  reply.header('retry-after', Math.max(1, Math.ceil(decision.resetAt - nowMs() / 1000)));
  done(new ApiError('too_many_requests'));
}

/** The session of a request's cookie; undefined without a cookie. Throws for a page of another site. */
async function findSession(
  { sessions, sessionCookie, rateLimit, baseUrl }: PeopleDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Session | undefined> {
  const cookie = sessionCookie.read(request);
  if (cookie === undefined) return undefined;
  requireOwnSite(request, baseUrl());
  const session = await sessions.find(cookie);
  await limitSession(rateLimit, reply, session.id);
  return session;
}

function operatorGuard({ operatorToken, people, backOff }: GuardDeps): Guard {
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const given = authorizationOf(request.raw.rawHeaders);
    if (given === undefined) {
      const session = await findSession(people, request, reply);
      if (!session) throw new ApiError('unauthorized', { detail: 'send the operator token as Bearer' });
      if (!session.isOperator) throw new ApiError('forbidden', { detail: 'you are not an operator' });
      request.session = session;
    } else if (!sameSecret(bearerOf(given), operatorToken))
      throw new ApiError('unauthorized', { detail: 'this is not the operator token' });
  }
  return (request, reply, done) => {
    admit(request, reply).then(
      () => done(),
      (error) =>
        done(refuseToken(request, reply, error, backOff.operator, people.sessionCookie.read(request))),
    );
  };
}

function sessionGuard({ people, backOff }: GuardDeps): Guard {
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (authorizationOf(request.raw.rawHeaders) !== undefined)
      throw new ApiError('unauthorized', { detail: 'this needs the cookie of a session, not a token' });
    const session = await findSession(people, request, reply);
    if (!session) throw new ApiError('unauthorized', { detail: 'log in with POST /v3/session' });
    request.session = session;
  }
  return (request, reply, done) => {
    admit(request, reply).then(
      () => done(),
      (error) => done(refuseToken(request, reply, error, backOff.tenant, people.sessionCookie.read(request))),
    );
  };
}

function loginGuard({ people }: GuardDeps): Guard {
  return (request, _reply, done) => {
    try {
      if (isSafe(request) || people.sessionCookie.read(request) === undefined)
        refuseForeignSite(request, people.baseUrl());
      else requireOwnSite(request, people.baseUrl());
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}
