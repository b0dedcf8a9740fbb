import { type Static, Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { NewTeam, NewUser, Team, TeamChange, User, UserChange, userRoles } from './schema.ts';
import { changeTeam, createTeam, presentTeam, removeTeam, requireTeam, TEAM_COLUMNS } from './team.ts';
import { changeUser, createUser, presentUser, removeUser, requireUser, USER_COLUMNS } from './user.ts';

interface UserDeps {
  db: Database;
  clock: Clock;
}

const times = { createdAt: '2026-11-15T01:02:03.456Z', updatedAt: '2026-11-15T01:02:03.456Z' };
const grace: Static<typeof User> = {
  id: '019a82a0-0000-7000-8000-000000000060',
  name: 'Grace Hopper',
  email: 'grace@example.com',
  role: 'agent',
  ...times,
};
const support: Static<typeof Team> = {
  id: '019a82a0-0000-7000-8000-000000000061',
  name: 'Support',
  userIds: [grace.id],
  ...times,
};
const UserId = Type.Object({ userId: Type.String() });
const TeamId = Type.Object({ teamId: Type.String() });

export function userRoutes({ db, clock }: UserDeps): Route[] {
  const at = { params: { userId: grace.id } };
  return [
    write(
      {
        method: 'POST',
        path: '/v3/users',
        operationId: 'createUser',
        tag: 'Users and teams',
        summary: 'Add a user',
        description: 'Someone who answers chats, or looks after those who do.',
        access: 'users:write',
        body: NewUser,
        answer: data(User),
        failures: [],
        example: { body: { name: grace.name, email: grace.email, role: grace.role }, answer: grace },
      },
      ({ principal, body }, tx) => createUser(tx, principal.tenantId, body, clock.now(principal.tenantId)),
    ),
    searchRoute(db, {
      path: '/v3/users/search',
      operationId: 'searchUsers',
      tag: 'Users and teams',
      noun: 'users',
      access: 'users:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'u.id' },
          name: { type: 'string', sql: 'u.name' },
          email: { type: 'string', sql: 'u.email' },
          role: { type: 'enum', sql: 'u.role', values: userRoles },
          createdAt: { type: 'time', sql: 'u.created_at' },
          updatedAt: { type: 'time', sql: 'u.updated_at' },
        },
        names: ['u.name', 'u.email'],
        id: 'u.id',
      },
      source: { select: USER_COLUMNS, from: 'users u', tenantColumn: 'u.tenant_id' },
      schema: User,
      present: presentUser,
      example: { query: 'eq(role,"agent")', item: grace },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/users/:userId',
        operationId: 'getUser',
        tag: 'Users and teams',
        summary: 'Read a user',
        description: 'Name, email and role.',
        access: 'users:read',
        params: UserId,
        answer: data(User),
        failures: ['user_not_found'],
        example: { ...at, answer: grace },
      },
      ({ principal, params }) => requireUser(db.byKey, principal.tenantId, params.userId),
    ),
    write(
      {
        method: 'PUT',
        path: '/v3/users/:userId',
        operationId: 'updateUser',
        tag: 'Users and teams',
        summary: 'Change a user',
        description: 'Changes what is given.',
        access: 'users:write',
        params: UserId,
        body: UserChange,
        answer: data(User),
        failures: ['user_not_found'],
        example: { ...at, body: { role: 'agent' }, answer: grace },
      },
      ({ principal, params, body }, tx) =>
        changeUser(tx, principal.tenantId, params.userId, body, clock.now(principal.tenantId)),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/users/:userId',
        operationId: 'deleteUser',
        tag: 'Users and teams',
        summary: 'Remove a user',
        description: 'The user leaves every team, and chats assigned to them are assigned to nobody.',
        access: 'users:write',
        params: UserId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [grace.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.userId, await removeUser(tx, principal.tenantId, params.userId)),
    ),
    ...teamRoutes({ db, clock }),
  ];
}

function teamRoutes({ db, clock }: UserDeps): Route[] {
  const at = { params: { teamId: support.id } };
  return [
    write(
      {
        method: 'POST',
        path: '/v3/teams',
        operationId: 'createTeam',
        tag: 'Users and teams',
        summary: 'Make a team',
        description: 'Chats can be assigned to a team. Names are unique in the tenant, whatever the case.',
        access: 'users:write',
        body: NewTeam,
        answer: data(Team),
        failures: [],
        example: { body: { name: support.name, userIds: support.userIds }, answer: support },
      },
      ({ principal, body }, tx) => createTeam(tx, principal.tenantId, body, clock.now(principal.tenantId)),
    ),
    searchRoute(db, {
      path: '/v3/teams/search',
      operationId: 'searchTeams',
      tag: 'Users and teams',
      noun: 'teams',
      access: 'users:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 't.id' },
          name: { type: 'string', sql: 't.name' },
          createdAt: { type: 'time', sql: 't.created_at' },
          updatedAt: { type: 'time', sql: 't.updated_at' },
        },
        names: ['t.name'],
        id: 't.id',
      },
      source: { select: TEAM_COLUMNS, from: 'teams t', tenantColumn: 't.tenant_id' },
      schema: Team,
      present: presentTeam,
      example: { query: 'eq(name,"Support")', item: support },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/teams/:teamId',
        operationId: 'getTeam',
        tag: 'Users and teams',
        summary: 'Read a team',
        description: 'Its name and who is in it.',
        access: 'users:read',
        params: TeamId,
        answer: data(Team),
        failures: ['team_not_found'],
        example: { ...at, answer: support },
      },
      ({ principal, params }) => requireTeam(db.byKey, principal.tenantId, params.teamId),
    ),
    write(
      {
        method: 'PUT',
        path: '/v3/teams/:teamId',
        operationId: 'updateTeam',
        tag: 'Users and teams',
        summary: 'Change a team',
        description: 'Changes what is given; `userIds` replaces who is in the team.',
        access: 'users:write',
        params: TeamId,
        body: TeamChange,
        answer: data(Team),
        failures: ['team_not_found'],
        example: { ...at, body: { userIds: support.userIds }, answer: support },
      },
      ({ principal, params, body }, tx) =>
        changeTeam(tx, principal.tenantId, params.teamId, body, clock.now(principal.tenantId)),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/teams/:teamId',
        operationId: 'deleteTeam',
        tag: 'Users and teams',
        summary: 'Delete a team',
        description: 'Its users stay; chats assigned to it are assigned to no team.',
        access: 'users:write',
        params: TeamId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [support.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.teamId, await removeTeam(tx, principal.tenantId, params.teamId)),
    ),
  ];
}
