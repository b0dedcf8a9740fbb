import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { TSchema } from 'typebox';
import { sha256 } from '../base/crypto.ts';
import { endOfTick } from '../base/end-of-tick.ts';
import { ApiError } from '../base/errors.ts';
import type { Database, SystemTx } from '../db/database.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import type { Authenticator } from './authenticate.ts';
import type { BackOff } from './back-off.ts';
import { allowCompression } from './compression.ts';
import { type StoredContent, sendContent } from './content.ts';
import { type Download, sendDownload } from './download.ts';
import { countCall, type DoneCallback, type Guards, guardsOf } from './guards.ts';
import type { Idempotency } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import { hasFeature, hasScope, type Principal, type Scope } from './permissions.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import { type Call, type Finish, isReplayable, type ReceivedFile, type Route } from './route.ts';
import { bodyOf } from './server.ts';
import { openStream } from './stream.ts';
import { shownBy, strictBody, withoutNulls } from './strict-body.ts';
import type { RetiringVersion } from './sunset.ts';
import { maskedOperations, rejectUnknownRoutes } from './unknown-routes.ts';
import { allowUploads, requireAllowedSize, withFile } from './upload.ts';
import { compileSchema, type Validate } from './validation.ts';

export interface RouterDeps {
  db: Database;
  lifecycle: RequestLifecycle;
  metrics: Pick<Metrics, 'route'>;
  authenticator: Authenticator;
  rateLimit: RateLimit;
  idempotency: Idempotency;
  operatorToken: string;
  backOff: { tenant: BackOff; operator: BackOff };
  /** The deprecated version of the API, if there is one. */
  retiring?: RetiringVersion;
}

const OK = 200;

/** Registers routes with the server. Checks run in the order that docs/develop/decisions.md describes. */
export async function addRoutes(
  app: FastifyInstance,
  deps: RouterDeps,
  routes: readonly Route[],
): Promise<void> {
  const guards = guardsOf(deps);
  // In separate scopes, so that the hook for unknown routes does not run for known ones.
  const mayBeCompressed = ({ spec }: Route): boolean =>
    spec.answer.isList === true || spec.body !== undefined;
  await app.register(async (scope) => {
    for (const route of routes)
      if (!mayBeCompressed(route) && !route.spec.upload) addRoute(scope, deps, guards, route);
  });
  await app.register(async (scope) => {
    await allowCompression(scope);
    for (const route of routes) if (mayBeCompressed(route)) addRoute(scope, deps, guards, route);
  });
  await app.register(async (scope) => {
    await allowUploads(scope);
    for (const route of routes) if (route.spec.upload) addRoute(scope, deps, guards, route);
  });
  const rejectUnknown = rejectUnknownRoutes(deps, guards, routes);
  // Before the body is read: a caller without a valid token gets no other answer.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const error = deps.lifecycle.open(request, reply);
    if (error) done(error);
    else rejectUnknown(request, reply).catch(done);
  });
  app.setNotFoundHandler(rejectUnknown);
  for (const { method, path } of maskedOperations(routes))
    app.route({
      method,
      url: path,
      onRequest: (request, reply, done) => {
        const error = deps.lifecycle.open(request, reply);
        if (error) done(error);
        else rejectUnknown(request, reply).catch(done);
      },
      handler: rejectUnknown,
    });
}

function addRoute(scope: FastifyInstance, deps: RouterDeps, guards: Guards, route: Route): void {
  const { spec } = route;
  const guard =
    spec.access === 'public' ? undefined : spec.access === 'operator' ? guards.operator : guards.tenant;
  const retiring = deps.retiring?.has(spec.path) ? deps.retiring : undefined;
  const stats = deps.metrics.route(spec.method, spec.path);
  const receive: onRequestHookHandler = (request, reply, done) => {
    request.stats = stats;
    const ended = retiring?.announce(request, reply, spec);
    if (retiring) countCall(deps.authenticator, retiring, request, spec);
    const error = deps.lifecycle.open(request, reply) ?? ended;
    if (error || !guard) done(error);
    else guard(request, reply, done as DoneCallback);
  };
  scope.route({
    method: spec.method,
    url: spec.path,
    onRequest: receive,
    // Lists may be long; a single record is sent faster than it is compressed.
    ...(spec.answer.isList ? { compress: {} } : {}),
    ...(spec.body === undefined ? {} : { decompress: {} }),
    ...(spec.bodyBytes === undefined ? {} : { bodyLimit: spec.bodyBytes }),
    // A stream for a HEAD request would never end.
    ...(route.kind === 'stream' ? { exposeHeadRoute: false } : {}),
    ...(spec.answer.isContent ? {} : { schema: { response: { [OK]: spec.answer.schema } } }),
    handler: handlerOf(deps, route),
  });
}

interface Validators {
  body: Validate | undefined;
  query: Validate | undefined;
}

