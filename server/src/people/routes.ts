import { Type } from 'typebox';
import { ApiError } from '../base/errors.ts';
import { data, ofSession, operatorWrite, type Route, routeFamily, type SessionCall } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { Session } from '../http/sessions.ts';
import { auditFields, auditSource, presentEntry } from './audit-entry.ts';
import { describeLink } from './describe-link.ts';
import { describeSession } from './describe-session.ts';
import {
  exampleAuditEntry,
  exampleLink,
  exampleLinkInfo,
  exampleOwnSession,
  exampleSession,
} from './example.ts';
import { limitAttempts, limitFailures, linkLimits, resetLimits } from './failures.ts';
import { createInvitation, createLoginLink, createReset } from './links.ts';
import { authenticate, beginSession, type LoginDeps, requirePasswordLogin } from './login.ts';
import type { Oidc } from './oidc.ts';
import { changeOwnName, changeOwnPassword, confirmTotp, disableTotp, enrolTotp } from './own-account.ts';
import { redeemLink } from './redeem-link.ts';
import {
  AuditEntry,
  Ended,
  LinkInfo,
  LinkQuestion,
  LinkUse,
  Login,
  LoginMethods,
  NewLoginLink,
  NewPasswordReset,
  NewTotp,
  OidcReturn,
  OidcStart,
  OwnSession,
  PasswordChange,
  PasswordReset,
  PersonChange,
  PersonLink,
  RecoveryCodes,
  SessionInfo,
  TotpCode,
  TotpEnrolment,
} from './schema.ts';
import { endSessionOf, listSessions, revokeSession } from './session.ts';
import { queueSystemMail, type SystemMailChannel } from './system-mail.ts';

export interface PeopleRoutesDeps extends LoginDeps {
  baseUrl: () => string;
  /** Undefined if no identity provider is configured. */
  oidc: Oidc | undefined;
  /** The channel for mails with links, if there is one. */
  systemMail: SystemMailChannel | undefined;
}

const tag = 'Session';
const login = { tag, access: 'login' } as const;
const own = { tag, access: 'session' } as const;
const LIMITED = ['too_many_attempts'] as const;

const users = routeFamily({
  tag: 'Users and teams',
  params: Type.Object({ userId: Type.String() }),
  exampleParams: { userId: '019a82a0-0000-7000-8000-000000000060' },
});

/** The guard of these routes has found a session. */
const ownCall = <P, B, Q>(call: SessionCall<P, B, Q>): SessionCall<P, B, Q> & { session: Session } =>
  call as SessionCall<P, B, Q> & { session: Session };

export function peopleRoutes(deps: PeopleRoutesDeps): Route[] {
  return [
    ...loginRoutes(deps),
    ...oidcRoutes(deps),
    ...accountRoutes(deps),
    ...totpRoutes(deps),
    ...linkRoutes(deps),
    searchRoute({
      path: '/v3/audit_entries/search',
      operationId: 'searchAuditEntries',
      tag: 'Audit log',
      noun: 'entries of the audit log',
      access: 'audit:read',
      searchable: auditFields,
      source: auditSource,
      schema: AuditEntry,
      present: presentEntry,
      example: { query: 'eq(operation,"assignChat")', item: exampleAuditEntry },
    }),
  ];
}

