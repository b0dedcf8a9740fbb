import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { ErrorKey } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import type { SystemTx } from '../db/transaction.ts';
import type { Answer } from './answer.ts';
import type { BodyBounds } from './body.ts';
import type { Call, ReceivedFile, SessionCall, StreamCall, Upload } from './call.ts';
import type { Feature, Scope } from './permissions.ts';

/** The contract of an operation. The router, the validators, the serializer and the API reference use it. */
export interface RouteSpec<
  P extends TSchema = TSchema,
  B extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  R extends TSchema = TSchema,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters as `/v3/chats/:chatId`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /**
   * The required scope; `token`: any caller in a tenant; `operator`: the operator's token or session; `session`: anyone who has
   * logged in; `login`: anyone, but no page of another site; `public`: anyone.
   */
  access: Scope | 'token' | 'operator' | 'session' | 'login' | 'public';
  /** Another site sends the browser here. The operation recognises by itself what it began. */
  isReturn?: true;
  feature?: Feature;
  /** Whether people need the role admin or owner, beside the scope. */
  isForAdmins?: true;
  params?: P;
  /** The client may omit the body if none of its fields is required. */
  body?: B;
  query?: Q;
  /** Takes a file, as multipart/form-data, instead of a JSON body. */
  upload?: Upload;
  answer: Answer<R>;
  /** The errors it can return, in addition to the seven that every operation lists. */
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
  /** For a deprecated version: the operation to use instead, such as `PUT /v3/api_webhooks/:webhookId`. */
  successor?: string;
}

/** Converts `:chatId` of the router to `{chatId}` of the API reference. */
export const documented = (path: string): string => path.replaceAll(/:([^/]+)/g, '{$1}');

export interface Route {
  spec: RouteSpec;
  /**
   * `read` changes nothing. `write` is one transaction. `statement` is a write of one statement without a transaction.
   * `call` calls a vendor before its transaction. `stream` is a read whose answer is a stream. `session` is about people and
   * begins its transactions itself.
   */
  kind: 'read' | 'write' | 'statement' | 'call' | 'stream' | 'session';
  /** `scope` depends on the kind and the access: the database or a transaction, of the tenant or across tenants. */
  handle: (call: Call, scope: unknown) => unknown;
}

type Given<S extends TSchema> = TSchema extends S ? undefined : Static<S>;
type CallOf<P extends TSchema, B extends TSchema, Q extends TSchema> = Call<Given<P>, Given<B>, Given<Q>>;
type Awaitable<T> = T | Promise<T>;

const route = (kind: Route['kind'], spec: RouteSpec<never, never, never, never>, handle: unknown): Route => ({
  spec: spec as unknown as RouteSpec,
  kind,
  handle: handle as Route['handle'],
});

/** An operation that changes nothing. */
export const read = <P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R>,
  handle: (call: CallOf<P, B, Q>, db: TenantDatabase) => Awaitable<Static<R>>,
): Route => route('read', spec as never, handle);

/** An operation that changes something, in one transaction. */
export const write = <P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R>,
  handle: (call: CallOf<P, B, Q>, tx: TenantTx) => Promise<Static<R>>,
): Route => route('write', spec as never, handle);

/** Stores the answer of the vendor, in one transaction with the answer of the operation. */
export type Finish<R> = (tx: TenantTx) => Promise<R>;

/**
 * An operation that calls a vendor. No transaction may wait for that, so it calls the vendor first and returns a function
 * for the transaction. After a crash the client repeats it, so that the calls to the vendor must be repeatable.
 */
export const call = <P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R>,
  handle: (call: CallOf<P, B, Q>, db: TenantDatabase) => Promise<Finish<Static<R>>>,
): Route => route('call', spec as never, handle);

/** An operation whose answer is a stream. Errors before the stream starts are answered as usual. */
export const stream = <Q extends TSchema>(
  spec: RouteSpec<TSchema, TSchema, Q, TSchema>,
  handle: (call: StreamCall<Given<Q>>, db: TenantDatabase) => Promise<Readable>,
): Route => route('stream', spec as never, handle);

/** An operation about the caller's own account. It calculates before its transactions: to check a password takes long. */
export const ofSession = <P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R> & { access: 'session' | 'login' },
  handle: (call: SessionCall<Given<P>, Given<B>, Given<Q>>, db: Database) => Promise<Static<R>>,
): Route => route('session', spec as never, handle);

