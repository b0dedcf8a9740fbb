import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { groupBy } from '../base/group-by.ts';
import type { Guards } from './guards.ts';
import type { Route, RouteSpec } from './route.ts';
import type { RetiringVersion } from './sunset.ts';

const countParams = (path: string): number => path.split('/:').length;

/**
 * The methods that a path such as `/v3/contacts/search` does not have, and that `/v3/contacts/:contactId` has: the router
 * would take `search` for an id.
 */
export function maskedOperations(routes: readonly Route[]): Pick<RouteSpec, 'method' | 'path'>[] {
  const specs = routes.map(({ spec }) => spec);
  const known = new Set(specs.map(({ method, path }) => `${method} ${path}`));
  const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
  const endsInParam = ({ path }: Pick<RouteSpec, 'path'>): boolean =>
    path.includes('/:', path.lastIndexOf('/'));
  const byParent = groupBy(specs.filter(endsInParam), ({ path }) => parentOf(path));
  return [...new Set(specs.filter((spec) => !endsInParam(spec)).map(({ path }) => path))].flatMap((path) =>
    (byParent.get(parentOf(path)) ?? [])
      .filter(({ method }) => !known.has(`${method} ${path}`))
      .map(({ method }) => ({ method, path })),
  );
}

/** Answers unknown paths and methods with an error. Below a version's path this requires a valid token, too. */
export function rejectUnknownRoutes(
  { retiring }: { retiring?: RetiringVersion },
  guards: Guards,
  routes: readonly Route[],
) {
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
    // The router prefers a path without parameters, too.
    const [known] = [...paths]
      .filter(([, { pattern }]) => pattern.test(path))
      .sort(([a], [b]) => countParams(a) - countParams(b));
    if (!known)
      throw new ApiError('route_not_found', { detail: `there is nothing at ${request.method} ${path}` });
    const methods = [...known[1].methods].sort();
    reply.header('allow', methods.join(', '));
    throw new ApiError('method_not_allowed', { detail: `use ${methods.join(' or ')}` });
  };
}
