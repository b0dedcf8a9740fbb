import { Type } from 'typebox';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { data, publicRead, type Route } from './route.ts';
import { OneOf } from './schema.ts';

const Health = Type.Object({ status: OneOf(['ok']) }, { title: 'Health' });

/** Health checks for supervisors and load balancers. */
export function healthRoutes({ db, isDraining }: { db: Database; isDraining: () => boolean }): Route[] {
  return [
    publicRead(
      {
        method: 'GET',
        path: '/livez',
        operationId: 'getLiveness',
        tag: 'Operator',
        summary: 'Check that the process is alive',
        description: 'Succeeds while the process can answer requests.',
        access: 'public',
        answer: data(Health),
        failures: [],
        example: { answer: { status: 'ok' } },
      },
      () => ({ status: 'ok' as const }),
    ),
    publicRead(
      {
        method: 'GET',
        path: '/readyz',
        operationId: 'getReadiness',
        tag: 'Operator',
        summary: 'Check that the process is ready',
        description:
          'Checks the database. Returns `service_unavailable` if it cannot be reached or the process is shutting down.',
        access: 'public',
        answer: data(Health),
        failures: ['service_unavailable'],
        example: { answer: { status: 'ok' } },
      },
      async () => {
        if (isDraining())
          throw new ApiError('service_unavailable', { detail: 'the server is shutting down' });
        await db.ping();
        return { status: 'ok' as const };
      },
    ),
  ];
}
