import { Type } from 'typebox';
import { releaseLimitedRuns } from '../automations/runs/limit-runs.ts';
import type { RealClock } from '../base/clock.ts';
import { data, RemovalResult, removed } from '../http/answer.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { operatorRead, operatorWrite, type Route } from '../http/route.ts';
import type { Sessions } from '../http/sessions.ts';
import { exampleCreated, exampleTenant } from './example.ts';
import { CreatedToken, NewOperatorToken, NewTenant, Tenant, TenantChange } from './schema.ts';
import { allTenants, changeTenant, createTenant, removeTenant } from './tenants.ts';
import { issueToken } from './tokens.ts';

interface OperatorDeps {
  clock: RealClock;
  authenticator: Authenticator;
  sessions: Sessions;
}

/** What all routes of the operator share, and those of one tenant. */
const operator = { tag: 'Operator', access: 'operator' } as const;
const TenantId = Type.Object({ tenantId: Type.String() });
const exampleParams = { tenantId: exampleTenant.id };

/** What the operator does with tenants. */
export function operatorRoutes({ clock, authenticator, sessions }: OperatorDeps): Route[] {
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
        await releaseLimitedRuns(tx.forTenant(tenant.id));
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
