import { Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { plans } from '../http/permissions.ts';
import { DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { Searchable } from '../search/fields.ts';
import {
  CreatedToken,
  Me,
  NewOperatorToken,
  NewTenant,
  NewToken,
  Tenant,
  TenantChange,
  Token,
} from './schema.ts';
import { allTenants, changeTenant, createTenant, removeTenant } from './tenants.ts';
import { issueToken, presentToken, requireOwnScopes, revokeToken } from './tokens.ts';

export interface AccessDeps {
  db: Database;
  clock: Clock;
  authenticator: Authenticator;
}

const exampleToken = {
  id: '019a82a0-0000-7000-8000-000000000001',
  name: 'Shop backend',
  scopes: ['chats:read', 'messages:write'],
  expiresAt: '2027-02-13T01:02:03.456Z',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const exampleCreated = { ...exampleToken, token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…' };
const exampleTenant = {
  id: '019a82a0-0000-7000-8000-000000000002',
  name: 'Example Ltd',
  plan: 'growth',
  rateLimit: null,
  isTest: false,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

const tokenFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 't.id' },
    name: { type: 'string', sql: 't.name' },
    expiresAt: { type: 'time', sql: 't.expires_at' },
    createdAt: { type: 'time', sql: 't.created_at' },
    updatedAt: { type: 'time', sql: 't.updated_at' },
  },
  names: ['t.name'],
  id: 't.id',
};
const tokenSource = {
  select: 't.id, t.name, t.scopes, t.expires_at, t.created_at, t.updated_at',
  from: 'tokens t',
  tenantColumn: 't.tenant_id',
};

const TenantId = Type.Object({ tenantId: Type.String() });

export function accessRoutes({ db, clock, authenticator }: AccessDeps): Route[] {
  return [
    read(
      {
        method: 'GET',
        path: '/v3/me',
        operationId: 'getMe',
        tag: 'Access',
        summary: 'Who am I?',
        description: "The token's tenant and plan, what it may do, and how often.",
        access: 'token',
        answer: data(Me),
        failures: [],
        example: {
          answer: {
            tenant: { id: exampleTenant.id, name: 'Example Ltd' },
            tokenId: exampleToken.id,
            plan: 'growth',
            features: ['automations', 'campaigns'],
            scopes: ['*'],
            limits: { requestsPerMinute: 600 },
          },
        },
      },
      ({ principal }) => ({
        tenant: { id: principal.tenantId, name: principal.tenantName },
        tokenId: principal.tokenId,
        plan: principal.plan,
        features: [...plans[principal.plan].features],
        scopes: [...principal.scopes],
        limits: { requestsPerMinute: principal.requestsPerMinute },
      }),
    ),
    write(
      {
        method: 'POST',
        path: '/v3/tokens',
        operationId: 'createToken',
        tag: 'Access',
        summary: 'Make an access token',
        description:
          'The access token is in this answer and cannot be read again. It can only have scopes that the caller has. There is no refresh: make a new one and delete the old one.',
        access: 'tokens:write',
        body: NewToken,
        answer: data(CreatedToken),
        failures: [],
        example: {
          body: { name: 'Shop backend', scopes: ['chats:read', 'messages:write'] },
          answer: exampleCreated,
        },
      },
      async ({ principal, body }, tx) => {
        requireOwnScopes(principal, body.scopes);
        return issueToken(tx, principal.tenantId, body, authenticator);
      },
    ),
    searchRoute(db, {
      path: '/v3/tokens/search',
      operationId: 'searchTokens',
      tag: 'Access',
      noun: 'access tokens',
      access: 'tokens:read',
      searchable: tokenFields,
      source: tokenSource,
      schema: Token,
      present: presentToken,
      example: { query: 'contains(name,"shop")', item: exampleToken },
    }),
    write(
      {
        method: 'DELETE',
        path: '/v3/tokens/:tokenId',
        operationId: 'deleteToken',
        tag: 'Access',
        summary: 'Revoke an access token',
        description: 'The token fails at once on this server, and within five seconds on every other.',
        access: 'tokens:write',
        params: Type.Object({ tokenId: Type.String() }),
        answer: data(DeleteResult),
        failures: [],
        example: {
          params: { tokenId: exampleToken.id },
          answer: { deletedIds: [exampleToken.id], notFoundIds: [] },
        },
      },
      async ({ principal, params }, tx) =>
        deleted(params.tokenId, await revokeToken(tx, principal.tenantId, params.tokenId, authenticator)),
    ),
    ...operatorRoutes({ db, clock, authenticator }),
  ];
}

function operatorRoutes({ db, clock, authenticator }: AccessDeps): Route[] {
  return [
    write(
      {
        method: 'POST',
        path: '/admin/tenants',
        operationId: 'createTenant',
        tag: 'Operator',
        summary: 'Make a tenant',
        description:
          'Without a plan it gets `scale`. `rateLimit` overrides the requests per minute of its plan. With `isTest` it is a test tenant, whose clock is moved with `POST /v3/clock/advance`.',
        access: 'operator',
        body: NewTenant,
        answer: data(Tenant),
        failures: [],
        example: { body: { name: 'Example Ltd', plan: 'growth' }, answer: exampleTenant },
      },
      async ({ body }, tx) => createTenant(tx, body, clock.real()),
    ),
    read(
      {
        method: 'GET',
        path: '/admin/tenants',
        operationId: 'listTenants',
        tag: 'Operator',
        summary: 'List the tenants',
        description: 'Oldest first.',
        access: 'operator',
        answer: data(Type.Array(Tenant)),
        failures: [],
        example: { answer: [exampleTenant] },
      },
      () => allTenants(db),
    ),
    write(
      {
        method: 'PUT',
        path: '/admin/tenants/:tenantId',
        operationId: 'updateTenant',
        tag: 'Operator',
        summary: 'Change a tenant',
        description: 'Changes what is given. `rateLimit: null` goes back to what the plan allows.',
        access: 'operator',
        params: TenantId,
        body: TenantChange,
        answer: data(Tenant),
        failures: ['tenant_not_found'],
        example: { params: { tenantId: exampleTenant.id }, body: { plan: 'growth' }, answer: exampleTenant },
      },
      async ({ params, body }, tx) => {
        const tenant = await changeTenant(tx, params.tenantId, body, clock.real());
        tx.afterCommit(() => authenticator.forget(tenant.id));
        return tenant;
      },
    ),
    write(
      {
        method: 'DELETE',
        path: '/admin/tenants/:tenantId',
        operationId: 'deleteTenant',
        tag: 'Operator',
        summary: 'Delete a tenant',
        description: 'Permanent, with everything it has.',
        access: 'operator',
        params: TenantId,
        answer: data(DeleteResult),
        failures: [],
        example: {
          params: { tenantId: exampleTenant.id },
          answer: { deletedIds: [exampleTenant.id], notFoundIds: [] },
        },
      },
      async ({ params }, tx) => {
        const wasThere = await removeTenant(tx, params.tenantId);
        tx.afterCommit(() => authenticator.forget(params.tenantId.toLowerCase()));
        return deleted(params.tenantId, wasThere);
      },
    ),
    write(
      {
        method: 'POST',
        path: '/admin/tenants/:tenantId/tokens',
        operationId: 'createTenantToken',
        tag: 'Operator',
        summary: 'Make an access token for a tenant',
        description: 'As `POST /v3/tokens`; without `scopes` it may do everything.',
        access: 'operator',
        params: TenantId,
        body: NewOperatorToken,
        answer: data(CreatedToken),
        failures: ['tenant_not_found'],
        example: { params: { tenantId: exampleTenant.id }, body: {}, answer: exampleCreated },
      },
      async ({ params, body }, tx) =>
        issueToken(tx, params.tenantId, { name: 'operator', scopes: ['*'], ...body }, authenticator),
    ),
  ];
}
