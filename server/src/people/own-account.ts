import { ApiError } from '../base/errors.ts';
import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import type { SessionCall } from '../http/call.ts';
import type { Session } from '../http/sessions.ts';
import { renameUsersOf } from '../users/user.ts';
import { limitFailures, loginLimits } from './failures.ts';
import {
  beginSession,
  type LoginDeps,
  requireOwnPassword,
  requirePasswordLogin,
  requireSamePassword,
  requireSecondFactor,
} from './login.ts';
import { findPasswordIssue } from './password-rules.ts';
import {
  findPerson,
  type Person,
  requireLockedPerson,
  setName,
  setPassword,
  setTotp,
  TOTP_PURPOSE,
} from './person.ts';
import type { SessionInfo } from './schema.ts';
import { findStep, hashRecoveryCode, newRecoveryCodes, newTotpSecret, totpUri } from './totp.ts';

type OwnCall = Pick<SessionCall, 'cookie' | 'address' | 'agent' | 'setCookie' | 'actAs'> & {
  session: Session;
};

const ISSUER = 'Parley';
const NO_TOTP = { secret: null, confirmedAt: null, step: null, recoveryCodes: [] };

async function requirePerson(db: Database, { session }: OwnCall): Promise<Person> {
  const person = await findPerson(db, session.personId);
  if (!person) throw new ApiError('unauthorized', { detail: 'the account has been deleted' });
  return person;
}

/** Changes the name of a person, also as a user of every tenant. */
export const changeOwnName = (db: Database, personId: string, name: string): Promise<void> =>
  db.systemTransaction(async (tx) => {
    const now = new Date(nowMs());
    await requireLockedPerson(tx, personId);
    await setName(tx, personId, name, now);
    await renameUsersOf(tx, personId, name, now);
  });

/** Changes the password of the person who has logged in. All other sessions and all links end, and this session gets a new cookie. */
export async function changeOwnPassword(
  call: OwnCall,
  db: Database,
  { current, next }: { current: string; next: string },
  deps: LoginDeps,
): Promise<SessionInfo> {
  requirePasswordLogin(deps);
  const person = await requireOwnPassword(db, call.session.personId, current, call.address, deps);
  const issue = findPasswordIssue('next', next, person.email);
  if (issue) throw issue;
  const hash = await deps.passwords.hash(next);
  await db.systemTransaction(async (tx) => {
    await requireSamePassword(tx, person);
    await setPassword(tx, person.id, hash, new Date(nowMs()));
  });
  deps.sessions.forget(person.id);
  return beginSession(call, db, { ...person, password_hash: hash }, deps);
}

/** Creates a secret for the authenticator app. It has no effect before a code confirms that the app has it. */
export async function enrolTotp(
  call: OwnCall,
  db: Database,
  password: string | undefined,
  deps: LoginDeps,
): Promise<{ secret: string; uri: string }> {
  const person = await requirePerson(db, call);
  if (person.password_hash !== null && deps.hasPasswordLogin)
    await requireOwnPassword(db, person.id, password, call.address, deps);
  const secret = newTotpSecret();
  await db.systemTransaction(async (tx) => {
    const { totp_confirmed_at } = await requireLockedPerson(tx, person.id);
    if (totp_confirmed_at !== null)
      throw new ApiError('conflict', { detail: 'two-factor login is on already; switch it off first' });
    const pending = { ...NO_TOTP, secret: deps.keys.encrypt(secret, TOTP_PURPOSE) };
    await setTotp(tx, person.id, pending, new Date(nowMs()));
  });
  return { secret, uri: totpUri(secret, person.email, ISSUER) };
}

/** Switches two-factor login on, and returns the recovery codes. */
export async function confirmTotp(
  call: OwnCall,
  db: Database,
  code: string,
  { keys }: LoginDeps,
): Promise<{ recoveryCodes: string[] }> {
  const person = await requirePerson(db, call);
  return limitFailures(db, loginLimits(person.email, call.address), () =>
    db.systemTransaction(async (tx) => {
      const { totp_secret_encrypted, totp_confirmed_at } = await requireLockedPerson(tx, person.id);
      if (totp_secret_encrypted === null || totp_confirmed_at !== null)
        throw new ApiError('conflict', {
          detail: 'there is nothing to confirm; start with POST /v3/session/totp',
        });
      const step = findStep(keys.decrypt(totp_secret_encrypted, TOTP_PURPOSE), code.trim(), nowMs(), null);
      if (step === undefined) throw new ApiError('unauthorized', { detail: 'the code is wrong' });
      const recoveryCodes = newRecoveryCodes();
      const now = new Date(nowMs());
      const confirmed = {
        secret: totp_secret_encrypted,
        confirmedAt: now,
        step,
        recoveryCodes: recoveryCodes.map(hashRecoveryCode),
      };
      await setTotp(tx, person.id, confirmed, now);
      return { recoveryCodes };
    }),
  );
}

/** Switches two-factor login off. Needs a code, so that a stolen session cannot. */
export async function disableTotp(call: OwnCall, db: Database, code: string, deps: LoginDeps): Promise<void> {
  const person = await requirePerson(db, call);
  if (person.totp_confirmed_at === null)
    throw new ApiError('conflict', { detail: 'two-factor login is not on' });
  await limitFailures(db, loginLimits(person.email, call.address), () =>
    requireSecondFactor(db, person, code, deps),
  );
  await db.systemTransaction((tx) => setTotp(tx, person.id, NO_TOTP, new Date(nowMs())));
}