function handlerOf(deps: RouterDeps, route: Route) {
  const { spec } = route;
  // Version 2 ignores what it does not know.
  const isStrict = !deps.retiring?.has(spec.path);
  const validators: Validators = {
    body: spec.body && compileSchema(isStrict ? strictBody(spec.body, shownBy(spec)) : spec.body, 'body'),
    query: spec.query && compileSchema(spec.query, 'query'),
  };
  const replayable = isReplayable(route);
  const tenantOf = (request: FastifyRequest): TenantDatabase =>
    deps.db.forTenant((request.principal as Principal).tenantId);
  const inTransaction = (
    request: FastifyRequest,
    work: (tx: TenantTx | SystemTx) => unknown,
  ): Promise<unknown> =>
    spec.access === 'operator'
      ? deps.db.systemTransaction(async (tx) => work(tx))
      : tenantOf(request).transaction(async (tx) => work(tx));
  /** The database of a handler that runs without a transaction. */
  const scopeOf = (request: FastifyRequest): unknown => {
    if (spec.access === 'public') return undefined;
    if (spec.access === 'operator') return deps.db;
    const tenant = tenantOf(request);
    return route.kind === 'statement' ? tenant.autocommit : tenant;
  };

  function callOf(request: FastifyRequest, header: Call['header'], file?: ReceivedFile): Call {
    let body: unknown = file;
    if (validators.body) {
      const parsed = bodyOf(request, spec.bodyBounds);
      const given = parsed === undefined ? {} : parsed;
      const hasNulls = isStrict && request.rawBody?.includes('null');
      body = hasNulls ? withoutNulls(spec.body as TSchema, given) : given;
      validators.body(body)?.throwIfAny();
    }
    validators.query?.(request.query)?.throwIfAny();
    return {
      principal: request.principal as Principal,
      params: request.params,
      body,
      query: request.query,
      header,
    };
  }

  async function runOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    file?: ReceivedFile,
  ): Promise<object> {
    const principal = request.principal as Principal;
    const idempotent = {
      tenantId: principal.tenantId,
      callerId: principal.tokenId,
      key,
      method: spec.method,
      // From the route and its parameters: a trailing slash makes no difference.
      path: `${spec.path} ${JSON.stringify(request.params)}`,
      bodyHash: file?.hash ?? sha256(request.rawBody ?? Buffer.alloc(0)),
    };
    const prepare = () => {
      const headers: Record<string, string> = {};
      const setHeader: Call['header'] = (name, value) => {
        headers[name] = value;
      };
      const answerOf = (result: unknown) => ({ body: spec.answer.wrap(result as never), headers });
      return { call: callOf(request, setHeader, file), answerOf };
    };
    const answer =
      route.kind === 'call'
        ? await deps.idempotency.reserve(idempotent, async () => {
            const { call, answerOf } = prepare();
            const finish = (await route.handle(call, tenantOf(request))) as Finish<unknown>;
            return async (tx) => answerOf(await finish(tx));
          })
        : await deps.idempotency.once(idempotent, async (tx) => {
            const { call, answerOf } = prepare();
            return answerOf(await route.handle(call, tx));
          });
    reply.headers(answer.headers);
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    deps.lifecycle.close(request, reply, OK);
    return answer.body as object;
  }

  function run(request: FastifyRequest, reply: FastifyReply, file?: ReceivedFile): unknown {
    const wrap = (result: unknown): object | Promise<object> => {
      if (spec.answer.isContent)
        return sendContent(request, reply, result as StoredContent, (status) =>
          deps.lifecycle.close(request, reply, status),
        );
      deps.lifecycle.close(request, reply, OK);
      if (spec.answer.isDownload)
        return sendDownload(request, reply, spec.answer.mediaType as string, result as Download);
      return spec.answer.wrap(result as never);
    };
    const key = replayable ? request.headers['idempotency-key'] : undefined;
    if (key !== undefined) return runOnce(request, reply, String(key), file);
    const call = callOf(request, (name, value) => void reply.header(name, value), file);
    if (route.kind === 'stream') return openStream(deps, route, call, request, reply);
    if (route.kind === 'write') return inTransaction(request, (tx) => route.handle(call, tx)).then(wrap);
    if (route.kind === 'call') {
      const tenant = tenantOf(request);
      return (route.handle(call, tenant) as Promise<Finish<unknown>>)
        .then((finish) => tenant.transaction(finish))
        .then(wrap);
    }
    const result = route.handle(call, scopeOf(request));
    return (result instanceof Promise ? result : endOfTick(result)).then(wrap);
  }

  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    if (spec.upload) requireAllowedSize(request, spec.upload);
    if (request.principal) requirePermission(request.principal, route);
    if (!spec.upload) return run(request, reply);
    return withFile(request, spec.upload, async (file) => run(request, reply, file));
  };
}

function requirePermission(principal: Principal, { spec }: Route): void {
  if (spec.feature !== undefined && !hasFeature(principal, spec.feature))
    throw new ApiError('insufficient_billing_plan', {
      detail: `the plan "${principal.plan}" does not include ${spec.feature}`,
    });
  if (spec.access !== 'token' && !hasScope(principal, spec.access as Scope))
    throw new ApiError('forbidden', { detail: `the token lacks the scope "${spec.access}"` });
}
