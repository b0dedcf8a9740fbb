import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Call, ReceivedFile } from './call.ts';
import type { Principal } from './permissions.ts';
import type { RouteSpec } from './route.ts';
import { bodyOf } from './server.ts';
import { shownBy, strictBody, withoutNulls } from './strict-body.ts';
import { compileSchema } from './validation.ts';

/** Reads the call of an operation from a request that is authorized. Throws what is invalid in its body and query. */
export type ReadCall = (request: FastifyRequest, header: Call['header'], file?: ReceivedFile) => Call;

/** Of people, the address may name the tenant: a browser cannot send a header with a link or an event stream. */
const strictQuery = (query: TSchema): TSchema => {
  const { properties } = query as { properties?: Record<string, TSchema> };
  return strictBody({ ...query, properties: { ...properties, tenantId: { readOnly: true } } } as TSchema);
};

/** With `isStrict`, what the operation does not know is refused. */
export function callReader(spec: RouteSpec, isStrict: boolean): ReadCall {
  const { body: schema, query } = spec;
  const validateBody =
    schema && compileSchema(() => (isStrict ? strictBody(schema, shownBy(spec)) : schema), 'body');
  const validateQuery = query && compileSchema(() => (isStrict ? strictQuery(query) : query), 'query');
  return (request, header, file) => {
    let body: unknown = file;
    if (schema && validateBody) {
      const parsed = bodyOf(request, spec.bodyBounds);
      const given = parsed === undefined ? {} : parsed;
      const hasNulls = isStrict && request.rawBody?.includes('null');
      body = hasNulls ? withoutNulls(schema, given) : given;
      validateBody(body)?.throwIfAny();
    }
    validateQuery?.(request.query)?.throwIfAny();
    return {
      principal: request.principal as Principal,
      params: request.params,
      body,
      query: request.query,
      header,
    };
  };
}
