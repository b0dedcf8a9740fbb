import { randomSecret, sha256 } from '../base/crypto.ts';
import { emailKey } from '../base/email.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Principal } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import { requireManagedUser } from '../users/user.ts';
import { endLinksOf, findPersonByEmail, requireLockedPerson } from './person.ts';
import type { PersonLink } from './schema.ts';
import { queueSystemMail, type SystemMailChannel } from './system-mail.ts';

const DAY_MS = 24 * 3600_000;
const LIFETIMES_MS = { invitation: 7 * DAY_MS, reset: DAY_MS, login: DAY_MS };
const TOKEN_BYTES = 32;
/** The page that redeems links. The token is a fragment, so that no server or proxy logs it. */
const PAGE = '/console/welcome';

export interface StoredLink {
  id: string;
  kind: keyof typeof LIFETIMES_MS;
  tenant_id: string | null;
  user_id: string | null;
  person_id: string | null;
  email: string | null;
}

const LINK_COLUMNS = 'l.id, l.kind, l.tenant_id, l.user_id, l.person_id, l.email';
const insertLink = systemStatement<
  [
    id: string,
    kind: string,
    tokenHash: Buffer,
    tenantId: string | null,
    userId: string | null,
    personId: string | null,
    email: string | null,
    now: Date,
    expiresAt: Date,
  ]
>(
  'person_links.insert',
  `insert into person_links (id, kind, token_hash, tenant_id, user_id, person_id, email, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const deleteOfUser = statement<[userId: string]>(
  'person_links.delete_of_user',
  'delete from person_links where user_id = $1 and tenant_id = $tenant and used_at is null',
);
const personOfUser = statement<[userId: string], { person_id: string | null }>(
  'people.of_user',
  'select person_id from users where id = $1 and tenant_id = $tenant',
);
const linkByToken = systemStatement<[tokenHash: Buffer, now: Date], StoredLink>(
  'person_links.by_token',
  `select ${LINK_COLUMNS} from person_links l where l.token_hash = $1 and l.used_at is null and l.expires_at > $2`,
);
const markUsed = systemStatement<[id: string, now: Date]>(
  'person_links.use',
  'update person_links set used_at = $2 where id = $1 and used_at is null and expires_at > $2',
);
interface PendingInvitation {
  link_id: string;
  tenant_id: string;
  user_id: string;
  email: string;
}
const pendingInvitations = systemStatement<[emails: string[], now: Date], PendingInvitation>(
  'person_links.pending_of_email',
  `select l.id as link_id, u.tenant_id, u.id as user_id, u.email
     from users u join person_links l on l.user_id = u.id and l.tenant_id = u.tenant_id
     join visible_tenants t on t.id = u.tenant_id
    where lower(u.email) = any (array(select lower(e) from unnest($1::text[]) as e)) and u.person_id is null and l.used_at is null and l.expires_at > $2`,
);
const sharedPerson = statement<[personId: string], { email: string; is_shared: boolean }>(
  'people.is_shared',
  `select p.email, p.is_operator or exists (
      select 1 from users u where u.person_id = p.id and u.tenant_id <> $tenant) as is_shared
     from people p where p.id = $1`,
);
const sweep = systemStatement<[before: Date]>(
  'person_links.sweep',
  'delete from person_links where expires_at < $1',
);

const firstLinkNeeded = systemStatement<[now: Date], { is_needed: boolean }>(
  'person_links.first_needed',
  `select not exists (select 1 from people)
          and not exists (select 1 from person_links where kind = 'login' and used_at is null and expires_at > $1)
          as is_needed`,
);

export type NewLink = Partial<Omit<StoredLink, 'id'>> & Pick<StoredLink, 'kind'>;

async function storeLink(
  tx: Pick<Queryable, 'run'>,
  link: NewLink,
  baseUrl: string,
): Promise<Omit<PersonLink, 'isMailed'>> {
  const token = randomSecret(TOKEN_BYTES);
  const now = nowMs();
  const expiresAt = new Date(now + LIFETIMES_MS[link.kind]);
  await tx.run(insertLink, [
    newId(),
    link.kind,
    sha256(token),
    link.tenant_id ?? null,
    link.user_id ?? null,
    link.person_id ?? null,
    link.email ?? null,
    new Date(now),
    expiresAt,
  ]);
  return { url: `${baseUrl}${PAGE}#${token}`, expiresAt: timestamp(expiresAt) };
}

