import { type Static, type TSchema, Type } from 'typebox';
import type { ErrorKey } from '../base/errors.ts';
import type { Tx } from '../db/database.ts';
import { SearchEcho, SearchPagination } from '../search/schema.ts';
import type { BodyBounds } from './body.ts';
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

/** How a handler's result becomes the answer's body. */
export interface Answer<R extends TSchema> {
  schema: TSchema;
  wrap: (result: Static<R>) => object;
  /** Whether it can hold many records. */
  isList?: true;
  /** Types only. */
  result?: R;
}

const Success = Type.Literal(true);

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

export const DeleteResult = Type.Object(
  { deletedIds: Type.Array(Type.String()), notFoundIds: Type.Array(Type.String()) },
  { title: 'DeleteResult', description: 'What was deleted, and which ids named nothing' },
);

export const deleted = (id: string, wasThere: boolean): Static<typeof DeleteResult> =>
  wasThere ? { deletedIds: [id], notFoundIds: [] } : { deletedIds: [], notFoundIds: [id] };

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
  answer: Answer<R>;
  /** The errors it can answer with, beside the seven that every operation lists. */
  failures: readonly ErrorKey[];
  example: { params?: Record<string, string>; body?: unknown; answer: unknown };
  bodyBytes?: number;
  bodyBounds?: BodyBounds;
  /** Of a version on its way out: what to call instead, such as `PUT /v3/api_webhooks/:webhookId`. */
  successor?: string;
}

/** The router's `:chatId` as the reference writes it: `{chatId}`. */
export const documented = (path: string): string => path.replaceAll(/:([^/]+)/g, '{$1}');

export interface Route {
  spec: RouteSpec;
  /** `read`: never changes anything; `write`: one transaction, replayable by key; `statement`: a write that is one statement and needs no transaction of its own. */
  kind: 'read' | 'write' | 'statement';
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

/** Searches are POSTs that change nothing. */
export const isReplayable = (route: Route): boolean =>
  route.spec.method === 'POST' && route.kind !== 'read' && route.spec.access !== 'operator';
