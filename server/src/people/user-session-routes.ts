import { Type } from 'typebox';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { Sessions } from '../http/sessions.ts';
import { exampleOwnSession } from './example.ts';
import { UserSession } from './schema.ts';
import {
  presentUserSession,
  revokeUserSession,
  userSessionFields,
  userSessionSource,
} from './user-sessions.ts';

const TAG = 'Users and teams';
const { isCurrent: _, ...exampleSession } = exampleOwnSession;
const example: UserSession = {
  ...exampleSession,
  user: { id: '019a82a0-0000-7000-8000-000000000060', name: 'Grace Hopper' },
};
const sessions = routeFamily({
  tag: TAG,
  params: Type.Object({ sessionId: Type.String() }),
  exampleParams: { sessionId: example.id },
});

/** What owners and admins see of the sessions of others. */
export function userSessionRoutes(deps: { sessions: Sessions }): Route[] {
  return [
    searchRoute({
      path: '/v3/sessions/search',
      operationId: 'searchSessions',
      tag: TAG,
      noun: 'the sessions of users',
      access: 'users:read',
      // Agents have that scope, too, but do not see where their colleagues log in from.
      isForAdmins: true,
      searchable: userSessionFields,
      source: userSessionSource,
      schema: UserSession,
      present: presentUserSession,
      example: { query: 'gt(createdAt,"2026-11-15T00:00:00Z")', item: example },
    }),
    sessions.write(
      {
        method: 'DELETE',
        path: '/v3/sessions/:sessionId',
        operationId: 'revokeUserSession',
        summary: 'End a session of a user',
        description:
          'Its streams and requests end within five seconds in every process, in all tenants of the person. The caller needs all rights of the role of the user.',
        access: 'users:write',
        answer: data(DeleteResult),
        failures: ['user_not_found'],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ params: { sessionId }, principal }, tx) =>
        deleted(sessionId, await revokeUserSession(tx, sessionId, principal, deps.sessions.forget)),
    ),
  ];
}
