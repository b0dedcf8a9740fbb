import type { Readable } from 'node:stream';
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import type { ErrorKey } from '../base/errors.ts';
import type { Tx } from '../db/database.ts';
import { SearchEcho, SearchPagination } from '../search/schema.ts';
import type { BodyBounds } from './body.ts';
import type { StoredContent } from './content.ts';
import type { Download } from './download.ts';
import type { Feature, Principal, Scope } from './permissions.ts';

/** One call of an operation, as its handler sees it: already authenticated, allowed and validated. */
export interface Call<P = unknown, B = unknown, Q = unknown> {
  /** Who calls. Operator and public routes have none and must not ask. */
  principal: Principal;
  params: P;
  body: B;
  query: Q;
  /** Adds a header to the answer. */
  header(name: string, value: string): void;
}

/** A call whose answer goes on, and what it must know beside: a stream outlives the checks at its beginning. */
export interface StreamCall<Q = unknown> extends Call<undefined, undefined, Q> {
  /** A header of the request. */
  given(name: string): string | undefined;
  /** Whether the caller would be let in again. */
  isWelcome(): boolean | Promise<boolean>;
}

/** How a handler's result becomes the answer's body. */
export interface Answer<R extends TSchema> {
  schema: TSchema;
  wrap: (result: Static<R>) => object;
  /** Whether it can hold many records. */
  isList?: true;
  /** What it is sent as, where that is not the envelope. */
  mediaType?: string;
  /** Whether it is the bytes of a file instead of the envelope. */
  isContent?: true;
  /** Whether it is a file that is made while it is sent. */
  isDownload?: true;
  /** Types only. */
  result?: R;
}

const Success = Type.Literal(true);
const EventText = Type.String();

/** `{ success: true, data }`. */
export function data<S extends TSchema>(schema: S): Answer<S> {
  return {
    schema: Type.Object({ success: Success, data: schema }),
    wrap: (result) => ({ success: true, data: result }),
  };
}

/** `{ success: true, ...fields }`, for answers that carry more than data. */
export function fields<S extends TSchema>(schema: S): Answer<S> {
  const properties = (schema as unknown as { properties: Record<string, TSchema> }).properties;
  return {
    schema: Type.Object({ success: Success, ...properties }),
    wrap: (result) => ({ success: true, ...(result as object) }),
  };
}

/** The answer of every `POST …/search`. */
export function found<S extends TSchema>(schema: S) {
  const page = Type.Object({ data: Type.Array(schema), pagination: SearchPagination, query: SearchEcho });
  return { ...fields(page), isList: true as const };
}

/** Server-sent events: an answer that goes on until one side ends it. The example is the text of one. */
export const eventStream: Answer<typeof EventText> = {
  schema: EventText,
  wrap: (text) => text as never,
  mediaType: 'text/event-stream',
};

/** The bytes of a file, whole or the range that is asked for. Only errors are in the envelope. */
export const content: Answer<TUnsafe<StoredContent>> = {
  schema: Type.String({ contentMediaType: 'application/octet-stream' }),
  wrap: (stored) => stored,
  isContent: true,
};

/** A table, line by line, as a file. Only errors are in the envelope. */
export const csv: Answer<TUnsafe<Download>> = {
  schema: Type.String(),
  wrap: (text) => text as never,
  mediaType: 'text/csv',
  isDownload: true,
};

export const DeleteResult = Type.Object(
  { deletedIds: Type.Array(Type.String()), notFoundIds: Type.Array(Type.String()) },
  { title: 'DeleteResult', description: 'What was deleted, and which ids named nothing' },
);

export const deleted = (id: string, wasThere: boolean): Static<typeof DeleteResult> =>
  wasThere ? { deletedIds: [id], notFoundIds: [] } : { deletedIds: [], notFoundIds: [id] };

/** A file on its way in: what the client says of it, and its bytes. */
export interface IncomingFile {
  filename: string | undefined;
  mimeType: string;
  bytes: Readable;
}

/** A file that was taken in whole before its operation begins, because bytes cannot be part of a transaction. */
export interface ReceivedFile {
  /** What makes a repeated request the same one. */
  hash: Buffer;
  /** Lets go of the bytes unless the operation has kept them. Does not fail. */
  release(): Promise<void>;
}

/** A file may take longer than any other request, as long as it keeps coming. */
export interface Pace {
  /** Who sends less than this in that time is cut off. */
  bytes: number;
  everyMs: number;
  /** So is who is still sending after this. */
  longestMs: number;
}

