import { emailKey } from '../base/email.ts';
import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { isUniqueViolation } from '../db/errors.ts';
import type { Queryable } from '../db/queryable.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

export interface Person {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  is_operator: boolean;
  totp_secret_encrypted: Buffer | null;
  totp_confirmed_at: Date | null;
  totp_step: number | null;
  recovery_code_hashes: Buffer[];
}

const COLUMNS = `id, email, name, password_hash, is_operator, totp_secret_encrypted, totp_confirmed_at, totp_step,
  recovery_code_hashes`;

export const TOTP_PURPOSE = 'people.totp_secret';
export const encryptedTotp: EncryptedColumn = {
  table: 'people',
  column: 'totp_secret_encrypted',
  key: [['id', 'uuid']],
  purpose: TOTP_PURPOSE,
};

const insertPerson = systemStatement<
  [id: string, email: string, name: string, hash: string | null, isOperator: boolean, now: Date],
  Person
>(
  'people.insert',
  `insert into people (id, email, name, password_hash, is_operator, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $6) returning ${COLUMNS}`,
);
const personById = systemStatement<[id: string], Person>(
  'people.by_id',
  `select ${COLUMNS} from people where id = $1`,
);
const peopleByEmail = systemStatement<[emails: string[]], Person>(
  'people.by_email',
  // Also those who were stored as they were written.
  `select ${COLUMNS} from people where lower(email) = any (array(select lower(e) from unnest($1::text[]) as e))`,
);
const lockPerson = systemStatement<[id: string], Person>(
  'people.lock',
  `select ${COLUMNS} from people where id = $1 for no key update`,
);
const updatePassword = systemStatement<[id: string, hash: string | null, now: Date]>(
  'people.update_password',
  `with links as (delete from person_links where person_id = $1 and used_at is null),
   ended as (delete from sessions where person_id = $1)
   update people set password_hash = $2, updated_at = $3 where id = $1`,
);
const deleteLinks = systemStatement<[personId: string]>(
  'person_links.delete_of_person',
  'delete from person_links where person_id = $1 and used_at is null',
);
const deleteLinksInTenant = statement(
  'person_links.delete_in_tenant',
  `delete from person_links l using users u
    where u.person_id = l.person_id and u.tenant_id = $tenant and l.used_at is null`,
);
const issuersOf = systemStatement<[personId: string], { issuer: string }>(
  'person_identities.issuers',
  'select distinct issuer from person_identities where person_id = $1',
);
const updateEmail = systemStatement<[id: string, email: string, now: Date]>(
  'people.update_email',
  'update people set email = $2, updated_at = $3 where id = $1',
);
const updateName = systemStatement<[id: string, name: string, now: Date]>(
  'people.update_name',
  'update people set name = $2, updated_at = $3 where id = $1',
);
const replaceHash = systemStatement<[id: string, before: string, hash: string]>(
  'people.replace_hash',
  'update people set password_hash = $3 where id = $1 and password_hash = $2',
);
const updateTotp = systemStatement<
  [
    id: string,
    secret: Buffer | null,
    confirmedAt: Date | null,
    step: number | null,
    codes: Buffer[],
    now: Date,
  ]
>(
  'people.update_totp',
  `update people set totp_secret_encrypted = $2, totp_confirmed_at = $3, totp_step = $4, recovery_code_hashes = $5,
          updated_at = $6 where id = $1`,
);
const useStep = systemStatement<[id: string, step: number]>(
  'people.use_totp_step',
  'update people set totp_step = $2 where id = $1 and (totp_step is null or totp_step < $2)',
);
const useCode = systemStatement<[id: string, hash: Buffer]>(
  'people.use_recovery_code',
  `update people set recovery_code_hashes = array_remove(recovery_code_hashes, $2)
    where id = $1 and $2 = any (recovery_code_hashes)`,
);
const setOperator = systemStatement<[id: string, now: Date]>(
  'people.set_operator',
  'update people set is_operator = true, updated_at = $2 where id = $1',
);

export interface NewPerson {
  email: string;
  name: string;
  passwordHash: string | null;
  isOperator?: boolean;
}

/** Creates a person. If two links for one address are redeemed at once, one succeeds. */
export async function createPerson(
  tx: Queryable,
  { email, name, passwordHash, isOperator = false }: NewPerson,
  now: Date,
): Promise<Person> {
  const row = await tx
    .find(insertPerson, [newId(), emailKey(email), name, passwordHash, isOperator, now])
    .catch(explainTaken);
  return row as Person;
}

