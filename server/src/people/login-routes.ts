import type { Logger } from 'pino';
import { ApiError } from '../base/errors.ts';
import { data, redirect } from '../http/answer.ts';
import { ofSession, type Route } from '../http/route.ts';
import { describeLink } from './describe-link.ts';
import { exampleLinkInfo, exampleSession } from './example.ts';
import { limitAttempts, limitFailures, linkLimits, resetLimits } from './failures.ts';
import { authenticate, beginSession, type LoginDeps, requirePasswordLogin } from './login.ts';
import { type Oidc, oidcReasonOf } from './oidc.ts';
import { redeemLink } from './redeem-link.ts';
import {
  LinkInfo,
  LinkQuestion,
  LinkUse,
  Login,
  LoginMethods,
  NewPasswordReset,
  OidcReturn,
  PasswordReset,
  SessionInfo,
} from './schema.ts';
import { LIMITED, login } from './session-operation.ts';
import { queueSystemMail, type SystemMailChannel } from './system-mail.ts';

interface LoginRoutesDeps extends LoginDeps {
  oidc: Oidc | undefined;
  /** The channel for mails with links, if there is one. */
  systemMail: SystemMailChannel | undefined;
  log: Logger;
}

/** How people log in. */
export const loginRoutes = (deps: LoginRoutesDeps): Route[] => [...passwordRoutes(deps), ...oidcRoutes(deps)];

function passwordRoutes(deps: LoginRoutesDeps): Route[] {
  return [
    ofSession(
      {
        ...login,
        method: 'POST',
        path: '/v3/session',
        operationId: 'logIn',
        summary: 'Log in',
        description:
          'Sets the session cookie. `totp_required` asks for the same request with a `code`. Ten wrong passwords for one address from one network, or thirty from one network, block further attempts for up to 15 minutes, and so do ten wrong codes of one person. An unknown address is answered like a wrong password.',
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
        return beginSession(call, db, person, deps);
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

function oidcRoutes(deps: LoginRoutesDeps): Route[] {
  return [
    ofSession(
      {
        ...login,
        method: 'GET',
        path: '/v3/session/oidc',
        operationId: 'startOidcLogin',
        summary: 'Start a login over the identity provider',
        description:
          'Sends the browser to the page of the identity provider, which sends it back to `/v3/session/oidc/callback`. Not for links on pages of other sites. 404 if no identity provider is configured.',
        answer: redirect,
        failures: ['route_not_found'],
        example: { answer: 'https://login.example.com/authorize?client_id=parley&state=af0ifjsldkj' },
      },
      (call) => redirectWithReason(deps, (oidc) => oidc.start(call)),
    ),
    ofSession(
      {
        ...login,
        method: 'GET',
        path: '/v3/session/oidc/callback',
        operationId: 'finishOidcLogin',
        summary: 'Complete a login over the identity provider',
        description:
          'Where the identity provider sends the browser back to. Checks what it says, sets the session cookie, and goes on to the console; `error` in the address of its page says why somebody was not logged in. Only the browser that started the login gets in. Somebody new must have been invited, or have an address of a domain whose people may join.',
        isReturn: true,
        query: OidcReturn,
        answer: redirect,
        failures: ['route_not_found'],
        example: { answer: 'https://parley.example.com/console/login/oidc' },
      },
      (call, db) =>
        redirectWithReason(deps, async (oidc) => {
          const personId = await oidc.finish(call, db);
          deps.sessions.forget(personId);
          await beginSession(call, db, { id: personId }, deps);
          return oidc.pageAfter();
        }),
    ),
  ];
}

/** A browser shows the page that these operations lead to: what went wrong is said there, and in the log. */
async function redirectWithReason(
  { oidc, log }: LoginRoutesDeps,
  step: (oidc: Oidc) => Promise<string>,
): Promise<string> {
  if (!oidc) throw new ApiError('route_not_found', { detail: 'no identity provider is configured' });
  try {
    return await step(oidc);
  } catch (error) {
    const reason = oidcReasonOf(error);
    if (reason === undefined) throw error;
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    log.info({ reason, code }, 'a login over the identity provider did not succeed');
    return oidc.pageAfter(reason);
  }
}
