import { type Static, Type } from 'typebox';
import { invalidParam } from '../base/errors.ts';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { authorOf } from './author.ts';
import { userRoles } from './roles.ts';
import {
  Availability,
  NewTeam,
  NewUser,
  Team,
  TeamChange,
  User,
  UserChange,
  userAccesses,
} from './schema.ts';
import { changeTeam, createTeam, presentTeam, removeTeam, requireTeam, TEAM_COLUMNS } from './team.ts';
import {
  changeUser,
  createUser,
  presentUser,
  removeUser,
  requireUser,
  setAvailability,
  USER_COLUMNS,
} from './user.ts';

const TAG = 'Users and teams';
const times = { createdAt: '2026-11-15T01:02:03.456Z', updatedAt: '2026-11-15T01:02:03.456Z' };
const exampleUser: Static<typeof User> = {
  id: '019a82a0-0000-7000-8000-000000000060',
  name: 'Grace Hopper',
  email: 'grace@example.com',
  role: 'agent',
  access: 'all',
  isAway: false,
  hasLogin: false,
  invitation: 'none',
  ...times,
};
const exampleTeam: Static<typeof Team> = {
  id: '019a82a0-0000-7000-8000-000000000061',
  name: 'Support',
  userIds: [exampleUser.id],
  channelIds: ['019a82a0-0000-7000-8000-000000000020'],
  ...times,
};

const users = routeFamily({
  tag: TAG,
  params: Type.Object({ userId: Type.String() }),
  exampleParams: { userId: exampleUser.id },
});
const teams = routeFamily({
  tag: TAG,
  params: Type.Object({ teamId: Type.String() }),
  exampleParams: { teamId: exampleTeam.id },
});

export function userRoutes(): Route[] {
  return [
    users.write(
      {
        method: 'POST',
        path: '/v3/users',
        operationId: 'createUser',
        summary: 'Create a user',
        description:
          'Somebody who answers chats, or manages those who do. To let the user log in, create an invitation. Only owners create owners.',
        access: 'users:write',
        body: NewUser,
        answer: data(User),
        failures: [],
        example: {
          body: { name: exampleUser.name, email: exampleUser.email, role: exampleUser.role },
          answer: exampleUser,
        },
      },
      ({ body, principal }, tx) => createUser(tx, body, principal),
    ),
    searchRoute({
      path: '/v3/users/search',
      operationId: 'searchUsers',
      tag: TAG,
      noun: 'users',
      access: 'users:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'u.id' },
          name: { type: 'string', sql: 'u.name' },
          email: { type: 'string', sql: 'u.email' },
          role: { type: 'enum', sql: 'u.role', values: userRoles },
          access: { type: 'enum', sql: 'u.access', values: userAccesses },
          isAway: { type: 'boolean', sql: 'u.is_away' },
          hasLogin: { type: 'boolean', sql: 'u.person_id is not null' },
          createdAt: { type: 'time', sql: 'u.created_at' },
          updatedAt: { type: 'time', sql: 'u.updated_at' },
        },
        names: ['u.name', 'u.email'],
        id: 'u.id',
      },
      source: { select: USER_COLUMNS, from: 'users u', tenantColumn: 'u.tenant_id' },
      schema: User,
      present: presentUser,
      example: { query: 'eq(role,"agent")', item: exampleUser },
    }),
    users.read(
      {
        method: 'GET',
        path: '/v3/users/:userId',
        operationId: 'getUser',
        summary: 'Get a user',
        description: 'Name, email, role, and whether somebody can log in as this user.',
        access: 'users:read',
        answer: data(User),
        failures: ['user_not_found'],
        example: { answer: exampleUser },
      },
      ({ params }, tenant) => requireUser(tenant.byKey, params.userId),
    ),
    users.write(
      {
        method: 'PUT',
        path: '/v3/users/:userId',
        operationId: 'updateUser',
        summary: 'Update a user',
        description:
          'Changes the given fields. To change a user who can log in, the caller needs all rights of the role, before and after. The last owner who can log in stays an owner.',
        access: 'users:write',
        body: UserChange,
        answer: data(User),
        failures: ['user_not_found', 'conflict'],
        example: { body: { role: 'agent' }, answer: exampleUser },
      },
      ({ params, body, principal }, tx) => changeUser(tx, params.userId, body, principal),
    ),
    users.write(
      {
        method: 'DELETE',
        path: '/v3/users/:userId',
        operationId: 'deleteUser',
        summary: 'Delete a user',
        description:
          'Also removes the user from every team; chats assigned to the user become unassigned. The person who logs in as the user loses access to the tenant within five seconds. The last owner who can log in is not deleted.',
        access: 'users:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [exampleUser.id], notFoundIds: [] } },
      },
      async ({ params, query, principal }, tx) => {
        await requireUnused(tx, 'user', params.userId, query);
        return deleted(params.userId, await removeUser(tx, params.userId, principal));
      },
    ),
    users.write(
      {
        method: 'PUT',
        path: '/v3/me/availability',
        operationId: 'updateOwnAvailability',
        summary: 'Say whether you are away',
        description:
          'Somebody who is away gets no chats in turn. Chats that are assigned already stay. A person who has logged in says it of themselves, a token of the user `userId`.',
        access: 'chats:write',
        body: Availability,
        answer: data(User),
        failures: ['user_not_found'],
        example: {
          body: { isAway: true, userId: '019a82a0-0000-7000-8000-000000000060' },
          answer: { ...exampleUser, isAway: true },
        },
      },
      async ({ body, principal }, tx) => {
        const { type, id } = await authorOf(tx, principal, body.userId);
        if (type !== 'user' || id === null)
          throw invalidParam('userId', 'custom', 'Say which user is away: a token is nobody');
        return setAvailability(tx, id, body.isAway);
      },
    ),
    ...teamRoutes(),
  ];
}

