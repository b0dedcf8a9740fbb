import { Type } from 'typebox';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { plans } from '../http/permissions.ts';
import { type Route, read, routeFamily, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { SystemMailChannel } from '../people/system-mail.ts';
import type { Searchable } from '../search/fields.ts';
import { exampleCreated, exampleTenant, exampleToken } from './example.ts';
import { CreatedToken, Me, NewToken, TenantSettings, TenantSettingsChange, Token } from './schema.ts';
import { changeSettings, readSettings } from './settings.ts';
import { issueToken, presentToken, requireOwnScopes, revokeToken } from './tokens.ts';

interface AccessDeps {
  authenticator: Authenticator;
  systemMail: SystemMailChannel | undefined;
}

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
const exampleSettings: TenantSettings = {
  id: exampleTenant.id,
  name: 'Example Ltd',
  timezone: 'Europe/Berlin',
  locale: 'de',
  businessHours: {
    mon: [['09:00', '17:00']],
    tue: [['09:00', '17:00']],
    wed: [
      ['09:00', '12:00'],
      ['13:00', '19:00'],
    ],
    thu: [['09:00', '17:00']],
    fri: [['09:00', '15:00']],
    closedOn: ['2026-12-25'],
    exceptions: [{ date: '2026-12-24', hours: [['09:00', '12:00']] }],
  },
  quietHours: { from: '21:00', to: '08:00' },
  isTest: false,
  usage: { webhooks: 2, activeAutomations: 5, storedFailedRequests: 0, storageBytes: 73_400_320 },
  systemMail: { status: 'none', tenantId: null, channelId: null, problem: null },
  createdAt: exampleTenant.createdAt,
  updatedAt: exampleTenant.updatedAt,
};

export function accessRoutes({ authenticator, systemMail }: AccessDeps): Route[] {
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
          'The name of the tenant, the time zone and language that its people use unless they choose their own, when it is open and when it sends no marketing, how much of its limits it uses, and whether links are mailed.',
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
          'Changes the given settings; those that are left out stay. Hours are replaced as a whole, and null removes them; what waits by them looks at the new ones at once. Of the roles only the owner may do that.',
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
  ];
}
