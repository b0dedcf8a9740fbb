import { Type } from 'typebox';
import type { Keys } from '../../base/crypto.ts';
import { Force, requireUnused } from '../../campaigns/in-use.ts';
import { DeleteResult, data, deleted } from '../../http/answer.ts';
import { type Route, routeFamily } from '../../http/route.ts';
import { searchRoute } from '../../http/search-route.ts';
import { Secret, SecretValue } from './schema.ts';
import { findSecretId, presentSecret, removeSecret, storeSecret } from './secret.ts';

const example: Secret = {
  id: '019a82a0-0000-7000-8000-000000000090',
  name: 'crmKey',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

const secrets = routeFamily({
  tag: 'Automations',
  feature: 'automations',
  params: Type.Object({ secretName: Type.String() }),
  exampleParams: { secretName: example.name },
});

export function secretRoutes({ keys }: { keys: Keys }): Route[] {
  return [
    secrets.write(
      {
        method: 'PUT',
        path: '/v3/secrets/:secretName',
        operationId: 'storeSecret',
        summary: 'Store a secret',
        description:
          'Creates a secret or replaces its value. Steps `http_request` use it as `{{ secrets.name }}` in headers and in the body, and sign with it by `signWith`. It is stored encrypted and never shown.',
        access: 'automations:write',
        body: SecretValue,
        answer: data(Secret),
        failures: ['limit_reached'],
        example: { body: { value: 'sk_live_…' }, answer: example },
      },
      ({ params, body }, tx) => storeSecret(tx, params.secretName, body.value, keys),
    ),
    searchRoute({
      path: '/v3/secrets/search',
      operationId: 'searchSecrets',
      tag: 'Automations',
      noun: 'secrets',
      access: 'automations:read',
      feature: 'automations',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 's.id' },
          name: { type: 'string', sql: 's.name' },
          createdAt: { type: 'time', sql: 's.created_at' },
          updatedAt: { type: 'time', sql: 's.updated_at' },
        },
        names: ['s.name'],
        id: 's.id',
      },
      source: {
        select: 's.id, s.name, s.created_at, s.updated_at',
        from: 'automation_secrets s',
        tenantColumn: 's.tenant_id',
      },
      schema: Secret,
      present: presentSecret,
      example: { query: 'eq(name,"crmKey")', item: example },
    }),
    secrets.write(
      {
        method: 'DELETE',
        path: '/v3/secrets/:secretName',
        operationId: 'deleteSecret',
        summary: 'Delete a secret',
        description: 'Refused while an active automation uses it, unless `force` is true.',
        access: 'automations:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [example.name], notFoundIds: [] } },
      },
      async ({ params, query }, tx) => {
        const id = await findSecretId(tx, params.secretName);
        if (id === undefined) return deleted(params.secretName, false);
        await requireUnused(tx, 'secret', id, query);
        return deleted(params.secretName, await removeSecret(tx, id));
      },
    ),
  ];
}
