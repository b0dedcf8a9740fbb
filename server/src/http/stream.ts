import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { type Authenticator, authorizationOf } from './authenticate.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import type { Call, Route, StreamCall } from './route.ts';

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

/** Starts a stream. Errors before that are answered as usual. */
export async function openStream(
  {
    authenticator,
    db,
    lifecycle,
  }: { authenticator: Authenticator; db: Database; lifecycle: RequestLifecycle },
  route: Route,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable> {
  const authorization = authorizationOf(request.raw.rawHeaders);
  const streamCall: StreamCall = {
    ...(call as Call<undefined, undefined>),
    given: (name) => request.headers[name] as string | undefined,
    isStillAuthorized: () => isStillAuthorized(authenticator, authorization, request.raw.socket),
  };
  const stream = (await route.handle(streamCall as never, db.forTenant(call.principal.tenantId))) as Readable;
  reply.headers(HEADERS).type(`${route.spec.answer.mediaType}; charset=utf-8`);
  stream.once('end', () => {
    const timer = setTimeout(() => reply.raw.destroy(), LINGER_MS);
    reply.raw.once('close', () => clearTimeout(timer));
  });
  lifecycle.close(request, reply, 200);
  return stream;
}

/** Returns false only for a token that is known to be invalid. While the database cannot be reached the stream stays open. */
function isStillAuthorized(
  authenticator: Authenticator,
  authorization: string | undefined,
  connection: object,
): boolean | Promise<boolean> {
  const isOtherError = (error: unknown): boolean =>
    !(error instanceof ApiError && error.key === 'unauthorized');
  try {
    const principal = authenticator.principal(authorization, connection);
    return principal instanceof Promise ? principal.then(() => true, isOtherError) : true;
  } catch (error) {
    return isOtherError(error);
  }
}
