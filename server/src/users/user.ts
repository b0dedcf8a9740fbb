import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { User } from './schema.ts';

export interface UserRow {
  id: string;
  name: string;
  email: string;
  role: User['role'];
  created_at: Date;
  updated_at: Date;
}

export const USER_COLUMNS = 'id, name, email, role, created_at, updated_at';

const insertUser = statement<
  [id: string, tenantId: string, name: string, email: string, role: string, now: Date],
  UserRow
>(
  'users.insert',
  `insert into users (id, tenant_id, name, email, role, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
   on conflict (tenant_id, lower(email)) do nothing returning ${USER_COLUMNS}`,
);
const userById = statement<[id: string, tenantId: string], UserRow>(
  'users.by_id',
  `select ${USER_COLUMNS} from users where id = $1 and tenant_id = $2`,
);
const updateUser = statement<
  [id: string, tenantId: string, name: string | null, email: string | null, role: string | null, now: Date],
  UserRow
>(
  'users.update',
  `update users set name = coalesce($3, name), email = coalesce($4, email), role = coalesce($5, role), updated_at = $6
    where id = $1 and tenant_id = $2 returning ${USER_COLUMNS}`,
);
const deleteUser = statement<[id: string, tenantId: string]>(
  'users.delete',
  'delete from users where id = $1 and tenant_id = $2',
);

export const presentUser = (row: UserRow): User => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const taken = (email: string) =>
  invalidParam('email', 'custom', `There is already a user with the email ${email}`);

/** Makes a user. Of many who make the same one at once, one succeeds. */
export async function createUser(
  tx: Tx,
  tenantId: string,
  { name, email, role }: Pick<User, 'name' | 'email' | 'role'>,
  now: Date,
): Promise<User> {
  const row = await tx.find(insertUser, [newId(), tenantId, name, email, role, now]);
  if (!row) throw taken(email);
  return presentUser(row);
}

export async function requireUser(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  userId: string,
): Promise<User> {
  const row = isUuid(userId) ? await db.find(userById, [userId, tenantId]) : undefined;
  if (!row) throw new ApiError('user_not_found');
  return presentUser(row);
}

export async function changeUser(
  tx: Tx,
  tenantId: string,
  userId: string,
  change: Partial<Pick<User, 'name' | 'email' | 'role'>>,
  now: Date,
): Promise<User> {
  if (!isUuid(userId)) throw new ApiError('user_not_found');
  const { name = null, email = null, role = null } = change;
  const row = await tx.find(updateUser, [userId, tenantId, name, email, role, now]).catch((error) => {
    throw isUniqueViolation(error, 'users_email') ? taken(email as string) : error;
  });
  if (!row) throw new ApiError('user_not_found');
  return presentUser(row);
}

/** Deletes a user, who then leaves every team and every chat, and says whether there was one. */
export async function removeUser(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  return isUuid(userId) && (await tx.run(deleteUser, [userId, tenantId])) === 1;
}
