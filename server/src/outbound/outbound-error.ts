/**
 * How far a request came before it failed.
 * `refused`: its destination is not allowed. `lookup`, `connect`, `tls`: there was no connection to use.
 * `send`: it could not be written, or the connection broke before any of the response arrived.
 * `response`: the response broke off or is not HTTP. `deadline`: its time was up, wherever it was.
 * `aborted`: the caller gave up, or the client is closed.
 */
export type OutboundPhase =
  | 'refused'
  | 'lookup'
  | 'connect'
  | 'tls'
  | 'send'
  | 'response'
  | 'deadline'
  | 'aborted';

/** How long each part of a request took; null where it was not reached, not finished, or not needed. */
export interface OutboundTimings {
  /** Null also when the request went over a connection that was already open, or to a literal address. */
  lookupMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the moment the request could be written until the first byte of the response. */
  waitMs: number | null;
  readMs: number | null;
  /** With the time spent waiting for a free connection. */
  totalMs: number;
}

interface OutboundErrorDetails {
  bytesSent?: boolean;
  cause?: unknown;
  timings?: OutboundTimings;
}

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly phase: OutboundPhase;
  /** Whether the peer may have seen any byte of the request. Without one, the request certainly had no effect. */
  readonly bytesSent: boolean;
  /** Absent when the request was refused before it began. */
  readonly timings: OutboundTimings | undefined;

  constructor(phase: OutboundPhase, message: string, details: OutboundErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.phase = phase;
    this.bytesSent = details.bytesSent ?? false;
    this.timings = details.timings;
  }
}

/** What went wrong, for people. The AggregateError of several addresses has a code and no message. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.message === '') return code || error.name;
  return code === '' || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
