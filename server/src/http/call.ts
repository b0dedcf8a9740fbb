import type { Readable } from 'node:stream';
import type { Principal } from './permissions.ts';
import type { Session } from './sessions.ts';

/** A call of an operation: authenticated, authorized and validated. */
export interface Call<P = unknown, B = unknown, Q = unknown> {
  /** The caller. Operator and public routes have none and must not use it. */
  principal: Principal;
  params: P;
  body: B;
  query: Q;
  /** Adds a header to the answer. */
  header(name: string, value: string): void;
}

/** A call about the caller's own account, or one that logs in. It belongs to no tenant. */
export interface SessionCall<P = unknown, B = unknown, Q = unknown> extends Omit<Call<P, B, Q>, 'principal'> {
  /** The person who has logged in; undefined for calls that log in. */
  session: Session | undefined;
  /** The value of the session cookie that was sent, valid or not. */
  cookie: string | undefined;
  /** The value of the cookie of a login over an identity provider. */
  loginCookie: string | undefined;
  address: string;
  agent: string;
  /** Sets the session cookie for so many seconds; with 0 it is removed. */
  setCookie(value: string, maxAgeSeconds: number): void;
  setLoginCookie(value: string, maxAgeSeconds: number): void;
  /** Makes the person the one who did this, in the audit log. */
  actAs(personId: string): void;
}

/** A call whose answer is a stream. */
export interface StreamCall<Q = unknown> extends Call<undefined, undefined, Q> {
  /** A header of the request. */
  given(name: string): string | undefined;
  /** Whether the token or session is still valid: a stream outlives the authentication at its start. */
  isStillAuthorized(): boolean | Promise<boolean>;
  /** The channels that the caller sees, as last known; undefined for all. */
  visibleChannels(): ReadonlySet<string> | undefined;
}

/** A file that is being uploaded, with the client's description of it. */
export interface IncomingFile {
  filename: string | undefined;
  mimeType: string;
  bytes: Readable;
}

/** A file that was received completely before the transaction of its operation begins. */
export interface ReceivedFile {
  /** Identifies a repeated request. */
  hash: Buffer;
  /** Deletes the received bytes unless the operation has kept them. Never rejects. */
  release(): Promise<void>;
  /** The fields of the form that are true or false, as far as they were given. */
  flags?: Record<string, boolean>;
}

/** An upload may take longer than other requests if it is fast enough. */
export interface Pace {
  /** The connection is closed if the client sends less than this in `everyMs`. */
  bytes: number;
  everyMs: number;
  /** The connection is closed after this time. */
  maxMs: number;
}

export interface Upload<F extends ReceivedFile = ReceivedFile> {
  maxBytes: number;
  pace?: Pace;
  /** Fields of the form that are true or false, with their descriptions. Other fields are ignored. */
  flags?: Record<string, string>;
  receive(tenantId: string, file: IncomingFile): Promise<F>;
}
