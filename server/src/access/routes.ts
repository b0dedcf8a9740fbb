import { Type } from 'typebox';
import type { RealClock } from '../base/clock.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { plans } from '../http/permissions.ts';
import {
  DeleteResult,
  data,
  deleted,
  operatorRead,
  operatorWrite,
  RemovalResult,
  type Route,
  read,
  removed,
  routeFamily,
  write,
} from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { Sessions } from '../http/sessions.ts';
import type { SystemMailChannel } from '../people/system-mail.ts';
import type { Searchable } from '../search/fields.ts';
import {
  CreatedToken,
  Me,
  NewOperatorToken,
  NewTenant,
  NewToken,
  Tenant,
  TenantChange,
  TenantSettings,
  TenantSettingsChange,
  Token,
} from './schema.ts';
import { changeSettings, readSettings } from './settings.ts';
import { allTenants, changeTenant, createTenant, removeTenant } from './tenants.ts';
import { issueToken, presentToken, requireOwnScopes, revokeToken } from './tokens.ts';

interface AccessDeps {
  clock: RealClock;
  authenticator: Authenticator;
  sessions: Sessions;
  systemMail: SystemMailChannel | undefined;
}

const exampleToken = {
  id: '019a82a0-0000-7000-8000-000000000001',
  name: 'Shop backend',
  scopes: ['chats:read', 'messages:write'],
  expiresAt: '2027-02-13T01:02:03.456Z',
  lastUsedAt: null,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const exampleCreated = { ...exampleToken, token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…' };
const exampleTenant = {
  id: '019a82a0-0000-7000-8000-000000000002',
  name: 'Example Ltd',
  plan: 'growth',
  rateLimit: null,
  limits: {},
  isTest: false,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

const tokenFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 't.id' },
    name: { type: 'string', sql: 't.name' },
    expiresAt: { type: 'time', sql: 't.expires_at' },
    lastUsedAt: { type: 'time', sql: 't.last_used_at', nullable: true },
    createdAt: { type: 'time', sql: 't.created_at' },
    updatedAt: { type: 'time', sql: 't.updated_at' },
  },
  names: ['t.name'],
  id: 't.id',
};
const tokenSource = {
  select: 't.id, t.name, t.scopes, t.expires_at, t.last_used_at, t.created_at, t.updated_at',
  from: 'tokens t',
  tenantColumn: 't.tenant_id',
};

const tokens = routeFamily({
  tag: 'Access',
  params: Type.Object({ tokenId: Type.String() }),
  exampleParams: { tokenId: exampleToken.id },
});
/** What all routes of the operator share, and those of one tenant. */
const operator = { tag: 'Operator', access: 'operator' } as const;
const TenantId = Type.Object({ tenantId: Type.String() });
const exampleParams = { tenantId: exampleTenant.id };

const exampleSettings: TenantSettings = {
  id: exampleTenant.id,
  name: 'Example Ltd',
  timezone: 'Europe/Berlin',
  locale: 'de',
  isTest: false,
  usage: { webhooks: 2, activeAutomations: 5, storedFailedRequests: 0, storageBytes: 73_400_320 },
  systemMail: { status: 'none', tenantId: null, channelId: null, problem: null },
  createdAt: exampleTenant.createdAt,
  updatedAt: exampleTenant.updatedAt,
};

