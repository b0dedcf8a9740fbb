import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { apiDocuments } from '../../src/app.ts';
import { errorCatalogue } from '../../src/base/errors.ts';
import { isUuid } from '../../src/base/ids.ts';
import { commonErrors } from '../../src/http/openapi-errors.ts';
import { scopes } from '../../src/http/permissions.ts';
import { isReplayable } from '../../src/http/route.ts';
import { compileSchema, isDateTime } from '../../src/http/validation.ts';
import {
  bodyFor,
  createFixtures,
  headersFor,
  idsFor,
  paramsOf,
  pathOf,
  payloadFor,
  tokenFor,
} from '../kit/route-calls.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const { routes } = server.system.app;
/** Read operations share these fixtures; every write gets its own. */
const lookedAt = await createFixtures(server);
const named = routes.map((route) => [`${route.spec.method} ${route.spec.path}`, route] as const);
const ajv = new Ajv({ strict: false });
ajv.addFormat('uuid', { type: 'string', validate: isUuid });
ajv.addFormat('date-time', { type: 'string', validate: isDateTime });

/** Each version's document with the routes that belong into it. */
const documents = Object.entries(apiDocuments(routes)).map(([version, { path, create }]) => ({
  version,
  servedAt: path,
  // biome-ignore lint/suspicious/noExplicitAny: a document of every shape
  document: create() as any,
  listed: named.filter(([, { spec }]) =>
    (version === 'v3' ? /^\/(v3|admin)\// : new RegExp(`^/${version}/`)).test(spec.path),
  ),
}));

describe('the table of routes', () => {
  it('names every operation and every path once', () => {
    const operationIds = routes.map(({ spec }) => spec.operationId);
    expect(new Set(operationIds).size).toBe(operationIds.length);
    expect(new Set(named.map(([name]) => name)).size).toBe(routes.length);
    expect(routes.length).toBeGreaterThan(10);
  });

  it.each(named)('%s is a whole contract', (_, { spec, kind }) => {
    expect(spec.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(spec.summary).toMatch(/^[A-Z]/);
    expect(spec.description).toMatch(/\.$/);
    expect([...scopes, 'token', 'operator', 'session', 'login', 'public']).toContain(spec.access);
    // Everything is the wildcard's to have, never an operation's to need.
    expect(spec.access).not.toBe('*');
    if (spec.path.startsWith('/admin/')) expect(spec.access).toBe('operator');
    if (/^\/v\d\//.test(spec.path)) expect(['operator', 'public']).not.toContain(spec.access);
    if (spec.path.endsWith('/search'))
      expect([kind, spec.access]).toEqual(['read', expect.stringMatching(/(:read|^token)$/)]);
    // What is about the own account, or about logging in.
    expect(kind === 'session').toBe(/^\/v3\/(session(\/|$)|password_resets$)/.test(spec.path));
    if (spec.method === 'GET') expect(['read', 'stream', 'session']).toContain(kind);
    for (const key of spec.failures) {
      expect(Object.keys(errorCatalogue)).toContain(key);
      expect(commonErrors).not.toContain(key);
    }
  });

  it.each(named)('%s has an example that fits its own contract', (_, route) => {
    const { spec } = route;
    expect(Object.keys(spec.example.params ?? {})).toEqual(paramsOf(route));
    expect(Object.keys((spec.params as { properties?: object } | undefined)?.properties ?? {})).toEqual(
      paramsOf(route),
    );
    const validate = ajv.compile({ ...spec.answer.schema });
    expect(validate(spec.answer.wrap(spec.example.answer as never)), JSON.stringify(validate.errors)).toBe(
      true,
    );
    if (spec.body)
      expect(compileSchema(() => spec.body as object, 'body')(spec.example.body)).toBeUndefined();
    else expect(spec.example.body).toBeUndefined();
  });

  it.each(
    named.filter(([, { spec }]) => !['public', 'login'].includes(spec.access)),
  )('%s needs a token or a session', async (_, route) => {
    const answer = await server.call(
      route.spec.method,
      pathOf(route, () => 'x'),
    );
    expect(answer.status).toBe(401);
  });

  it('every operation needs the scope that it declares, and no other', async () => {
    const fixtures = await createFixtures(server);
    for (const route of routes) {
      const { access, method } = route.spec;
      if (!access.includes(':')) continue;
      const path = pathOf(route, () => '019a82a0-0000-7000-8000-00000000ffff');
      const body = bodyFor(route, fixtures);
      const others = scopes.filter((scope) => scope !== access && scope !== '*');
      const without = await fixtures.tenant.tokenWith(others);
      const refused = await server.call(method, path, { token: without, body });
      expect([path, refused.status]).toEqual([path, 403]);
      expect(refused.body.error.message).toContain(`"${access}"`);
      const allowed = await server.call(method, path, {
        token: await fixtures.tenant.tokenWith([access]),
        body,
      });
      expect([path, allowed.status]).not.toEqual([path, 403]);
    }
  });

  // A login over an identity provider needs one: see people-oidc.
  const callable = named.filter(([name]) => !name.includes('/session/oidc'));
  it.each(callable)('%s works as its example says', async (_, route) => {
    const fixtures = route.kind === 'read' ? lookedAt : await createFixtures(server, route);
    const path = pathOf(route, (name) => idsFor(route, fixtures)[name] as string);
    const options = {
      token: tokenFor(route, fixtures.tenant),
      ...payloadFor(route, fixtures),
      ...(route.kind === 'session' ? { headers: headersFor(route, fixtures) } : {}),
    };
    // The kit holds the answer against the contract. Scopes of the example's token are the caller's own.
    const answer = await server.call(route.spec.method, path, options);
    expect([answer.status, answer.body?.error]).toEqual([200, undefined]);
    if (route.spec.answer.isContent) expect(answer.text).toBe(route.spec.example.answer);
  });
});

describe.each(documents)('the OpenAPI document of $version', ({ version, servedAt, document, listed }) => {
  const operationOf = (path: string, method: string) =>
    document.paths[path.replaceAll(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase()];

  it('is served as it is made', async () => {
    const served = await server.call('GET', servedAt);
    expect(JSON.parse(served.text)).toEqual(JSON.parse(JSON.stringify(document)));
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.title).toMatch(/^Parley API/);
    expect(`v${document.info.version}`).toMatch(new RegExp(`^${version}\\.`));
  });

  it('has every operation of the API and nothing else', () => {
    const inDocument = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map(
        (method) => `${method.toUpperCase()} ${path.replaceAll(/\{([^}]+)\}/g, ':$1')}`,
      ),
    );
    expect(inDocument.sort()).toEqual(listed.map(([name]) => name).sort());
  });

  it.each(listed)('%s: parameters, body and failures', (_, route) => {
    const { spec } = route;
    const operation = operationOf(spec.path, spec.method);
    expect(operation).toMatchObject({
      operationId: spec.operationId,
      summary: spec.summary,
      tags: [spec.tag],
    });
    const inPath = operation.parameters.filter((one: { in: string }) => one.in === 'path');
    expect(inPath.map((one: { name: string; required: boolean }) => [one.name, one.required])).toEqual(
      paramsOf(route).map((name) => [name, true]),
    );
    const inQuery = operation.parameters.filter((one: { in: string }) => one.in === 'query');
    expect(inQuery.map((one: { name: string }) => one.name)).toEqual(
      Object.keys((spec.query as { properties?: object } | undefined)?.properties ?? {}),
    );
    const hasKey = operation.parameters.some((one: { name: string }) => one.name === 'Idempotency-Key');
    expect(hasKey).toBe(isReplayable(route));
    const required =
      spec.body !== undefined && compileSchema(() => spec.body as object, 'body')({}) !== undefined;
    expect(operation.requestBody?.required).toBe(
      spec.upload ? true : spec.body === undefined ? undefined : required,
    );
    for (const key of [...commonErrors, ...spec.failures]) {
      const { status } = errorCatalogue[key];
      const { $ref } = operation.responses[status].content['application/json'].examples[key];
      expect(document.components.examples[$ref.split('/').at(-1)].value.error.messageKey).toBe(key);
    }
    const withSession = version === 'v3' ? [{ session: [] }] : [];
    expect(operation.security).toEqual(
      spec.access === 'login'
        ? []
        : spec.access === 'session'
          ? withSession
          : [{ [spec.access === 'operator' ? 'operator' : 'token']: [] }, ...withSession],
    );
    const scope = /^[a-z_]+:[a-z]+$/.test(spec.access) ? spec.access : undefined;
    expect(operation['x-scope']).toBe(scope);
  });

  it('refers only to what it has, and an independent validator takes it', async () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(document.components.schemas)).toContain(name);
    expect(text).not.toContain('undefined');
    const { validate } = await import('@scalar/openapi-parser');
    const result = await validate(JSON.parse(text));
    expect([result.valid, result.errors]).toEqual([true, []]);
  });
});
