import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { BackOff } from './back-off.ts';
import { allowCompression } from './compression.ts';
import { countCall, type DoneCallback, type Guard, type Guards, guardsOf } from './guards.ts';
import type { Metrics } from './metrics.ts';
import { type HandlerDeps, handlerOf, OK } from './operation-handler.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Route } from './route.ts';
import { maskedOperations, rejectUnknownRoutes } from './unknown-routes.ts';
import { allowUploads } from './upload.ts';

export interface RouterDeps extends HandlerDeps {
  metrics: Pick<Metrics, 'route'>;
  rateLimit: RateLimit;
  operatorToken: string;
  backOff: { tenant: BackOff; operator: BackOff };
}

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
  const retiring = deps.retiring?.has(spec.path) ? deps.retiring : undefined;
  const guard = guardOf(guards, route, retiring !== undefined);
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

/** A deprecated version is for programs that were written for it: people use the present one. */
function guardOf(
  guards: Guards,
  { spec: { access, isReturn } }: Route,
  isRetiring: boolean,
): Guard | undefined {
  switch (access) {
    case 'public':
      return undefined;
    case 'operator':
    case 'session':
      return guards[access];
    case 'login':
      return isReturn ? undefined : guards.login;
    default:
      return isRetiring ? guards.token : guards.tenant;
  }
}
