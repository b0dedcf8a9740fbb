/**
 * How far a request got before it failed.
 * `refused`: its URL is not allowed. `lookup`: its host has no address that is allowed. `connect`, `tls`: there was no
 * connection to use.
 * `send`: it could not be written, or the connection broke before any of the response arrived.
 * `response`: the response broke off or is not HTTP. `deadline`: the deadline passed, in any phase.
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

/** How long each part of a request took; null if it was not reached, not finished, or not needed. */
export interface OutboundTimings {
  /** Also null if the connection was already open, or the host is a literal address. */
  lookupMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the moment the request could be written until the first byte of the response. */
  waitMs: number | null;
  readMs: number | null;
  /** Including the time spent waiting for a free connection. */
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
  /** Whether the receiver may have seen any byte of the request. If not, the request had no effect. */
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

/** The error as a text. The AggregateError of several addresses has a code and no message. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.message === '') return code || error.name;
  return code === '' || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