function explainTaken(error: unknown): never {
  throw isUniqueViolation(error, 'people_email')
    ? new ApiError('conflict', { detail: 'somebody with this email address has just joined; log in' })
    : error;
}

export const findPerson = (db: Pick<Queryable, 'find'>, id: string): Promise<Person | undefined> =>
  db.find(personById, [id]);

export async function findPersonByEmail(
  db: Pick<Queryable, 'all'>,
  email: string,
): Promise<Person | undefined> {
  const key = emailKey(email);
  const found = await db.all(peopleByEmail, [[key, email]]);
  return found.find((person) => emailKey(person.email) === key);
}

/** Locks a person until the transaction ends. Throws `unauthorized` for one that was deleted. */
export async function requireLockedPerson(tx: Queryable, id: string): Promise<Person> {
  const person = await tx.find(lockPerson, [id]);
  if (!person) throw new ApiError('unauthorized', { detail: 'the account has been deleted' });
  return person;
}

/**
 * Gives a person the address that the identity provider has verified, unless it is that of somebody else. Links that were mailed to
 * the address before end: it may belong to another by now.
 */
export async function followEmail(tx: Queryable, person: Person, email: string, now: Date): Promise<void> {
  const key = emailKey(email);
  if (emailKey(person.email) === key || (await findPersonByEmail(tx, email))) return;
  await tx.run(updateEmail, [person.id, key, now]).catch(explainTaken);
  await endLinksOf(tx, person.id);
}

export const setName = async (tx: Queryable, id: string, name: string, now: Date): Promise<void> =>
  void (await tx.run(updateName, [id, name, now]));

/**
 * Replaces or removes a password. All sessions of the person end, and all links that were not used: one of
 * them may be the reason for the change. Lock the person first, so that of two links used at once one works.
 */
export const setPassword = async (tx: Queryable, id: string, hash: string | null, now: Date): Promise<void> =>
  void (await tx.run(updatePassword, [id, hash, now]));

/** The links of a person that were not used stop working. */
export const endLinksOf = async (tx: Pick<Queryable, 'run'>, personId: string): Promise<void> =>
  void (await tx.run(deleteLinks, [personId]));

/** The same for everybody who is a user of the tenant. */
export const endLinksInTenant = async (tx: Pick<TenantTx, 'run'>): Promise<void> =>
  void (await tx.run(deleteLinksInTenant, []));

/**
 * Somebody joins another tenant. An admin of the tenant before may have a link for a new password, or may have used one without the
 * person noticing, who logs in over the identity provider: neither leads into the new tenant. Who is known to another provider only,
 * such as one that was configured before, keeps the password: there is no other way to log in.
 */
export async function endOldAccess(
  tx: Queryable,
  personId: string,
  issuer: string | undefined,
  now: Date,
): Promise<void> {
  await requireLockedPerson(tx, personId);
  const known = issuer === undefined ? [] : await tx.all(issuersOf, [personId]);
  if (known.some((one) => isSameIssuer(one.issuer, issuer as string)))
    await setPassword(tx, personId, null, now);
  else await endLinksOf(tx, personId);
}

/** The provider may write its own address with or without the slash at the end. */
const isSameIssuer = (one: string, another: string): boolean =>
  one === another || (URL.canParse(one) && new URL(one).href === new URL(another).href);

/** Replaces the hash of the same password, unless the password has changed meanwhile. Returns whether it did. */
export const replacePasswordHash = async (
  db: Queryable,
  id: string,
  before: string,
  hash: string,
): Promise<boolean> => (await db.run(replaceHash, [id, before, hash])) === 1;

interface Totp {
  secret: Buffer | null;
  confirmedAt: Date | null;
  step: number | null;
  recoveryCodes: Buffer[];
}

export const setTotp = async (
  tx: Queryable,
  id: string,
  { secret, confirmedAt, step, recoveryCodes }: Totp,
  now: Date,
): Promise<void> => void (await tx.run(updateTotp, [id, secret, confirmedAt, step, recoveryCodes, now]));

/** Notes that the code of a step was used. Returns false if it was used before. */
export const useTotpStep = async (db: Queryable, id: string, step: number): Promise<boolean> =>
  (await db.run(useStep, [id, step])) === 1;

/** Uses up a recovery code. Returns whether it was one. */
export const useRecoveryCode = async (db: Queryable, id: string, hash: Buffer): Promise<boolean> =>
  (await db.run(useCode, [id, hash])) === 1;

export const makeOperator = async (tx: Queryable, id: string, now: Date): Promise<void> =>
  void (await tx.run(setOperator, [id, now]));
