import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Activity } from '../base/activity.ts';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { type BodyBounds, DEFAULT_BOUNDS, parseBody } from './body.ts';
import { asApiError, errorBody, sendError } from './errors.ts';
import { serializerOf } from './list-answer.ts';
import type { Metrics } from './metrics.ts';
import { attachLifecycle, type RequestLifecycle, requestLifecycle } from './request-lifecycle.ts';
import { isUploading } from './upload.ts';

const JSON_BODY_BYTES = 1024 * 1024;
/** A client that sends its headers or body one byte at a time is cut off. */
const TIMEOUTS = { headersMs: 10_000, requestMs: 15_000, checkMs: 2_000 };
const KEEP_ALIVE_MS = 72_000;
/** Longer than any path that Node accepts, so that a long id is not found like any other unknown id. */
const MAX_PARAM_CHARACTERS = 16_384;
const CORS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
const CORS_EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Parley-Token-Expires',
];

/** An OPTIONS request without these headers is not a preflight request. */
const isPreflight = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/**
 * The path for the router. A complete URL, as proxies send it, is reduced to its path, by which guards are chosen. An id
 * with an invalid percent-encoding is taken literally, so that it is not found like any other unknown id.
 */
function routableUrl({ url = '/' }: IncomingMessage): string {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  if (!local.includes('%')) return local;
  const pathEnd = local.search(/[?#]|$/);
  const path = local.slice(0, pathEnd);
  try {
    decodeURIComponent(path);
    return local;
  } catch {
    return path.replaceAll('%', '%25') + local.slice(pathEnd);
  }
}

export interface HttpServerOptions {
  log: Logger;
  corsOrigins: string[];
  /** The proxies whose X-Forwarded-For header names the client. */
  trustedProxies?: string[];
  metrics: Pick<Metrics, 'route'>;
  activity: Activity;
  /** True while the process is shutting down. */
  isDraining: () => boolean;
  /** How long a request may take to arrive. Tests use shorter times. */
  timeouts?: typeof TIMEOUTS;
}

export interface HttpServer {
  app: FastifyInstance;
  lifecycle: RequestLifecycle;
}

/** Creates the server with its limits, headers and error handling, without routes. */
export async function httpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { log, timeouts = TIMEOUTS } = options;
  const lifecycle = requestLifecycle(options);
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = asApiError(error);
    lifecycle.close(request, reply, answer.status);
    sendError(answer, request, reply, log);
  };
  const app = Fastify({
    logger: false,
    // Each of the thousand routes counts as a plugin, and none waits for anything: without a timer for each, a start
    // takes 15 ms less.
    pluginTimeout: 0,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    bodyLimit: JSON_BODY_BYTES,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: () => `req_${newId()}`,
    requestIdHeader: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_CHARACTERS },
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // Checked in the lifecycle: Node would answer without the envelope.
      requireHostHeader: false,
    },
    rewriteUrl: routableUrl,
    // These errors occur before routing, without any hook.
    frameworkErrors: (error, request, reply) => {
      lifecycle.open(request, reply);
      answerError(error, request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  // An expectation that nobody knows is ignored, as RFC 9110 allows: Node would answer 417 without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('principal', undefined);
  app.decorateRequest('session', undefined);
  app.decorateRequest('rawBody', undefined);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('stats', undefined);
  app.decorateRequest('refusedTokenId', undefined);
  app.decorateRequest('isBackedOff', false);
  app.setSerializerCompiler(({ schema }) => {
    const serialize = serializerOf(() => schema as object);
    return (body) => serialize()(body);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, keepRawBody);
  app.setErrorHandler(answerError);
  if (options.corsOrigins.length > 0) {
    // The plugin answers preflights by itself.
    attachLifecycle(app, lifecycle);
    const shared = { origin: options.corsOrigins, methods: CORS_METHODS, exposedHeaders: CORS_EXPOSED };
    await app.register(cors, {
      delegator: (request, done) => done(null, { ...shared, preflight: isPreflight(request) }),
    });
  }
  return { app, lifecycle };
}

/** The body is parsed and validated after the caller is authorized. */
function keepRawBody(
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  request.rawBody = body;
  done(null, undefined);
}

export const bodyOf = (request: FastifyRequest, bounds: BodyBounds = DEFAULT_BOUNDS): unknown =>
  request.rawBody === undefined ? undefined : parseBody(request.rawBody, bounds);

/** Answers requests that are not valid HTTP or too slow, which the framework does not see. */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  // Uploads have their own timeouts, as files can be large.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  const [status, message] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request took too long to arrive']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large']
        : ['400 Bad Request', 'The request is not well-formed HTTP'];
  const requestId = `req_${newId()}`;
  const body = JSON.stringify(
    errorBody(
      new ApiError('invalid_body_params', { invalidParams: { request: { key: 'custom', message } } }),
      requestId,
    ),
  );
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
