import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { sameSecret, sha256 } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import type { Database, Tx } from '../db/database.ts';
import { type Authenticator, authorizationOf, bearerOf } from './authenticate.ts';
import { allowCompression } from './compression.ts';
import { type StoredContent, sendContent } from './content.ts';
import type { Idempotency } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import { hasFeature, hasScope, type Principal, type Scope } from './permissions.ts';
import type { RateLimit, Verdict } from './rate-limit.ts';
import type { Reception } from './reception.ts';
import { type Call, isReplayable, type ReceivedFile, type Route } from './route.ts';
import { bodyOf } from './server.ts';
import { openStream } from './stream.ts';
import type { RetiringVersion } from './sunset.ts';
import { allowUploads, requireFitting, withFile } from './upload.ts';
import { compileSchema, refuse, type Validate } from './validation.ts';

export interface Gate {
  db: Database;
  desk: Reception;
  metrics: Pick<Metrics, 'route'>;
  authenticator: Authenticator;
  rateLimit: RateLimit;
  idempotency: Idempotency;
  operatorToken: string;
  /** The version that is on its way out, if there is one. */
  retiring?: RetiringVersion;
}

const OK = 200;

type Done = (error?: Error) => void;
type Guard = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/** Turns contracts into routes of the server. Checks run in the order that docs/decisions.md states. */
export async function addRoutes(app: FastifyInstance, gate: Gate, routes: readonly Route[]): Promise<void> {
  const guards = { tenant: tenantGuard(gate), operator: operatorGuard(gate) };
  // In scopes of their own, so that what is done about unknown routes costs the known ones nothing.
  const mayBeCompressed = ({ spec }: Route): boolean =>
    spec.answer.isList === true || spec.body !== undefined;
  await app.register(async (scope) => {
    for (const route of routes)
      if (!mayBeCompressed(route) && !route.spec.upload) addRoute(scope, gate, guards, route);
  });
  await app.register(async (scope) => {
    await allowCompression(scope);
    for (const route of routes) if (mayBeCompressed(route)) addRoute(scope, gate, guards, route);
  });
  await app.register(async (scope) => {
    await allowUploads(scope);
    for (const route of routes) if (route.spec.upload) addRoute(scope, gate, guards, route);
  });
  const refuseUnknown = unknownRefusal(gate, guards, routes);
  // At once, and not after the body has been read and judged: whoever is not known is told nothing else.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const refusal = gate.desk.open(request, reply);
    if (refusal) done(refusal);
    else refuseUnknown(request, reply).catch(done);
  });
  app.setNotFoundHandler(refuseUnknown);
}

interface Guards {
  tenant: Guard;
  operator: Guard;
}

function addRoute(scope: FastifyInstance, gate: Gate, guards: Guards, route: Route): void {
  const { spec } = route;
  const guard =
    spec.access === 'public' ? undefined : spec.access === 'operator' ? guards.operator : guards.tenant;
  const retiring = gate.retiring?.has(spec.path) ? gate.retiring : undefined;
  const stats = gate.metrics.route(spec.method, spec.path);
  const receive: onRequestHookHandler = (request, reply, done) => {
    request.stats = stats;
    const ended = retiring?.announce(request, reply, spec);
    if (retiring) countCall(gate.authenticator, retiring, request, spec);
    const refusal = gate.desk.open(request, reply) ?? ended;
    if (refusal || !guard) done(refusal);
    else guard(request, reply, done as Done);
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
    handler: handlerOf(gate, route),
  });
}

/** Whoever calls with a good token is counted, whatever the call is answered with. Nobody waits for that. */
function countCall(
  { principal }: Authenticator,
  retiring: RetiringVersion,
  { raw }: FastifyRequest,
  spec: Route['spec'],
): void {
  const known = async () => principal(authorizationOf(raw.rawHeaders), raw.socket);
  known().then(
    (caller) => retiring.count(caller, spec),
    () => {},
  );
}

