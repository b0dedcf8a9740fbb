import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import type { Api } from '../http/api.ts';
import { openapiDocument } from '../http/openapi.ts';
import { type V2WebhookDeps, v2WebhookRoutes } from './api-webhooks.ts';
import { v2AttributeRoutes } from './attributes.ts';
import { v2BroadcastRoutes } from './broadcasts.ts';
import { createUsageCounter, usageRoutes } from './usage.ts';
import { describeV2, v2Version, variables } from './version.ts';

interface V2Deps extends V2WebhookDeps {
  db: Database;
  clock: Clock;
}

/** Version 2, which is deprecated. It ends by deleting this folder, its tests and its entry in app.ts. */
export const v2Api: Api<V2Deps> = {
  name: 'v2',
  variables,
  create(deps, settings) {
    const usage = createUsageCounter(deps);
    return {
      routes: [
        ...v2WebhookRoutes(deps),
        ...v2AttributeRoutes(),
        ...v2BroadcastRoutes(deps),
        ...usageRoutes(usage),
      ],
      retiring: v2Version(settings, { clock: deps.clock, count: usage.count }),
      flush: usage.flush,
    };
  },
  documentPath: '/openapi-v2.json',
  document: (routes) =>
    openapiDocument(routes, ['/v2/'], {
      title: 'Parley API v2 (deprecated)',
      version: '2.0.0',
      description: 'What is left of version 2. Each operation names its replacement in version 3.',
    }),
  describe: describeV2,
};
