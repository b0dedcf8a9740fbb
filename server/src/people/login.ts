import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionCall } from '../http/call.ts';
import type { Sessions } from '../http/sessions.ts';
import { describeSession } from './describe-session.ts';
import { codeLimits, limitFailures, loginLimits } from './failures.ts';
import type { Passwords } from './passwords.ts';
import {
  findPerson,
  findPersonByEmail,
  type Person,
  replacePasswordHash,
  requireLockedPerson,
  TOTP_PURPOSE,
  useRecoveryCode,
  useTotpStep,
} from './person.ts';
import type { Login, SessionInfo } from './schema.ts';
import { createSession, endSessionOf } from './session.ts';
import { findStep, hashRecoveryCode } from './totp.ts';

export interface LoginDeps {
  passwords: Passwords;
  keys: Keys;
  sessions: Sessions;
  /** Whether passwords are accepted; otherwise only the identity provider. */
  hasPasswordLogin: boolean;
  /** Undefined if no identity provider is configured. */
  oidc: { readonly issuer: string } | undefined;
}

/** The same for an address that nobody has. */
const wrong = (): ApiError =>
  new ApiError('unauthorized', { detail: 'the email address or the password is wrong' });

export function requirePasswordLogin({ hasPasswordLogin }: LoginDeps): void {
  if (!hasPasswordLogin)
    throw new ApiError('forbidden', { detail: 'passwords are switched off; use the identity provider' });
}

/** Throws unless a code of the person's app, or one of the recovery codes, is given. Each counts once, and guesses are limited. */
export async function requireSecondFactor(
  db: Database,
  person: Person,
  code: string | undefined,
  { keys }: Pick<LoginDeps, 'keys'>,
): Promise<void> {
  if (person.totp_confirmed_at === null || person.totp_secret_encrypted === null) return;
  if (code === undefined)
    throw new ApiError('totp_required', { detail: 'send the code of your authenticator app as "code"' });
  const secret = keys.decrypt(person.totp_secret_encrypted, TOTP_PURPOSE);
  await limitFailures(db, codeLimits(person.id), async () => {
    const step = findStep(secret, code.trim(), nowMs(), person.totp_step);
    const isValid =
      step === undefined
        ? await useRecoveryCode(db, person.id, hashRecoveryCode(code))
        : await useTotpStep(db, person.id, step);
    if (!isValid) throw new ApiError('unauthorized', { detail: 'the code is wrong or was used already' });
  });
}

/** Finds the person with an address and a password, and a code if one is needed. Failures are limited. */
export async function authenticate(
  db: Database,
  { email, password, code }: Login,
  address: string,
  deps: LoginDeps,
): Promise<Person> {
  requirePasswordLogin(deps);
  return limitFailures(db, loginLimits(email, address), async () => {
    const person = await findPersonByEmail(db, email);
    const hash = person?.password_hash ?? null;
    if (!(await deps.passwords.verify(password, hash)) || !person || hash === null) throw wrong();
    await requireSecondFactor(db, person, code, deps);
    if (!deps.passwords.isOutdated(hash)) return person;
    const fresh = await deps.passwords.hash(password);
    if (await replacePasswordHash(db, person.id, hash, fresh)) return { ...person, password_hash: fresh };
    // Another login was faster, or the password has changed.
    const stored = await findPerson(db, person.id);
    if (!stored || !(await deps.passwords.verify(password, stored.password_hash))) throw wrong();
    return stored;
  });
}

/** Throws unless the password is that of the person who has logged in. Failures are limited as at the login. */
export async function requireOwnPassword(
  db: Database,
  personId: string,
  password: string | undefined,
  address: string,
  deps: LoginDeps,
): Promise<Person> {
  const person = await findPerson(db, personId);
  if (!person) throw wrong();
  if (person.password_hash === null)
    throw new ApiError('forbidden', {
      detail: 'you have no password; you log in over the identity provider',
    });
  return limitFailures(db, loginLimits(person.email, address), async () => {
    if (!(await deps.passwords.verify(password ?? '', person.password_hash)))
      throw new ApiError('unauthorized', { detail: 'the password is wrong' });
    return person;
  });
}

/** Locks a person, and throws if the password that was checked has been replaced meanwhile. */
export async function requireSamePassword(
  tx: Queryable,
  { id, password_hash }: Pick<Person, 'id' | 'password_hash'>,
): Promise<void> {
  if ((await requireLockedPerson(tx, id)).password_hash !== password_hash) throw wrong();
}

/**
 * Begins a session and sets its cookie. The session of the cookie that was sent ends: its value is never used again. Somebody who
 * has logged in with a password is given with its hash.
 */
export async function beginSession(
  call: Pick<SessionCall, 'cookie' | 'address' | 'agent' | 'setCookie' | 'actAs'>,
  db: Database,
  person: Pick<Person, 'id' | 'password_hash'> | Pick<Person, 'id'>,
  { sessions }: Pick<LoginDeps, 'sessions'>,
): Promise<SessionInfo> {
  const { cookie } = call;
  const { created, endedId } = await db.systemTransaction(async (tx) => {
    if ('password_hash' in person) await requireSamePassword(tx, person);
    return {
      endedId: cookie === undefined ? undefined : await endSessionOf(tx, cookie),
      created: await createSession(tx, person.id, call),
    };
  });
  if (endedId !== undefined) sessions.forget(endedId);
  call.setCookie(created.cookie, created.maxAgeSeconds);
  call.actAs(person.id);
  return describeSession(db, created.id);
}