function teamRoutes(): Route[] {
  return [
    teams.write(
      {
        method: 'POST',
        path: '/v3/teams',
        operationId: 'createTeam',
        summary: 'Create a team',
        description:
          'Chats can be assigned to a team. Names are unique in the tenant and not case-sensitive.',
        access: 'users:write',
        body: NewTeam,
        answer: data(Team),
        failures: [],
        example: { body: { name: exampleTeam.name, userIds: exampleTeam.userIds }, answer: exampleTeam },
      },
      ({ body }, tx) => createTeam(tx, body),
    ),
    searchRoute({
      path: '/v3/teams/search',
      operationId: 'searchTeams',
      tag: TAG,
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
      example: { query: 'eq(name,"Support")', item: exampleTeam },
    }),
    teams.read(
      {
        method: 'GET',
        path: '/v3/teams/:teamId',
        operationId: 'getTeam',
        summary: 'Get a team',
        description: 'Its name, its members and its channels.',
        access: 'users:read',
        answer: data(Team),
        failures: ['team_not_found'],
        example: { answer: exampleTeam },
      },
      ({ params }, tenant) => requireTeam(tenant.byKey, params.teamId),
    ),
    teams.write(
      {
        method: 'PUT',
        path: '/v3/teams/:teamId',
        operationId: 'updateTeam',
        summary: 'Update a team',
        description:
          'Changes the given fields; `userIds` replaces the members, `channelIds` the channels. With `baseUpdatedAt` nothing is changed if somebody else has changed the team since.',
        access: 'users:write',
        body: TeamChange,
        answer: data(Team),
        failures: ['team_not_found', 'conflict'],
        example: { body: { userIds: exampleTeam.userIds }, answer: exampleTeam },
      },
      ({ params, body }, tx) => changeTeam(tx, params.teamId, body),
    ),
    teams.write(
      {
        method: 'DELETE',
        path: '/v3/teams/:teamId',
        operationId: 'deleteTeam',
        summary: 'Delete a team',
        description: 'Its users stay; chats assigned to it are no longer assigned to a team.',
        access: 'users:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [exampleTeam.id], notFoundIds: [] } },
      },
      async ({ params, query }, tx) => {
        await requireUnused(tx, 'team', params.teamId, query);
        return deleted(params.teamId, await removeTeam(tx, params.teamId));
      },
    ),
  ];
}