/** A link that only a mail contains, beside those that exist. */
export const createMailedLink = (
  db: Pick<Queryable, 'run'>,
  link: NewLink,
  baseUrl: string,
): Promise<Omit<PersonLink, 'isMailed'>> => storeLink(db, link, baseUrl);

export interface LinkDeps {
  baseUrl: () => string;
  /** The channel for mails, if there is one. */
  systemMail: SystemMailChannel | undefined;
}

/**
 * Creates a link by which somebody becomes able to log in as a user, and mails another one. Earlier ones of the user stop
 * working.
 */
export async function createInvitation(
  tx: TenantTx,
  userId: string,
  principal: Principal,
  { baseUrl, systemMail }: LinkDeps,
): Promise<PersonLink> {
  const user = await requireManagedUser(tx, userId, principal);
  if (user.personId !== null)
    throw new ApiError('conflict', { detail: 'somebody logs in as this user already' });
  await tx.run(deleteOfUser, [user.id]);
  const link = { kind: 'invitation', tenant_id: tx.tenantId, user_id: user.id } as const;
  const isMailed = await queueSystemMail(tx, systemMail, {
    kind: 'invitation',
    email: user.email,
    user: { id: user.id, tenantId: tx.tenantId },
  });
  return { ...(await storeLink(tx, link, baseUrl())), isMailed };
}

/**
 * Creates a link by which the person who logs in as a user sets a new password. Not for somebody who belongs to another tenant too,
 * or who is an operator: the holder of the link could act there.
 */
export async function createReset(
  tx: TenantTx,
  userId: string,
  principal: Principal,
  { baseUrl, systemMail }: LinkDeps,
): Promise<PersonLink> {
  // The person first, as everywhere. Meanwhile nobody lets the person into another tenant.
  const personId = isUuid(userId) ? (await tx.find(personOfUser, [userId]))?.person_id : undefined;
  if (personId) await requireLockedPerson(tx, personId);
  const user = await requireManagedUser(tx, userId, principal);
  if (user.personId === null || user.personId !== personId)
    throw new ApiError('conflict', { detail: 'nobody logs in as this user; create an invitation' });
  const person = await tx.find(sharedPerson, [user.personId]);
  if (person?.is_shared)
    throw new ApiError('conflict', {
      detail:
        'this person has rights elsewhere, too; the operator makes a link with: parley login-link --email',
    });
  await endLinksOf(tx, user.personId);
  const isMailed =
    person !== undefined && (await queueSystemMail(tx, systemMail, { kind: 'reset', email: person.email }));
  return { ...(await storeLink(tx, { kind: 'reset', person_id: user.personId }, baseUrl())), isMailed };
}

/** Creates a link to log in: as the person with an address, or as a new operator. */
export async function createLoginLink(
  tx: Queryable,
  email: string | undefined,
  baseUrl: string,
): Promise<PersonLink> {
  const person = email === undefined ? undefined : await findPersonByEmail(tx, email);
  const link = { kind: 'login', person_id: person?.id ?? null, email: email ?? null } as const;
  return { ...(await storeLink(tx, link, baseUrl)), isMailed: false };
}

/** The link of the first person; undefined if somebody has an account, or a link to log in still works. */
export async function createFirstLink(tx: Queryable, baseUrl: string): Promise<PersonLink | undefined> {
  const row = await tx.find(firstLinkNeeded, [new Date(nowMs())]);
  return row?.is_needed ? createLoginLink(tx, undefined, baseUrl) : undefined;
}

const invalidLink = (): ApiError =>
  new ApiError('unauthorized', { detail: 'the link has expired or was used already; ask for a new one' });

export async function requireLink(db: Queryable, token: string): Promise<StoredLink> {
  const link = await db.find(linkByToken, [sha256(token), new Date(nowMs())]);
  if (!link) throw invalidLink();
  return link;
}

/** Uses a link up. Of two requests with one link, one succeeds. */
export async function useLink(tx: Queryable, linkId: string): Promise<void> {
  if ((await tx.run(markUsed, [linkId, new Date(nowMs())])) === 0) throw invalidLink();
}

/** The invitations that wait for somebody with an address. */
export async function findInvitations(tx: Queryable, email: string): Promise<PendingInvitation[]> {
  const key = emailKey(email);
  const found = await tx.all(pendingInvitations, [[key, email], new Date(nowMs())]);
  return found.filter((one) => emailKey(one.email) === key);
}

/** Links that have expired are kept for a while, so that a user's invitation is shown as expired. */
export const sweepLinks = async (db: Queryable, before: Date): Promise<void> =>
  void (await db.run(sweep, [before]));
