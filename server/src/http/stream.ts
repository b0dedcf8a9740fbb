import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { Authenticator } from './authenticate.ts';
import type { Call, StreamCall } from './call.ts';
import { findCaller, type PeopleDeps } from './guards.ts';
import { hasScope, type Principal, type Scope } from './permissions.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import type { Route } from './route.ts';

/** How long a client may take to read the rest of an ended stream. */
const LINGER_MS = 1_000;

/**
 * `no-transform` and `x-accel-buffering` make proxies pass on every piece immediately. The connection ends with the
 * stream, which may end because the process stops.
 */
const HEADERS = {
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
};

interface StreamDeps {
  authenticator: Authenticator;
  people: PeopleDeps;
  db: Database;
  lifecycle: RequestLifecycle;
}

/** Starts a stream. Errors before that are answered as usual. */
export async function openStream(
  deps: StreamDeps,
  route: Route,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable> {
  const { db, lifecycle } = deps;
  const { tenantId, caller } = call.principal;
  let { channelIds } = call.principal;
  const streamCall: StreamCall = {
    ...(call as Call<undefined, undefined>),
    given: (name) => request.headers[name] as string | undefined,
    isStillAuthorized: () =>
      isStillAuthorized(
        // In the tenant of the stream, whatever others the person has joined or left since.
        () => findCaller(deps, request, tenantId),
        route,
        (principal) => {
          channelIds = principal.channelIds;
          return principal.caller.id === caller.id;
        },
      ),
    visibleChannels: () => channelIds,
  };
  const stream = (await route.handle(streamCall as never, db.forTenant(tenantId))) as Readable;
  reply.headers(HEADERS).type(`${route.spec.answer.mediaType}; charset=utf-8`);
  stream.once('end', () => {
    const timer = setTimeout(() => reply.raw.destroy(), LINGER_MS);
    reply.raw.once('close', () => clearTimeout(timer));
  });
  lifecycle.close(request, reply, 200);
  return stream;
}

/**
 * Returns false only for a caller who is known to have lost the right to the stream. While the database cannot be reached the
 * stream stays open.
 */
function isStillAuthorized(
  find: () => Principal | Promise<Principal>,
  { spec }: Route,
  isSame: (principal: Principal) => boolean,
): boolean | Promise<boolean> {
  const isOtherError = (error: unknown): boolean =>
    !(error instanceof ApiError && (error.key === 'unauthorized' || error.key === 'forbidden'));
  const isAllowed = (principal: Principal): boolean =>
    isSame(principal) && (spec.access === 'token' || hasScope(principal, spec.access as Scope));
  try {
    const principal = find();
    return principal instanceof Promise ? principal.then(isAllowed, isOtherError) : isAllowed(principal);
  } catch (error) {
    return isOtherError(error);
  }
}