/** A change with an uploaded file as its body. The transaction starts after the file is received completely. */
export const upload = <
  P extends TSchema,
  Q extends TSchema,
  R extends TSchema,
  F extends ReceivedFile = ReceivedFile,
>(
  spec: RouteSpec<P, TSchema, Q, R> & { upload: Upload<F> },
  handle: (call: Call<Given<P>, F, Given<Q>>, tx: TenantTx) => Promise<Static<R>>,
): Route => route('write', spec as never, handle);

/** An operation that requires no token, such as health checks and public files. */
export const publicRead = <P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R> & { access: 'public' },
  handle: (call: CallOf<P, B, Q>) => Awaitable<Static<R>>,
): Route => route('read', spec as never, handle);

/** An operation of the operator that changes nothing. */
export const operatorRead = <P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R> & { access: 'operator' },
  handle: (call: CallOf<P, B, Q>, db: Database) => Awaitable<Static<R>>,
): Route => route('read', spec as never, handle);

/** An operation of the operator that changes something, in one transaction across tenants. */
export const operatorWrite = <P extends TSchema, B extends TSchema, Q extends TSchema, R extends TSchema>(
  spec: RouteSpec<P, B, Q, R> & { access: 'operator' },
  handle: (call: CallOf<P, B, Q>, tx: SystemTx) => Promise<Static<R>>,
): Route => route('write', spec as never, handle);

interface Family<P extends TSchema> {
  tag: string;
  feature?: Feature;
  /** The parameters of paths such as `/v3/chats/:chatId`, and an example of them. */
  params: P;
  exampleParams: Record<string, string>;
}

type FamilySpec<Path extends string, B extends TSchema, Q extends TSchema, R extends TSchema> = Omit<
  RouteSpec<TSchema, B, Q, R>,
  'tag' | 'feature' | 'params' | 'path'
> & { path: Path };
type ParamsOf<Path extends string, P extends TSchema> = Path extends `${string}/:${string}` ? P : TSchema;

/** Routes of one resource. Each gets the tag; those with a parameter in their path get the parameters and their example. */
export function routeFamily<P extends TSchema>({ tag, feature, params, exampleParams }: Family<P>) {
  const complete = ({ example, ...spec }: FamilySpec<string, never, never, never>) => ({
    tag,
    ...(feature === undefined ? {} : { feature }),
    ...spec,
    ...(spec.path.includes('/:')
      ? { params, example: { params: exampleParams, ...(example as object) } }
      : { example }),
  });
  return {
    read: <Path extends string, B extends TSchema, Q extends TSchema, R extends TSchema>(
      spec: FamilySpec<Path, B, Q, R>,
      handle: (call: CallOf<ParamsOf<Path, P>, B, Q>, db: TenantDatabase) => Awaitable<Static<R>>,
    ): Route => route('read', complete(spec as never) as never, handle),
    write: <Path extends string, B extends TSchema, Q extends TSchema, R extends TSchema>(
      spec: FamilySpec<Path, B, Q, R>,
      handle: (call: CallOf<ParamsOf<Path, P>, B, Q>, tx: TenantTx) => Promise<Static<R>>,
    ): Route => route('write', complete(spec as never) as never, handle),
    writeStatement: <Path extends string, B extends TSchema, Q extends TSchema, R extends TSchema>(
      spec: FamilySpec<Path, B, Q, R>,
      handle: (call: CallOf<ParamsOf<Path, P>, B, Q>, tx: TenantTx) => Promise<Static<R>>,
    ): Route => route('statement', complete(spec as never) as never, handle),
    call: <Path extends string, B extends TSchema, Q extends TSchema, R extends TSchema>(
      spec: FamilySpec<Path, B, Q, R>,
      handle: (call: CallOf<ParamsOf<Path, P>, B, Q>, db: TenantDatabase) => Promise<Finish<Static<R>>>,
    ): Route => route('call', complete(spec as never) as never, handle),
  };
}

/** Whether an idempotency key is accepted. Searches are POSTs that change nothing. */
export const isReplayable = (route: Route): boolean =>
  route.spec.method === 'POST' &&
  route.kind !== 'read' &&
  route.kind !== 'session' &&
  route.spec.access !== 'operator';
