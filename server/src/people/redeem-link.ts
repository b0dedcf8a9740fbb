import { createTenant } from '../access/tenants.ts';
import { emailKey } from '../base/email.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import type { SessionCall } from '../http/call.ts';
import { joinTenant, linkPerson, requireUser } from '../users/user.ts';
import { limitFailures, linkLimits } from './failures.ts';
import { requireLink, type StoredLink, useLink } from './links.ts';
import {
  authenticate,
  beginSession,
  type LoginDeps,
  requirePasswordLogin,
  requireSecondFactor,
} from './login.ts';
import { findPasswordIssue } from './password-rules.ts';
import {
  createPerson,
  endOldAccess,
  findPerson,
  findPersonByEmail,
  makeOperator,
  type Person,
  requireLockedPerson,
  setPassword,
  setTotp,
} from './person.ts';
import { FIRST_TENANT, type LinkUse, type SessionInfo } from './schema.ts';

type RedeemCall = SessionCall<undefined, LinkUse>;

const firstTenant = systemStatement<[], { id: string | null }>(
  'people.first_tenant',
  `select coalesce(
     (select t.id from installation i join visible_tenants t on t.id = i.demo_tenant_id),
     (select t.id from visible_tenants t order by t.created_at, t.id limit 1)) as id`,
);

/** Redeems a link and logs its holder in. Failures of links are limited by themselves, not as failed logins. */
export async function redeemLink(call: RedeemCall, db: Database, deps: LoginDeps): Promise<SessionInfo> {
  const personId = await limitFailures(db, linkLimits(call.address), async () => {
    const link = await requireLink(db, call.body.token);
    switch (link.kind) {
      case 'invitation':
        return acceptInvitation(call, db, link, deps);
      case 'reset':
        return resetPassword(call, db, link, deps);
      case 'login':
        return link.person_id === null
          ? createOperator(call, db, link, deps)
          : enterAs(call, db, link.person_id, link, deps);
    }
  });
  deps.sessions.forget(personId);
  return beginSession(call, db, { id: personId }, deps);
}

/** The hash of the new password in the body; null if passwords are switched off. */
async function hashNewPassword(
  { body: { password } }: RedeemCall,
  email: string,
  { passwords, hasPasswordLogin }: LoginDeps,
): Promise<string | null> {
  if (!hasPasswordLogin) return null;
  if (password === undefined) throw invalidParam('password', 'invalid_type', 'Required');
  const issue = findPasswordIssue('password', password, email);
  if (issue) throw issue;
  return passwords.hash(password);
}

/**
 * Somebody who has an account proves that it is theirs: by the session of this browser, or by the password. The link alone proves
 * nothing, because the inviting user has it, too.
 */
async function requireProof(call: RedeemCall, db: Database, person: Person, deps: LoginDeps): Promise<void> {
  if ((await findLoggedIn(call, deps)) === person.id) return;
  const { password, code } = call.body;
  if (password === undefined)
    throw invalidParam(
      'password',
      'invalid_type',
      'Required: log in first, or send the password of your account',
    );
  const login = { email: person.email, password, ...(code === undefined ? {} : { code }) };
  await authenticate(db, login, call.address, deps);
}

/** The id of the person whose session the cookie belongs to; undefined without a valid one. */
async function findLoggedIn({ cookie }: RedeemCall, { sessions }: LoginDeps): Promise<string | undefined> {
  try {
    return cookie === undefined ? undefined : (await sessions.find(cookie)).personId;
  } catch {
    return undefined;
  }
}

async function acceptInvitation(
  call: RedeemCall,
  db: Database,
  link: StoredLink,
  deps: LoginDeps,
): Promise<string> {
  const tenantId = link.tenant_id as string;
  const user = await requireUser(db.forTenant(tenantId), link.user_id as string);
  const existing = await findPersonByEmail(db, user.email);
  if (existing) await requireProof(call, db, existing, deps);
  const passwordHash = existing ? null : await hashNewPassword(call, user.email, deps);
  return db.systemTransaction(async (tx) => {
    const now = new Date(nowMs());
    if (existing) await endOldAccess(tx, existing.id, deps.oidc?.issuer, now);
    await useLink(tx, link.id);
    const { email } = user;
    const person =
      existing ?? (await createPerson(tx, { email, name: call.body.name ?? user.name, passwordHash }, now));
    if (!(await linkPerson(tx.forTenant(tenantId), user.id, person.id)))
      throw new ApiError('conflict', { detail: 'somebody logs in as this user already' });
    return person.id;
  });
}

async function resetPassword(
  call: RedeemCall,
  db: Database,
  link: StoredLink,
  deps: LoginDeps,
): Promise<string> {
  requirePasswordLogin(deps);
  const person = await findPerson(db, link.person_id as string);
  if (!person) throw new ApiError('unauthorized', { detail: 'the account has been deleted' });
  const hash = await hashNewPassword(call, person.email, deps);
  await requireSecondFactor(db, person, call.body.code, deps);
  await db.systemTransaction(async (tx) => {
    await requireLockedPerson(tx, person.id);
    await useLink(tx, link.id);
    await setPassword(tx, person.id, hash, new Date(nowMs()));
  });
  return person.id;
}

/** The operator has made the link: it replaces a lost password and a lost second factor. */
async function enterAs(
  call: RedeemCall,
  db: Database,
  personId: string,
  link: StoredLink,
  deps: LoginDeps,
): Promise<string> {
  const person = await findPerson(db, personId);
  if (!person) throw new ApiError('unauthorized', { detail: 'the account has been deleted' });
  const hash = call.body.password === undefined ? undefined : await hashNewPassword(call, person.email, deps);
  const noTotp = { secret: null, confirmedAt: null, step: null, recoveryCodes: [] };
  await db.systemTransaction(async (tx) => {
    const now = new Date(nowMs());
    const { password_hash } = await requireLockedPerson(tx, person.id);
    await useLink(tx, link.id);
    await setTotp(tx, person.id, noTotp, now);
    await setPassword(tx, person.id, hash === undefined ? password_hash : hash, now);
  });
  return person.id;
}

/** The first person: an operator who owns the demo tenant, or else the oldest, or else a new one. */
async function createOperator(
  call: RedeemCall,
  db: Database,
  link: StoredLink,
  deps: LoginDeps,
): Promise<string> {
  const { name, email = link.email ?? undefined, tenantName = FIRST_TENANT } = call.body;
  if (email === undefined) throw invalidParam('email', 'invalid_type', 'Required');
  if (link.email !== null && emailKey(link.email) !== emailKey(email))
    throw invalidParam('email', 'custom', 'The link is for another address');
  if (await findPersonByEmail(db, email))
    throw new ApiError('conflict', {
      detail: 'somebody with this address exists; make a link with: parley login-link --email',
    });
  const passwordHash = await hashNewPassword(call, email, deps);
  const [localPart = email] = email.split('@');
  return db.systemTransaction(async (tx) => {
    await useLink(tx, link.id);
    const now = new Date(nowMs());
    const person = await createPerson(tx, { email, name: name ?? localPart, passwordHash }, now);
    await makeOperator(tx, person.id, now);
    const tenantId =
      (await tx.find(firstTenant, []))?.id ?? (await createTenant(tx, { name: tenantName }, now)).id;
    await joinTenant(tx.forTenant(tenantId), {
      email,
      name: person.name,
      personId: person.id,
      role: 'owner',
    });
    return person.id;
  });
}
