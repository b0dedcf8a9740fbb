import { Type } from 'typebox';
import type { V2Usage, V2UsageRow } from '../access/v2-usage.ts';
import type { StatusDeps } from '../campaigns/change-status.ts';
import { openapiDocument } from '../http/openapi.ts';
import { data, type Route, read } from '../http/route.ts';
import { Nullable, Timestamp, timestamp, Uuid } from '../http/schema.ts';
import { type V2WebhookDeps, v2WebhookRoutes } from './api-webhooks.ts';
import { v2AttributeRoutes } from './attributes.ts';
import { v2BroadcastRoutes } from './broadcasts.ts';

const Usage = Type.Object(
  {
    tenantId: Uuid(),
    tenantName: Type.String(),
    tokenId: Uuid(),
    tokenName: Nullable(Type.String({ description: 'Null when the token has been deleted' })),
    operation: Type.String({ description: 'Method and path, such as `GET /v2/attributes`' }),
    calls: Type.Integer({ description: 'Whatever they were answered with' }),
    lastCalledAt: Timestamp(),
  },
  { title: 'V2Usage' },
);

const presentUsage = (row: V2UsageRow) => ({
  tenantId: row.tenant_id,
  tenantName: row.tenant_name,
  tokenId: row.token_id,
  tokenName: row.token_name,
  operation: row.operation,
  calls: row.calls,
  lastCalledAt: timestamp(row.last_called_at),
});

/** Version 2 as a whole, and the operator's view of who still needs it. */
export function v2Routes(deps: V2WebhookDeps & StatusDeps & { usage: V2Usage }): Route[] {
  return [
    ...v2WebhookRoutes(deps),
    ...v2AttributeRoutes(deps),
    ...v2BroadcastRoutes(deps),
    read(
      {
        method: 'GET',
        path: '/admin/v2-usage',
        operationId: 'listV2Usage',
        tag: 'Operator',
        summary: 'Who still calls v2?',
        description:
          'Calls by token and operation, before and after the end of v2, the last one first. Other processes add theirs every five seconds; calls without a good token are not counted.',
        access: 'operator',
        answer: data(Type.Array(Usage)),
        failures: [],
        example: {
          answer: [
            {
              tenantId: '019a82a0-0000-7000-8000-000000000002',
              tenantName: 'Example Ltd',
              tokenId: '019a82a0-0000-7000-8000-000000000001',
              tokenName: 'Shop backend',
              operation: 'GET /v2/attributes',
              calls: 42,
              lastCalledAt: '2026-11-15T01:02:03.456Z',
            },
          ],
        },
      },
      async () => (await deps.usage.all()).map(presentUsage),
    ),
  ];
}

/** What version 2 says of itself. */
export const v2Document = (routes: readonly Route[]): object =>
  openapiDocument(routes, ['/v2/'], {
    title: 'Parley API v2 (deprecated)',
    version: '2.0.0',
    description: 'What is left of version 2. Each operation names what to call in its place.',
  });
