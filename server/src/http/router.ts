import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { sha256 } from '../base/crypto.ts';
import { endOfTick } from '../base/end-of-tick.ts';
import { ApiError } from '../base/errors.ts';
import type { Database, Tx } from '../db/database.ts';
import type { Authenticator } from './authenticate.ts';
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
import type { RetiringVersion } from './sunset.ts';
import { refusalOfUnknown } from './unknown-routes.ts';
import { allowUploads, requireFitting, withFile } from './upload.ts';
import { compileSchema, refuse, type Validate } from './validation.ts';

export interface RouterDeps {
  db: Database;
  lifecycle: RequestLifecycle;
  metrics: Pick<Metrics, 'route'>;
  authenticator: Authenticator;
  rateLimit: RateLimit;
  idempotency: Idempotency;
  operatorToken: string;
  /** The version that is on its way out, if there is one. */
  retiring?: RetiringVersion;
}

const OK = 200;

/** Turns contracts into routes of the server. Checks run in the order that docs/decisions.md states. */
export async function addRoutes(
  app: FastifyInstance,
  deps: RouterDeps,
  routes: readonly Route[],
): Promise<void> {
  const guards = guardsOf(deps);
  // In scopes of their own, so that what is done about unknown routes costs the known ones nothing.
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
  const refuseUnknown = refusalOfUnknown(deps, guards, routes);
  // At once, and not after the body has been read and judged: whoever is not known is told nothing else.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const refusal = deps.lifecycle.open(request, reply);
    if (refusal) done(refusal);
    else refuseUnknown(request, reply).catch(done);
  });
  app.setNotFoundHandler(refuseUnknown);
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
    const refusal = deps.lifecycle.open(request, reply) ?? ended;
    if (refusal || !guard) done(refusal);
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
    // The headers of a stream alone are worth nothing, and it would go on with nobody there.
    ...(route.kind === 'stream' ? { exposeHeadRoute: false } : {}),
    ...(spec.answer.isContent ? {} : { schema: { response: { [OK]: spec.answer.schema } } }),
    handler: handlerOf(deps, route),
  });
}

interface Checks {
  body: Validate | undefined;
  query: Validate | undefined;
}

function handlerOf(deps: RouterDeps, route: Route) {
  const { spec } = route;
  const checks: Checks = {
    body: spec.body && compileSchema(spec.body, 'body'),
    query: spec.query && compileSchema(spec.query, 'query'),
  };
  const replayable = isReplayable(route);

  function callOf(request: FastifyRequest, header: Call['header'], file?: ReceivedFile): Call {
    let body: unknown = file;
    if (checks.body) {
      const given = bodyOf(request, spec.bodyBounds);
      body = given === undefined ? {} : given;
      const issues = checks.body(body);
      if (issues) throw refuse(issues);
    }
    const issues = checks.query?.(request.query);
    if (issues) throw refuse(issues);
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
      key,
      method: spec.method,
      // What was asked for and not how it was written: a slash at the end makes no other request.
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
            const finish = (await route.handle(call, noTransaction)) as Finish<unknown>;
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
    if (route.kind === 'write') return deps.db.transaction(async (tx) => route.handle(call, tx)).then(wrap);
    if (route.kind === 'call')
      return (route.handle(call, noTransaction) as Promise<Finish<unknown>>)
        .then((finish) => deps.db.transaction(finish))
        .then(wrap);
    const result = route.handle(call, route.kind === 'statement' ? atOnce(deps.db) : noTransaction);
    return (result instanceof Promise ? result : endOfTick(result)).then(wrap);
  }

  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    if (spec.upload) requireFitting(request, spec.upload);
    if (request.principal) allow(request.principal, route);
    if (!spec.upload) return run(request, reply);
    return withFile(request, spec.upload, async (file) => run(request, reply, file));
  };
}

/** A transaction of one statement: it is committed when the statement is, and so its effects run at once. */
export const atOnce = (db: Database): Tx => ({
  all: db.all,
  find: db.find,
  run: db.run,
  query: db.query,
  write: async (statement, parameters) => {
    await db.run(statement, parameters);
  },
  afterCommit: (effect) => effect(),
});

const refuseWrite = (): never => {
  throw new Error('There is no transaction here.');
};
const noTransaction: Tx = {
  all: refuseWrite,
  find: refuseWrite,
  run: refuseWrite,
  query: refuseWrite,
  write: refuseWrite,
  afterCommit: refuseWrite,
};

function allow(principal: Principal, { spec }: Route): void {
  if (spec.feature !== undefined && !hasFeature(principal, spec.feature))
    throw new ApiError('insufficient_billing_plan', {
      detail: `the plan "${principal.plan}" does not include ${spec.feature}`,
    });
  if (spec.access !== 'token' && !hasScope(principal, spec.access as Scope))
    throw new ApiError('forbidden', { detail: `the token lacks the scope "${spec.access}"` });
}
