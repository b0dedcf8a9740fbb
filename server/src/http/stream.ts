import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { type Authenticator, authorizationOf } from './authenticate.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import type { Call, Route, StreamCall } from './route.ts';

/** A client that has not taken the rest of an ended stream by then is cut off: it may never do. */
const LINGER_MS = 1_000;

/**
 * `no-transform` and nginx's own header: whoever is in between must pass on every piece as it comes. The connection
 * ends with the stream, which may end because the process does.
 */
const HEADERS = {
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** Begins an answer that goes on. Until there is a stream, everything that goes wrong is answered as any error is. */
export async function openStream(
  { authenticator, lifecycle }: { authenticator: Authenticator; lifecycle: RequestLifecycle },
  route: Route,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable> {
  const authorization = authorizationOf(request.raw.rawHeaders);
  const asked: StreamCall = {
    ...(call as Call<undefined, undefined>),
    given: (name) => request.headers[name] as string | undefined,
    isWelcome: () => isWelcome(authenticator, authorization, request.raw.socket),
  };
  const stream = (await route.handle(asked as never, undefined as never)) as Readable;
  reply.headers(HEADERS).type(`${route.spec.answer.mediaType}; charset=utf-8`);
  stream.once('end', () => {
    const timer = setTimeout(() => reply.raw.destroy(), LINGER_MS);
    reply.raw.once('close', () => clearTimeout(timer));
  });
  lifecycle.close(request, reply, 200);
  return stream;
}

/** Only a token that is known to be bad is refused: while nobody can be asked, whoever is here may stay. */
function isWelcome(
  authenticator: Authenticator,
  authorization: string | undefined,
  connection: object,
): boolean | Promise<boolean> {
  const isElse = (error: unknown): boolean => !(error instanceof ApiError && error.key === 'unauthorized');
  try {
    const principal = authenticator.principal(authorization, connection);
    return principal instanceof Promise ? principal.then(() => true, isElse) : true;
  } catch (error) {
    return isElse(error);
  }
}
