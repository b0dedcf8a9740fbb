import { Type } from 'typebox';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { data } from './answer.ts';
import { publicRead, type Route } from './route.ts';
import { OneOf } from './schema.ts';

const Health = Type.Object({ status: OneOf(['ok']) }, { title: 'Health' });

interface HealthDeps {
  db: Database;
  isDraining: () => boolean;
  /** What must hold for the process to be ready, beside an answering database; each throws an error that says what is wrong. */
  readiness: readonly (() => void | Promise<void>)[];
}

/** Health checks for supervisors and load balancers. */
export function healthRoutes({ db, isDraining, readiness }: HealthDeps): Route[] {
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
          'Checks the database. Returns `service_unavailable` if it cannot be reached or cannot store anything, if its clock and that of the process differ by more than a minute, if the process is shutting down, or if its event loop or its heartbeats are stuck.',
        access: 'public',
        answer: data(Health),
        failures: ['service_unavailable'],
        example: { answer: { status: 'ok' } },
      },
      async () => {
        if (isDraining())
          throw new ApiError('service_unavailable', { detail: 'the server is shutting down' });
        await db.ping();
        for (const requireReady of readiness) await requireReady();
        return { status: 'ok' as const };
      },
    ),
  ];
}
