import { Type } from 'typebox';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { ofSession, type Route } from '../http/route.ts';
import { describeSession } from './describe-session.ts';
import { exampleOwnSession, exampleSession } from './example.ts';
import type { LoginDeps } from './login.ts';
import { changeOwnName, changeOwnPassword, confirmTotp, disableTotp, enrolTotp } from './own-account.ts';
import {
  Ended,
  NewTotp,
  OwnSession,
  PasswordChange,
  PersonChange,
  RecoveryCodes,
  SessionInfo,
  TotpCode,
  TotpEnrolment,
} from './schema.ts';
import { endSessionOf, listSessions, revokeSession } from './session.ts';
import { LIMITED, own, ownCall } from './session-operation.ts';

/** What people do with their own account. */
export const accountRoutes = (deps: LoginDeps): Route[] => [...ownRoutes(deps), ...totpRoutes(deps)];

function ownRoutes(deps: LoginDeps): Route[] {
  return [
    ofSession(
      {
        ...own,
        method: 'GET',
        path: '/v3/session',
        operationId: 'getSession',
        summary: 'Get who has logged in',
        description: 'The person, the tenants that the person belongs to, and what the person may do there.',
        answer: data(SessionInfo),
        failures: [],
        example: { answer: exampleSession },
      },
      (call, db) => describeSession(db, ownCall(call).session.id),
    ),
    ofSession(
      {
        ...own,
        method: 'PUT',
        path: '/v3/session/person',
        operationId: 'updatePerson',
        summary: 'Change the own name',
        description: 'In every tenant that the person belongs to.',
        body: PersonChange,
        answer: data(SessionInfo),
        failures: [],
        example: { body: { name: exampleSession.person.name }, answer: exampleSession },
      },
      async (call, db) => {
        const { session } = ownCall(call);
        await changeOwnName(db, session.personId, call.body.name);
        deps.sessions.forget(session.personId);
        return describeSession(db, session.id);
      },
    ),
    ofSession(
      {
        ...own,
        method: 'DELETE',
        path: '/v3/session',
        operationId: 'logOut',
        summary: 'Log out',
        description: 'Ends the session, at once in this process and within five seconds in all others.',
        answer: data(Ended),
        failures: [],
        example: { answer: { ended: true } },
      },
      async (call, db) => {
        await endSessionOf(db, call.cookie as string);
        deps.sessions.forget(ownCall(call).session.id);
        call.setCookie('', 0);
        return { ended: true };
      },
    ),
    ofSession(
      {
        ...own,
        method: 'POST',
        path: '/v3/session/password',
        operationId: 'changePassword',
        summary: 'Change the own password',
        description: 'All other sessions end, and this one gets a new cookie.',
        body: PasswordChange,
        answer: data(SessionInfo),
        failures: [...LIMITED],
        example: {
          body: { current: 'correct horse battery staple', next: 'four entirely random words' },
          answer: exampleSession,
        },
      },
      (call, db) => changeOwnPassword(ownCall(call), db, call.body, deps),
    ),
    ofSession(
      {
        ...own,
        method: 'GET',
        path: '/v3/session/sessions',
        operationId: 'listSessions',
        summary: 'List the own sessions',
        description: 'Where the person has logged in, the last used first.',
        answer: data(Type.Array(OwnSession)),
        failures: [],
        example: { answer: [exampleOwnSession] },
      },
      (call, db) => {
        const { session } = ownCall(call);
        return listSessions(db, session.personId, session.id);
      },
    ),
    ofSession(
      {
        ...own,
        method: 'DELETE',
        path: '/v3/session/sessions/:sessionId',
        operationId: 'revokeSession',
        summary: 'End one of the own sessions',
        description: 'Its streams and requests end within five seconds in every process.',
        params: Type.Object({ sessionId: Type.String() }),
        answer: data(DeleteResult),
        failures: [],
        example: {
          params: { sessionId: exampleOwnSession.id },
          answer: { deletedIds: [exampleOwnSession.id], notFoundIds: [] },
        },
      },
      async (call, db) => {
        const { sessionId } = call.params;
        const wasFound = await revokeSession(db, ownCall(call).session.personId, sessionId);
        deps.sessions.forget(sessionId.toLowerCase());
        return deleted(sessionId, wasFound);
      },
    ),
  ];
}

function totpRoutes(deps: LoginDeps): Route[] {
  return [
    ofSession(
      {
        ...own,
        method: 'POST',
        path: '/v3/session/totp',
        operationId: 'enrolTotp',
        summary: 'Prepare two-factor login',
        description:
          'Creates a secret for an authenticator app (TOTP, RFC 6238). It counts only after a code has confirmed it. Needs the password of somebody who has one.',
        body: TotpEnrolment,
        answer: data(NewTotp),
        failures: ['conflict', ...LIMITED],
        example: {
          body: { password: 'correct horse battery staple' },
          answer: { secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/Parley:grace%40example.com?secret=…' },
        },
      },
      (call, db) => enrolTotp(ownCall(call), db, call.body.password, deps),
    ),
    ofSession(
      {
        ...own,
        method: 'POST',
        path: '/v3/session/totp/confirm',
        operationId: 'confirmTotp',
        summary: 'Switch two-factor login on',
        description: 'With a code of the app. From then on the login asks for one.',
        body: TotpCode,
        answer: data(RecoveryCodes),
        failures: ['conflict', ...LIMITED],
        example: { body: { code: '492039' }, answer: { recoveryCodes: ['3GNB-JRCQ-4WSA-ZUXP'] } },
      },
      (call, db) => confirmTotp(ownCall(call), db, call.body.code, deps),
    ),
    ofSession(
      {
        ...own,
        method: 'POST',
        path: '/v3/session/totp/disable',
        operationId: 'disableTotp',
        summary: 'Switch two-factor login off',
        description: 'With a code of the app, or a recovery code.',
        body: TotpCode,
        answer: data(SessionInfo),
        failures: ['conflict', ...LIMITED],
        example: { body: { code: '492039' }, answer: exampleSession },
      },
      async (call, db) => {
        await disableTotp(ownCall(call), db, call.body.code, deps);
        return describeSession(db, ownCall(call).session.id);
      },
    ),
  ];
}
