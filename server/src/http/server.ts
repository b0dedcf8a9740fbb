import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import fastJson from 'fast-json-stringify';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { lazy } from '../base/lazy.ts';
import { type BodyBounds, DEFAULT_BOUNDS, parseBody } from './body.ts';
import { asApiError, errorBody, sendError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { attachLifecycle, type RequestLifecycle, requestLifecycle } from './request-lifecycle.ts';
import { isUploading } from './upload.ts';

const JSON_BODY_BYTES = 1024 * 1024;
/** A client that sends its headers or body one byte at a time is cut off. */
const PATIENCE = { headersMs: 10_000, requestMs: 15_000, checkMs: 2_000 };
const KEEP_ALIVE_MS = 72_000;
/** Longer than any path that Node takes, so that a long identifier is simply unknown. */
const LONGEST_PARAM = 16_384;
const CORS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
const CORS_EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
];

/** An OPTIONS without these is nobody's preflight, and a method like any other. */
const isPreflight = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/**
 * The path as the router can read it. A whole URL, as proxies send it, is cut to its path, by which guards are chosen;
 * an identifier that is no valid percent-encoding is taken as it is written, so that it is simply not found.
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
  metrics: Pick<Metrics, 'route'>;
  /** True while the process is shutting down. */
  isDraining: () => boolean;
  /** How long a request may take to arrive; tests have less time. */
  patience?: typeof PATIENCE;
}

export interface HttpServer {
  app: FastifyInstance;
  lifecycle: RequestLifecycle;
}

/** The bare server: limits, headers, errors and protocol faults, before it knows any operation. */
export async function httpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { log, patience = PATIENCE } = options;
  const lifecycle = requestLifecycle(options);
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = asApiError(error);
    lifecycle.close(request, reply, answer.status);
    sendError(answer, request, reply, log);
  };
  const app = Fastify({
    logger: false,
    bodyLimit: JSON_BODY_BYTES,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: () => `req_${newId()}`,
    requestIdHeader: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAM },
    http: {
      headersTimeout: patience.headersMs,
      connectionsCheckingInterval: patience.checkMs,
    },
    rewriteUrl: routableUrl,
    // What the framework refuses before there is a route has passed no hook.
    frameworkErrors: (error, request, reply) => {
      lifecycle.open(request, reply);
      refuse(error, request, reply);
    },
    clientErrorHandler: refuseMalformed,
  });
  app.decorateRequest('principal', undefined);
  app.decorateRequest('rawBody', undefined);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('stats', undefined);
  // As the framework does it, but not before an answer is there to be written.
  app.setSerializerCompiler(({ schema }) => {
    const compiled = lazy(() => fastJson(schema as Parameters<typeof fastJson>[0]));
    return (body) => compiled()(body);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, keepRawBody);
  app.setErrorHandler(refuse);
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

/** Whether the body is good is judged only once the caller is known to be allowed. */
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

/** Requests that are not HTTP, or too slow, never become a request; they get the envelope all the same. */
function refuseMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  // Files have a patience of their own, since they are as long as they are.
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
