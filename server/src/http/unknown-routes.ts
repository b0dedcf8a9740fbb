import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Guards } from './guards.ts';
import type { Route } from './route.ts';
import type { RetiringVersion } from './sunset.ts';

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
    const methods = [...paths.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((entry) => [...entry.methods]);
    if (methods.length === 0)
      throw new ApiError('route_not_found', { detail: `there is nothing at ${request.method} ${path}` });
    reply.header('allow', [...new Set(methods)].sort().join(', '));
    throw new ApiError('method_not_allowed', { detail: `use ${[...new Set(methods)].sort().join(' or ')}` });
  };
}
