import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { User } from './schema.ts';

interface UserRow {
  id: string;
  name: string;
  email: string;
  role: User['role'];
  created_at: Date;
  updated_at: Date;
}

export const USER_COLUMNS = 'id, name, email, role, created_at, updated_at';

const insertUser = statement<[id: string, name: string, email: string, role: string, now: Date], UserRow>(
  'users.insert',
  `insert into users (id, tenant_id, name, email, role, created_at, updated_at) values ($1, $tenant, $2, $3, $4, $5, $5)
   on conflict (tenant_id, lower(email)) do nothing returning ${USER_COLUMNS}`,
);
const userById = statement<[id: string], UserRow>(
  'users.by_id',
  `select ${USER_COLUMNS} from users where id = $1 and tenant_id = $tenant`,
);
const updateUser = statement<
  [id: string, name: string | null, email: string | null, role: string | null, now: Date],
  UserRow
>(
  'users.update',
  `update users set name = coalesce($2, name), email = coalesce($3, email), role = coalesce($4, role), updated_at = $5
    where id = $1 and tenant_id = $tenant returning ${USER_COLUMNS}`,
);
const deleteUser = statement<[id: string]>(
  'users.delete',
  // The chats that lose their user are locked in the order of ids, as everywhere.
  `with assigned as (
     select id from visible_chats where assigned_user_id = $1 and tenant_id = $tenant order by id for no key update)
   delete from users where id = $1 and tenant_id = $tenant and (select count(*) from assigned) >= 0`,
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

/** Creates a user. If several requests create the same one at once, one succeeds. */
export async function createUser(
  tx: TenantTx,
  { name, email, role }: Pick<User, 'name' | 'email' | 'role'>,
): Promise<User> {
  const row = await tx.find(insertUser, [newId(), name, email, role, tx.now]);
  if (!row) throw taken(email);
  return presentUser(row);
}

export async function requireUser(db: TenantReader, userId: string): Promise<User> {
  const row = isUuid(userId) ? await db.find(userById, [userId]) : undefined;
  if (!row) throw new ApiError('user_not_found');
  return presentUser(row);
}

export async function changeUser(
  tx: TenantTx,
  userId: string,
  change: Partial<Pick<User, 'name' | 'email' | 'role'>>,
): Promise<User> {
  if (!isUuid(userId)) throw new ApiError('user_not_found');
  const { name = null, email = null, role = null } = change;
  const row = await tx.find(updateUser, [userId, name, email, role, tx.now]).catch((error) => {
    throw isUniqueViolation(error, 'users_email') ? taken(email as string) : error;
  });
  if (!row) throw new ApiError('user_not_found');
  return presentUser(row);
}

/** Deletes a user, also from every team and every assigned chat, and returns whether the user existed. */
export async function removeUser(tx: TenantTx, userId: string): Promise<boolean> {
  return isUuid(userId) && (await tx.run(deleteUser, [userId])) === 1;
}