export function accessRoutes({ systemMail, ...deps }: AccessDeps): Route[] {
  const { authenticator } = deps;
  return [
    tokens.read(
      {
        method: 'GET',
        path: '/v3/me',
        operationId: 'getMe',
        summary: 'Get the tenant and rights of the caller',
        description: "The caller's tenant and plan, its scopes, and the limits of the tenant.",
        access: 'token',
        answer: data(Me),
        failures: [],
        example: {
          answer: {
            tenant: { id: exampleTenant.id, name: 'Example Ltd' },
            tokenId: exampleToken.id,
            userId: null,
            plan: 'growth',
            features: ['automations', 'campaigns'],
            scopes: ['*'],
            limits: { requestsPerMinute: 600, ...plans.growth.limits },
          },
        },
      },
      ({ principal }) => ({
        tenant: { id: principal.tenantId, name: principal.tenantName },
        tokenId: principal.caller.type === 'token' ? principal.caller.id : null,
        userId: principal.caller.type === 'user' ? principal.caller.id : null,
        plan: principal.plan,
        features: [...plans[principal.plan].features],
        scopes: [...principal.scopes],
        limits: { requestsPerMinute: principal.requestsPerMinute, ...principal.limits },
      }),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/tenant',
        operationId: 'getTenantSettings',
        tag: 'Access',
        summary: 'Get the settings of the tenant',
        description:
          'The name of the tenant, the time zone and language that its people use unless they choose their own, how much of its limits it uses, and whether links are mailed.',
        access: 'tenant:read',
        answer: data(TenantSettings),
        failures: ['tenant_not_found'],
        example: { answer: exampleSettings },
      },
      (_, db) => readSettings(db, systemMail),
    ),
    write(
      {
        method: 'PUT',
        path: '/v3/tenant',
        operationId: 'updateTenantSettings',
        tag: 'Access',
        summary: 'Change the settings of the tenant',
        description:
          'Changes the given settings; those that are left out stay. Of the roles only the owner may do that.',
        access: 'tenant:write',
        body: TenantSettingsChange,
        answer: data(TenantSettings),
        failures: ['tenant_not_found'],
        example: { body: { timezone: 'Europe/Berlin', locale: 'de' }, answer: exampleSettings },
      },
      ({ body }, tx) => changeSettings(tx, body, systemMail),
    ),
    tokens.write(
      {
        method: 'POST',
        path: '/v3/tokens',
        operationId: 'createToken',
        summary: 'Create an access token',
        description:
          'The access token is in this answer and cannot be read again. It can only have scopes that the caller has. Tokens are not refreshed: create a new one and delete the old one.',
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
        return issueToken(tx, body, authenticator);
      },
    ),
    searchRoute({
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
    tokens.write(
      {
        method: 'DELETE',
        path: '/v3/tokens/:tokenId',
        operationId: 'deleteToken',
        summary: 'Delete an access token',
        description: 'The token is refused at once by this server, and within five seconds by every other.',
        access: 'tokens:write',
        answer: data(DeleteResult),
        failures: [],
        example: { answer: { deletedIds: [exampleToken.id], notFoundIds: [] } },
      },
      async ({ params }, tx) => deleted(params.tokenId, await revokeToken(tx, params.tokenId, authenticator)),
    ),
    ...operatorRoutes(deps),
  ];
}

function operatorRoutes({ clock, authenticator, sessions }: Omit<AccessDeps, 'systemMail'>): Route[] {
  /** Plan and limits count at once for who has a token or has logged in. */
  const forget = (tenantId: string): void => {
    authenticator.forget(tenantId);
    sessions.forget(tenantId);
  };
  return [
    operatorWrite(
      {
        ...operator,
        method: 'POST',
        path: '/admin/tenants',
        operationId: 'createTenant',
        summary: 'Create a tenant',
        description:
          'Without a plan it gets `scale`. `rateLimit` overrides the requests per minute of its plan. With `isTest` it is a test tenant, whose clock is moved with `POST /v3/clock/advance`.',
        body: NewTenant,
        answer: data(Tenant),
        failures: [],
        example: { body: { name: 'Example Ltd', plan: 'growth' }, answer: exampleTenant },
      },
      ({ body }, tx) => createTenant(tx, body, clock.real()),
    ),
    operatorRead(
      {
        ...operator,
        method: 'GET',
        path: '/admin/tenants',
        operationId: 'listTenants',
        summary: 'List the tenants',
        description: 'The oldest first.',
        answer: data(Type.Array(Tenant)),
        failures: [],
        example: { answer: [exampleTenant] },
      },
      (_call, db) => allTenants(db),
    ),
    operatorWrite(
      {
        ...operator,
        method: 'PUT',
        path: '/admin/tenants/:tenantId',
        operationId: 'updateTenant',
        summary: 'Update a tenant',
        description:
          "Changes the given fields. `limits` changes the given limits of the tenant. With null the plan's limit applies again, as with `rateLimit: null`.",
        params: TenantId,
        body: TenantChange,
        answer: data(Tenant),
        failures: ['tenant_not_found'],
        example: { params: exampleParams, body: { plan: 'growth' }, answer: exampleTenant },
      },
      async ({ params, body }, tx) => {
        const tenant = await changeTenant(tx, params.tenantId, body, clock.real());
        tx.afterCommit(() => forget(tenant.id));
        return tenant;
      },
    ),
    operatorWrite(
      {
        ...operator,
        method: 'DELETE',
        path: '/admin/tenants/:tenantId',
        operationId: 'deleteTenant',
        summary: 'Delete a tenant',
        description:
          'Permanently, with all its data. A large tenant is hidden at once: its tokens are refused, and nothing more is sent or received. A job deletes its data.',
        params: TenantId,
        answer: data(RemovalResult),
        failures: [],
        example: {
          params: exampleParams,
          answer: { deletedIds: [exampleTenant.id], notFoundIds: [], jobId: null },
        },
      },
      async ({ params }, tx) => {
        const removal = await removeTenant(tx, params.tenantId);
        tx.afterCommit(() => forget(params.tenantId.toLowerCase()));
        return removed(params.tenantId, removal);
      },
    ),
    operatorWrite(
      {
        ...operator,
        method: 'POST',
        path: '/admin/tenants/:tenantId/tokens',
        operationId: 'createTenantToken',
        summary: 'Create an access token for a tenant',
        description: 'Like `POST /v3/tokens`; without `scopes` it has all rights.',
        params: TenantId,
        body: NewOperatorToken,
        answer: data(CreatedToken),
        failures: ['tenant_not_found'],
        example: { params: exampleParams, body: {}, answer: exampleCreated },
      },
      ({ params, body }, tx) =>
        issueToken(
          tx.forTenant(params.tenantId),
          { name: 'operator', scopes: ['*'], ...body },
          authenticator,
        ),
    ),
  ];
}
