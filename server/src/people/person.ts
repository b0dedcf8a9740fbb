import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { isUniqueViolation } from '../db/errors.ts';
import type { Queryable } from '../db/queryable.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { systemStatement } from '../db/statement.ts';

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
const personByEmail = systemStatement<[email: string], Person>(
  'people.by_email',
  `select ${COLUMNS} from people where lower(email) = lower($1)`,
);
const lockPerson = systemStatement<[id: string], Person>(
  'people.lock',
  `select ${COLUMNS} from people where id = $1 for no key update`,
);
const updatePassword = systemStatement<[id: string, hash: string | null, now: Date]>(
  'people.update_password',
  'update people set password_hash = $2, updated_at = $3 where id = $1',
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
    .find(insertPerson, [newId(), email, name, passwordHash, isOperator, now])
    .catch((error) => {
      throw isUniqueViolation(error, 'people_email')
        ? new ApiError('conflict', { detail: 'somebody with this email address has just joined; log in' })
        : error;
    });
  return row as Person;
}

export const findPerson = (db: Pick<Queryable, 'find'>, id: string): Promise<Person | undefined> =>
  db.find(personById, [id]);

export const findPersonByEmail = (db: Pick<Queryable, 'find'>, email: string): Promise<Person | undefined> =>
  db.find(personByEmail, [email]);

/** Locks a person until the transaction ends. Throws `unauthorized` for one that was deleted. */
export async function requireLockedPerson(tx: Queryable, id: string): Promise<Person> {
  const person = await tx.find(lockPerson, [id]);
  if (!person) throw new ApiError('unauthorized', { detail: 'the account has been deleted' });
  return person;
}

export const setName = async (tx: Queryable, id: string, name: string, now: Date): Promise<void> =>
  void (await tx.run(updateName, [id, name, now]));

export const setPassword = async (tx: Queryable, id: string, hash: string | null, now: Date): Promise<void> =>
  void (await tx.run(updatePassword, [id, hash, now]));

/** Replaces the hash of the same password, unless the password has changed meanwhile. */
export const replacePasswordHash = async (
  db: Queryable,
  id: string,
  before: string,
  hash: string,
): Promise<void> => void (await db.run(replaceHash, [id, before, hash]));

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
