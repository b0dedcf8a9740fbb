import { Type } from 'typebox';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { data, type Route, read } from './route.ts';
import { OneOf } from './schema.ts';

const Health = Type.Object({ status: OneOf(['ok']) }, { title: 'Health' });

/** What a supervisor asks: is the process alive, and should it be given requests? */
export function healthRoutes({ db, isDraining }: { db: Database; isDraining: () => boolean }): Route[] {
  return [
    read(
      {
        method: 'GET',
        path: '/livez',
        operationId: 'getLiveness',
        tag: 'Operator',
        summary: 'Is the process alive?',
        description: 'Answers whenever the process can answer at all.',
        access: 'public',
        answer: data(Health),
        failures: [],
        example: { answer: { status: 'ok' } },
      },
      () => ({ status: 'ok' as const }),
    ),
    read(
      {
        method: 'GET',
        path: '/readyz',
        operationId: 'getReadiness',
        tag: 'Operator',
        summary: 'Can the process do its work?',
        description:
          'Asks the database; `service_unavailable` while it is out of reach or the process is shutting down.',
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