export interface Upload<F extends ReceivedFile = ReceivedFile> {
  maxBytes: number;
  pace?: Pace;
  receive(tenantId: string, file: IncomingFile): Promise<F>;
}

/** A contract: what the router, the validator, the serializer and the reference are made from. */
export interface RouteSpec<
  P extends TSchema = TSchema,
  B extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  R extends TSchema = TSchema,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In the router's spelling: `/v3/chats/:chatId`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** The scope a token needs; `token`: any valid one; `operator`: the operator's own; `public`: nothing. */
  access: Scope | 'token' | 'operator' | 'public';
  feature?: Feature;
  params?: P;
  body?: B;
  /** The body may be left out when none of its fields is required. */
  query?: Q;
  /** Takes a file, as multipart/form-data, instead of a JSON body. */
  upload?: Upload;
  answer: Answer<R>;
  /** The errors it can answer with, beside the seven that every operation lists. */
  failures: readonly ErrorKey[];
  example: {
    params?: Record<string, string>;
    body?: unknown;
    /** The file of an upload. */
    file?: { filename: string; content: string };
    answer: unknown;
  };
  bodyBytes?: number;
  bodyBounds?: BodyBounds;
  /** Of a version on its way out: what to call instead, such as `PUT /v3/api_webhooks/:webhookId`. */
  successor?: string;
}

/** The router's `:chatId` as the reference writes it: `{chatId}`. */
export const documented = (path: string): string => path.replaceAll(/:([^/]+)/g, '{$1}');

export interface Route {
  spec: RouteSpec;
  /** `read`: never changes anything; `write`: one transaction, replayable by key; `statement`: a write that is one statement and needs no transaction of its own; `call`: asks somebody outside before its transaction; `stream`: a read whose answer goes on. */
  kind: 'read' | 'write' | 'statement' | 'call' | 'stream';
  handle: (call: Call, tx: Tx) => unknown;
}

type Given<S extends TSchema> = TSchema extends S ? undefined : Static<S>;
type CallOf<P extends TSchema, B extends TSchema, Q extends TSchema> = Call<Given<P>, Given<B>, Given<Q>>;
type Awaitable<T> = T | Promise<T>;

/** An operation that only looks. */
export function read<P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R>,
  handle: (call: CallOf<P, B, Q>) => Awaitable<Static<R>>,
): Route {
  return { spec, kind: 'read', handle } as unknown as Route;
}

/** An operation that changes something, in one transaction. */
export function write<P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R>,
  handle: (call: CallOf<P, B, Q>, tx: Tx) => Promise<Static<R>>,
): Route {
  return { spec, kind: 'write', handle } as unknown as Route;
}

/** A change that is one statement: it commits by itself, unless an idempotency key asks for more. */
export function writeStatement<P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R>,
  handle: (call: CallOf<P, B, Q>, tx: Tx) => Promise<Static<R>>,
): Route {
  return { spec, kind: 'statement', handle } as unknown as Route;
}

/** What is left to do when everyone outside has answered: in one transaction, and with it the answer is kept. */
export type Finish<R> = (tx: Tx) => Promise<R>;

/**
 * An operation that asks somebody outside, which no transaction may wait for. It looks, asks, and gives back how to
 * finish. After a crash in between it is asked for again and begins anew, so whatever it does outside must bear that.
 */
export function call<P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R>,
  handle: (call: CallOf<P, B, Q>) => Promise<Finish<Static<R>>>,
): Route {
  return { spec, kind: 'call', handle } as unknown as Route;
}

/** An operation whose answer goes on. What it throws before there is a stream is answered as any error is. */
export function stream<Q extends TSchema>(
  spec: RouteSpec<TSchema, TSchema, Q, TSchema>,
  handle: (call: StreamCall<Given<Q>>) => Promise<Readable>,
): Route {
  return { spec, kind: 'stream', handle } as unknown as Route;
}

/** A change that begins with a file, which its handler finds as the body: received whole, then one transaction. */
export function upload<
  P extends TSchema,
  Q extends TSchema,
  R extends TSchema,
  F extends ReceivedFile = ReceivedFile,
>(
  spec: RouteSpec<P, TSchema, Q, R> & { upload: Upload<F> },
  handle: (call: Call<Given<P>, F, Given<Q>>, tx: Tx) => Promise<Static<R>>,
): Route {
  return { spec, kind: 'write', handle } as unknown as Route;
}

/** Searches are POSTs that change nothing. */
export const isReplayable = (route: Route): boolean =>
  route.spec.method === 'POST' && route.kind !== 'read' && route.spec.access !== 'operator';