function loginRoutes(deps: PeopleRoutesDeps): Route[] {
  return [
    ofSession(
      {
        ...login,
        method: 'POST',
        path: '/v3/session',
        operationId: 'logIn',
        summary: 'Log in',
        description:
          'Sets the session cookie. `totp_required` asks for the same request with a `code`. Ten wrong passwords for one address from one network, or thirty from one network, block further attempts for up to 15 minutes. An unknown address is answered like a wrong password.',
        body: Login,
        answer: data(SessionInfo),
        failures: ['totp_required', ...LIMITED],
        example: {
          body: { email: exampleSession.person.email, password: 'correct horse battery staple' },
          answer: exampleSession,
        },
      },
      async (call, db) => {
        const person = await authenticate(db, call.body, call.address, deps);
        return beginSession(call, db, person.id, deps);
      },
    ),
    ofSession(
      {
        ...login,
        method: 'GET',
        path: '/v3/session/methods',
        operationId: 'getLoginMethods',
        summary: 'Get the ways to log in',
        description:
          'Whether there is a form for a password, and whether an identity provider is configured.',
        answer: data(LoginMethods),
        failures: [],
        example: { answer: { password: true, oidc: false, resetByMail: true } },
      },
      async () => ({
        password: deps.hasPasswordLogin,
        oidc: deps.oidc !== undefined,
        resetByMail: deps.hasPasswordLogin && deps.systemMail !== undefined,
      }),
    ),
    ofSession(
      {
        ...login,
        method: 'POST',
        path: '/v3/password_resets',
        operationId: 'requestPasswordReset',
        summary: 'Ask for a new password',
        description:
          'Mails a link to set a new password, which works once, for a day. An address that nobody has is answered in the same way and time. Three requests for one address, or twenty from one network, block further ones for up to 15 minutes. Without a channel for mails nothing is sent, and the answer says so: an admin or the operator makes a link.',
        body: NewPasswordReset,
        answer: data(PasswordReset),
        failures: [...LIMITED],
        example: { body: { email: exampleSession.person.email }, answer: { isMailed: true } },
      },
      async (call, db) => {
        requirePasswordLogin(deps);
        await limitAttempts(db, resetLimits(call.body.email, call.address));
        const mail = { kind: 'reset', email: call.body.email } as const;
        return { isMailed: await queueSystemMail(db, deps.systemMail, mail) };
      },
    ),
    ofSession(
      {
        ...login,
        method: 'POST',
        path: '/v3/session/link',
        operationId: 'redeemLink',
        summary: 'Log in with a link',
        description:
          'Redeems an invitation, a link for a new password, or a first login, and sets the session cookie. A link works once. Somebody who has an account accepts an invitation with the session or the password of that account.',
        body: LinkUse,
        answer: data(SessionInfo),
        failures: ['conflict', 'totp_required', 'user_not_found', ...LIMITED],
        example: {
          body: { token: 'kq0Zk1…', password: 'correct horse battery staple' },
          answer: exampleSession,
        },
      },
      (call, db) => redeemLink(call, db, deps),
    ),
    ofSession(
      {
        ...login,
        method: 'POST',
        path: '/v3/session/link/describe',
        operationId: 'describeLink',
        summary: 'Get what a link is for',
        description: 'Says what redeeming the link needs. The link keeps working.',
        body: LinkQuestion,
        answer: data(LinkInfo),
        failures: [...LIMITED],
        example: { body: { token: 'kq0Zk1…' }, answer: exampleLinkInfo },
      },
      (call, db) => limitFailures(db, linkLimits(call.address), () => describeLink(db, call.body.token)),
    ),
  ];
}

function oidcRoutes(deps: PeopleRoutesDeps): Route[] {
  return [
    ofSession(
      {
        ...login,
        method: 'POST',
        path: '/v3/session/oidc',
        operationId: 'startOidcLogin',
        summary: 'Start a login over the identity provider',
        description:
          'Returns the page to which the browser goes. It comes back to `/console/login/oidc`, whose query completes the login. 404 if no identity provider is configured.',
        answer: data(OidcStart),
        failures: ['route_not_found'],
        example: { answer: { url: 'https://login.example.com/authorize?client_id=parley&…' } },
      },
      async (call) => requireOidc(deps).start(call),
    ),
    ofSession(
      {
        ...login,
        method: 'POST',
        path: '/v3/session/oidc/callback',
        operationId: 'finishOidcLogin',
        summary: 'Complete a login over the identity provider',
        description:
          'Checks what the identity provider says, and sets the session cookie. Somebody new must have been invited, or have an address of a domain whose people may join.',
        body: OidcReturn,
        answer: data(SessionInfo),
        failures: ['route_not_found', ...LIMITED],
        example: {
          body: { query: '?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj' },
          answer: exampleSession,
        },
      },
      async (call, db) => {
        const personId = await requireOidc(deps).finish(call, db);
        deps.sessions.forget(personId);
        return beginSession(call, db, personId, deps);
      },
    ),
  ];
}

function requireOidc({ oidc }: PeopleRoutesDeps): Oidc {
  if (!oidc) throw new ApiError('route_not_found', { detail: 'no identity provider is configured' });
  return oidc;
}

function accountRoutes(deps: PeopleRoutesDeps): Route[] {
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
          body: {
            currentPassword: 'correct horse battery staple',
            newPassword: 'four entirely random words',
          },
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
        answer: data(Ended),
        failures: ['session_not_found'],
        example: { params: { sessionId: exampleOwnSession.id }, answer: { ended: true } },
      },
      async (call, db) => {
        const { sessionId } = call.params;
        await revokeSession(db, ownCall(call).session.personId, sessionId);
        deps.sessions.forget(sessionId.toLowerCase());
        return { ended: true };
      },
    ),
  ];
}

function totpRoutes(deps: PeopleRoutesDeps): Route[] {
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

function linkRoutes(deps: PeopleRoutesDeps): Route[] {
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
          'Returns a link that works once, for a day, and mails one where a channel for mails is configured. The caller needs all rights of the role of the user. Somebody who belongs to other tenants too, or is an operator, gets a link from the operator only.',
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