function tenantGuard({ authenticator, rateLimit }: Gate): Guard {
  // Plain calls instead of closures and promises as long as everything is known: this runs for every request.
  const admit = (request: FastifyRequest, reply: FastifyReply, principal: Principal, done: Done): void => {
    request.principal = principal;
    const verdict = rateLimit.take(principal.tenantId, principal.requestsPerMinute);
    if (verdict instanceof Promise) verdict.then((late) => limit(reply, principal, late, done), done);
    else limit(reply, principal, verdict, done);
  };
  return (request, reply, done) => {
    let principal: Principal | Promise<Principal>;
    try {
      principal = authenticator.principal(authorizationOf(request.raw.rawHeaders), request.raw.socket);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (principal instanceof Promise) principal.then((late) => admit(request, reply, late, done)).catch(done);
    else admit(request, reply, principal, done);
  };
}

function limit(reply: FastifyReply, principal: Principal, verdict: Verdict, done: Done): void {
  // As strings: Node checks every header with a pattern, and a number costs it twice as much.
  reply.header('x-ratelimit-limit', String(principal.requestsPerMinute));
  reply.header('x-ratelimit-remaining', String(verdict.remaining));
  reply.header('x-ratelimit-reset', String(verdict.resetAt));
  if (verdict.allowed) {
    done();
    return;
  }
  reply.header('retry-after', Math.max(1, Math.ceil(verdict.resetAt - Date.now() / 1000)));
  done(new ApiError('too_many_requests'));
}

function operatorGuard(gate: Gate): Guard {
  return (request, _reply, done) => {
    const given = authorizationOf(request.raw.rawHeaders);
    if (given === undefined)
      return done(new ApiError('unauthorized', { detail: 'send the operator token as Bearer' }));
    try {
      if (!sameSecret(bearerOf(given), gate.operatorToken))
        throw new ApiError('unauthorized', { detail: 'this is not the operator token' });
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}

interface Checks {
  body: Validate | undefined;
  query: Validate | undefined;
}

function handlerOf(gate: Gate, route: Route) {
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
      const faults = checks.body(body);
      if (faults) throw refuse(faults);
    }
    const faults = checks.query?.(request.query);
    if (faults) throw refuse(faults);
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
    const answer = await gate.idempotency.once(
      {
        tenantId: principal.tenantId,
        key,
        method: spec.method,
        // What was asked for and not how it was written: a slash at the end makes no other request.
        path: `${spec.path} ${JSON.stringify(request.params)}`,
        bodyHash: file?.hash ?? sha256(request.rawBody ?? Buffer.alloc(0)),
      },
      async (tx) => {
        const headers: Record<string, string> = {};
        const setHeader: Call['header'] = (name, value) => {
          headers[name] = value;
        };
        const call = callOf(request, setHeader, file);
        return { body: spec.answer.wrap((await route.handle(call, tx)) as never), headers };
      },
    );
    reply.headers(answer.headers);
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    gate.desk.close(request, reply, OK);
    return answer.body as object;
  }

  function run(request: FastifyRequest, reply: FastifyReply, file?: ReceivedFile): unknown {
    const wrap = (result: unknown): object | Promise<object> => {
      if (spec.answer.isContent)
        return sendContent(request, reply, result as StoredContent, (status) =>
          gate.desk.close(request, reply, status),
        );
      gate.desk.close(request, reply, OK);
      return spec.answer.wrap(result as never);
    };
    const key = replayable ? request.headers['idempotency-key'] : undefined;
    if (key !== undefined) return runOnce(request, reply, String(key), file);
    const call = callOf(request, (name, value) => void reply.header(name, value), file);
    if (route.kind === 'stream') return openStream(gate, route, call, request, reply);
    if (route.kind === 'write') return gate.db.transaction(async (tx) => route.handle(call, tx)).then(wrap);
    const result = route.handle(call, route.kind === 'statement' ? atOnce(gate.db) : noTransaction);
    if (result instanceof Promise) return result.then(wrap);
    // Nothing is returned: the framework would wait for the reply as for a promise.
    reply.send(wrap(result));
    return undefined;
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
  withCommit: async (statement, parameters) => {
    await db.run(statement, parameters);
  },
  afterCommit: (effect) => effect(),
});

const refuseWrite = (): never => {
  throw new Error('A read has no transaction.');
};
const noTransaction: Tx = {
  all: refuseWrite,
  find: refuseWrite,
  run: refuseWrite,
  query: refuseWrite,
  withCommit: refuseWrite,
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

/** Unknown paths, and known ones with another method. Under a version, the caller must be known even to be told that. */
function unknownRefusal({ retiring }: Gate, guards: Guards, routes: readonly Route[]) {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  for (const { spec, kind } of routes) {
    const pattern = new RegExp(`^${spec.path.replaceAll('.', '\\.').replaceAll(/:[^/]+/g, '[^/]+')}/?$`);
    const entry = paths.get(spec.path) ?? { pattern, methods: new Set<string>() };
    entry.methods.add(spec.method);
    if (spec.method === 'GET' && kind !== 'stream') entry.methods.add('HEAD');
    paths.set(spec.path, entry);
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const path = request.url.split('?', 1)[0] as string;
    const ended = retiring?.has(path) ? retiring.announce(request, reply, undefined) : undefined;
    if (ended) throw ended;
    const guard = /^\/v\d+(\/|$)/.test(path)
      ? guards.tenant
      : /^\/admin(\/|$)/.test(path)
        ? guards.operator
        : undefined;
    if (guard)
      await new Promise<void>((resolve, reject) =>
        guard(request, reply, (error) => (error ? reject(error) : resolve())),
      );
    const methods = [...paths.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((entry) => [...entry.methods]);
    if (methods.length === 0)
      throw new ApiError('route_not_found', { detail: `there is nothing at ${request.method} ${path}` });
    reply.header('allow', [...new Set(methods)].sort().join(', '));
    throw new ApiError('method_not_allowed', { detail: `use ${[...new Set(methods)].sort().join(' or ')}` });
  };
}
