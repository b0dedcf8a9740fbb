import { Type } from 'typebox';
import { data } from '../http/answer.ts';
import { operatorWrite, type Route, routeFamily } from '../http/route.ts';
import { exampleLink } from './example.ts';
import { createInvitation, createLoginLink, createReset, type LinkDeps } from './links.ts';
import { NewLoginLink, PersonLink } from './schema.ts';

const users = routeFamily({
  tag: 'Users and teams',
  params: Type.Object({ userId: Type.String() }),
  exampleParams: { userId: '019a82a0-0000-7000-8000-000000000060' },
});

/** Links that let people log in: an invitation, a new password, the first login. */
export function linkRoutes(deps: LinkDeps): Route[] {
  return [
    users.write(
      {
        method: 'POST',
        path: '/v3/users/:userId/invitation',
        operationId: 'inviteUser',
        summary: 'Invite somebody to log in as a user',
        description:
          'Returns a link that works once, for seven days, and mails one where a channel for mails is configured; an earlier one of the user stops working. The caller needs all rights of the role of the user.',
        access: 'users:write',
        answer: data(PersonLink),
        failures: ['user_not_found', 'conflict'],
        example: { answer: exampleLink },
      },
      ({ params, principal }, tx) => createInvitation(tx, params.userId, principal, deps),
    ),
    users.write(
      {
        method: 'POST',
        path: '/v3/users/:userId/password_reset',
        operationId: 'resetUserPassword',
        summary: 'Let a user set a new password',
        description:
          'Returns a link that works once, for a day, and mails one where a channel for mails is configured. It ends earlier with a new password, with the membership, and when the person joins another tenant. The caller needs all rights of the role of the user. Somebody who belongs to other tenants too, or is an operator, gets a link from the operator only.',
        access: 'users:write',
        answer: data(PersonLink),
        failures: ['user_not_found', 'conflict'],
        example: { answer: exampleLink },
      },
      ({ params, principal }, tx) => createReset(tx, params.userId, principal, deps),
    ),
    operatorWrite(
      {
        method: 'POST',
        path: '/admin/login_links',
        operationId: 'createLoginLink',
        tag: 'Operator',
        summary: 'Create a link to log in',
        description:
          'The link works once, for a day. With the address of somebody who has an account it logs in as that person and switches two-factor login off; otherwise the person who opens it becomes an operator, and an owner of the first tenant.',
        access: 'operator',
        body: NewLoginLink,
        answer: data(PersonLink),
        failures: [],
        example: { body: {}, answer: exampleLink },
      },
      ({ body }, tx) => createLoginLink(tx, body.email, deps.baseUrl()),
    ),
  ];
}
