import { emailKey } from '../base/email.ts';
import { ApiError } from '../base/errors.ts';
import { nowMs } from '../base/time.ts';
import { systemStatement } from '../db/statement.ts';
import type { SystemTx } from '../db/transaction.ts';
import type { Role } from '../users/roles.ts';
import { isMember, joinTenant, linkPerson } from '../users/user.ts';
import { findInvitations, useLink } from './links.ts';
import {
  createPerson,
  endOldAccess,
  findPersonByEmail,
  followEmail,
  requireLockedPerson,
  setPassword,
  setTotp,
} from './person.ts';

/** Everybody with an address of the domain becomes a user of the tenant; of the only tenant if none is named. */
export interface AutoJoin {
  domain: string;
  role: Exclude<Role, 'owner'>;
  tenantId: string | undefined;
}

/** What the identity provider says about somebody. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Only an address that the provider has verified. */
  email: string | undefined;
  name: string | undefined;
}

const personOf = systemStatement<[issuer: string, subject: string], { person_id: string }>(
  'person_identities.find',
  'select person_id from person_identities where issuer = $1 and subject = $2',
);
const subjectsOf = systemStatement<[issuer: string, personId: string], { subject: string }>(
  'person_identities.subjects',
  'select subject from person_identities where issuer = $1 and person_id = $2',
);
const insertIdentity = systemStatement<[issuer: string, subject: string, personId: string, now: Date]>(
  'person_identities.insert',
  'insert into person_identities (issuer, subject, person_id, created_at) values ($1, $2, $3, $4)',
);
const someTenants = systemStatement<[], { id: string }>(
  'people.some_tenants',
  'select id from visible_tenants order by created_at, id limit 2',
);

/** The person who logs in over an identity provider: the subject decides, and the address only who is new. */
export async function findOrJoin(
  tx: SystemTx,
  identity: Identity,
  autoJoin: AutoJoin | undefined,
): Promise<string> {
  const { issuer, subject, email } = identity;
  const now = new Date(nowMs());
  const known = await tx.find(personOf, [issuer, subject]);
  if (email === undefined) {
    if (known) return known.person_id;
    throw new ApiError('forbidden', { reason: 'not_verified' });
  }
  const invitations = await findInvitations(tx, email);
  const joined = autoJoin && isOfDomain(email, autoJoin.domain) ? autoJoin : undefined;
  const personId =
    known?.person_id ??
    (await connect(tx, { ...identity, email }, invitations.length > 0 || joined !== undefined));
  const person = await requireLockedPerson(tx, personId);
  await followEmail(tx, person, email, now);
  let hasJoined = false;
  for (const { link_id, tenant_id, user_id } of invitations) {
    const tenant = tx.forTenant(tenant_id);
    if (await isMember(tenant, personId)) continue;
    await useLink(tx, link_id);
    hasJoined = (await linkPerson(tenant, user_id, personId)) || hasJoined;
  }
  if (joined) hasJoined = (await joinByDomain(tx, { ...identity, email, personId }, joined)) || hasJoined;
  if (hasJoined) await endOldAccess(tx, personId, issuer, now);
  return personId;
}

const isOfDomain = (email: string, domain: string): boolean =>
  emailKey(email).endsWith(`@${emailKey(domain)}`);

/**
 * Connects the provider's identity with the person who has the verified address. The creator of that account may not
 * have owned the address: its password, second factor and sessions end. A person whom the provider knows already under another
 * subject is somebody else, who had the address before.
 */
async function connect(
  tx: SystemTx,
  { issuer, subject, email, name }: Identity & { email: string },
  mayJoin: boolean,
): Promise<string> {
  const now = new Date(nowMs());
  const existing = await findPersonByEmail(tx, email);
  if (existing) {
    await requireLockedPerson(tx, existing.id);
    const subjects = (await tx.all(subjectsOf, [issuer, existing.id])).map((one) => one.subject);
    // Another request of the same person was faster.
    if (subjects.includes(subject)) return existing.id;
    if (subjects.length > 0) throw new ApiError('forbidden', { reason: 'other_account' });
    await setTotp(tx, existing.id, { secret: null, confirmedAt: null, step: null, recoveryCodes: [] }, now);
    await setPassword(tx, existing.id, null, now);
  } else if (!mayJoin) throw new ApiError('forbidden', { reason: 'not_invited' });
  const [localPart = email] = email.split('@');
  const person =
    existing ?? (await createPerson(tx, { email, name: name ?? localPart, passwordHash: null }, now));
  await tx.run(insertIdentity, [issuer, subject, person.id, now]);
  return person.id;
}

async function joinByDomain(
  tx: SystemTx,
  { email, name, personId }: { email: string; name: string | undefined; personId: string },
  { role, tenantId }: AutoJoin,
): Promise<boolean> {
  const [only, another] = await tx.all(someTenants, []);
  const chosen = tenantId ?? (another ? undefined : only?.id);
  if (chosen === undefined) return false;
  const [localPart = email] = email.split('@');
  return joinTenant(tx.forTenant(chosen), { email, name: name ?? localPart, personId, role });
}
