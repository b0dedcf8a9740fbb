import type { Dispatcher } from 'undici';
import type { ConnectionProgress } from './connector.ts';
import { describeFailure, OutboundError, type OutboundTimings } from './outbound-error.ts';

export interface OutboundRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** The only limit, for everything: waiting for a connection, DNS, connecting, headers and body. */
  deadlineMs: number;
  maxResponseBytes: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Names in lower case; the values of a repeated name are joined with `, `. */
  headers: Record<string, string>;
  /** As it was sent (a content-encoding is not decoded), cut at `maxResponseBytes`. */
  body: Buffer;
  truncated: boolean;
  timings: OutboundTimings;
}

/** The parts of a validated URL. */
export interface Target {
  readonly origin: string;
  readonly host: string;
  readonly path: string;
}

/** One running request. The first result or error counts; everything after that is ignored. */
export interface Exchange {
  settled: boolean;
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
  /** The connection that was opened or chosen for it. */
  connection: ConnectionProgress | undefined;
  fail(phase: 'deadline' | 'aborted', what: string): void;
}

interface Outcome {
  resolve(response: OutboundResponse): void;
  reject(error: OutboundError): void;
  /** Runs once, before the promise settles; a connection is reusable only after a complete response. */
  release(isReusable: boolean): void;
}

const EMPTY = Buffer.alloc(0);

export function startExchange(request: OutboundRequest, target: Target, outcome: Outcome): Exchange {
  const { maxResponseBytes } = request;
  const startedAt = performance.now();
  /** When undici began to write, and when the first byte of the response arrived. */
  let sentAt: number | undefined;
  let answeredAt: number | undefined;
  let status = 0;
  let headers: Record<string, string> = {};
  let body: Buffer = EMPTY;
  let length = 0;

  const timings = (isComplete: boolean): OutboundTimings => {
    const { lookupMs = null, connectMs = null, tlsMs = null } = exchange.connection ?? {};
    const now = performance.now();
    return {
      lookupMs,
      connectMs,
      tlsMs,
      waitMs: sentAt === undefined || answeredAt === undefined ? null : answeredAt - sentAt,
      readMs: answeredAt === undefined || !isComplete ? null : now - answeredAt,
      totalMs: now - startedAt,
    };
  };

  const fail = ({ phase, message, bytesSent, cause }: OutboundError): void => {
    if (exchange.settled) return;
    exchange.settled = true;
    // A copy: requests that waited for the same lookup share its error, but not their timings.
    const error = new OutboundError(phase, message, { bytesSent, cause, timings: timings(false) });
    outcome.release(false);
    outcome.reject(error);
  };

  const succeed = (truncated: boolean): void => {
    if (exchange.settled) return;
    exchange.settled = true;
    const measured = timings(true);
    outcome.release(!truncated);
    outcome.resolve({ status, headers, body: body.subarray(0, length), truncated, timings: measured });
  };

  const exchange: Exchange = {
    settled: false,
    options: {
      path: target.path,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
    },
    connection: undefined,
    fail(phase, what) {
      let step = exchange.connection?.step ?? 'waiting for a free connection';
      if (sentAt !== undefined) step = status === 0 ? 'waiting for the response' : 'reading the response';
      fail(
        new OutboundError(phase, `${what} while ${step} (${target.host}).`, {
          bytesSent: sentAt !== undefined,
        }),
      );
    },
    handler: {
      // undici writes the request as soon as this returns. An exchange that ended while it waited for its
      // connection has lost that connection, so it cannot get here.
      onRequestStart() {
        sentAt = performance.now();
      },
      onResponseStarted() {
        answeredAt ??= performance.now();
      },
      onResponseStart(_controller, statusCode, rawHeaders) {
        // 1xx statuses such as 103 come before the response.
        if (statusCode < 200) return;
        status = statusCode;
        headers = joinRepeated(rawHeaders);
      },
      onResponseData(_controller, chunk) {
        if (exchange.settled) return;
        const fits = Math.min(chunk.length, maxResponseBytes - length);
        if (length === 0) {
          body = chunk;
        } else {
          // One growing buffer: a body that comes byte by byte would otherwise be one object per byte.
          if (length + fits > body.length) body = growBuffer(body, length, maxResponseBytes, length + fits);
          chunk.copy(body, length, 0, fits);
        }
        length += fits;
        if (fits < chunk.length) succeed(true);
      },
      onResponseEnd() {
        succeed(false);
      },
      onResponseError(_controller, cause) {
        fail(cause instanceof OutboundError ? cause : explain(cause));
      },
    },
  };

  const explain = (cause: Error): OutboundError => {
    const reason = describeFailure(cause);
    if (sentAt === undefined)
      return new OutboundError('send', `The request could not be sent: ${reason}.`, { cause });
    const answered = answeredAt !== undefined || cause.name === 'HTTPParserError';
    const phase = answered ? 'response' : 'send';
    const what = answered ? 'The response is broken' : 'The connection broke before any response';
    return new OutboundError(phase, `${what} (${target.host}): ${reason}.`, { bytesSent: true, cause });
  };

  return exchange;
}

function growBuffer(body: Buffer, used: number, cap: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(cap, Math.max(needed, body.length * 2, 1024)));
  body.copy(larger, 0, 0, used);
  return larger;
}

function joinRepeated(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string>;
}
