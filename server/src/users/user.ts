import { emailKey } from '../base/email.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import { isUniqueViolation } from '../db/errors.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { hasScope, type Principal } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import { endLinksOf } from '../people/person.ts';
import { type Role, roleScopes } from './roles.ts';
import type { NewUser, User, UserChange } from './schema.ts';

interface UserRow {
  id: string;
  name: string;
  email: string;
  role: Role;
  access: User['access'];
  is_away: boolean;
  person_id: string | null;
  /** Until when the newest invitation can be accepted; null without one. */
  invited_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const USER_COLUMNS = `u.id, u.name, u.email, u.role, u.access, u.is_away, u.person_id, u.created_at, u.updated_at,
  (select max(l.expires_at) from person_links l
    where l.user_id = u.id and l.tenant_id = u.tenant_id and l.used_at is null) as invited_until`;

const insertUser = statement<
  [id: string, name: string, email: string, role: string, access: string, now: Date],
  UserRow
>(
  'users.insert',
  `insert into users as u (id, tenant_id, name, email, role, access, created_at, updated_at)
   values ($1, $tenant, $2, $3, $4, $5, $6, $6)
   on conflict (tenant_id, lower(email)) do nothing returning ${USER_COLUMNS}`,
);
const userById = statement<[id: string], UserRow>(
  'users.by_id',
  `select ${USER_COLUMNS} from users u where u.id = $1 and u.tenant_id = $tenant`,
);
const lockUser = statement<[id: string], UserRow>(
  'users.lock',
  `select ${USER_COLUMNS} from users u where u.id = $1 and u.tenant_id = $tenant for no key update`,
);
const lockOwners = statement<[], { id: string }>(
  'users.lock_owners',
  // All of them, so that two owners cannot remove each other at the same time.
  `select id from users where tenant_id = $tenant and role = 'owner' and person_id is not null
    order by id for no key update`,
);
const updateUser = statement<
  [
    id: string,
    name: string | null,
    email: string | null,
    role: string | null,
    access: string | null,
    now: Date,
    isAway: boolean | null,
  ],
  UserRow
>(
  'users.update',
  `update users u set name = coalesce($2, u.name), email = coalesce($3, u.email), role = coalesce($4, u.role),
          access = coalesce($5, u.access), is_away = coalesce($7, u.is_away), updated_at = $6
    where u.id = $1 and u.tenant_id = $tenant returning ${USER_COLUMNS}`,
);
const setAway = statement<[id: string, isAway: boolean, now: Date], UserRow>(
  'users.set_away',
  `update users u set is_away = $2, updated_at = $3 where u.id = $1 and u.tenant_id = $tenant returning ${USER_COLUMNS}`,
);
const deleteUser = statement<[id: string]>(
  'users.delete',
  // The chats that lose their user are locked in the order of ids, as everywhere.
  `with assigned as (
     select id from visible_chats where assigned_user_id = $1 and tenant_id = $tenant order by id for no key update)
   delete from users where id = $1 and tenant_id = $tenant and (select count(*) from assigned) >= 0`,
);
const setPerson = statement<[id: string, personId: string, now: Date]>(
  'users.set_person',
  'update users set person_id = $2, updated_at = $3 where id = $1 and tenant_id = $tenant and person_id is null',
);

const renameOfPerson = systemStatement<[personId: string, name: string, now: Date]>(
  'users.rename_of_person',
  'update users set name = $2, updated_at = $3 where person_id = $1',
);

function invitationOf({ person_id, invited_until }: UserRow): User['invitation'] {
  if (person_id !== null) return 'accepted';
  if (invited_until === null) return 'none';
  return invited_until.getTime() > nowMs() ? 'pending' : 'expired';
}

export const presentUser = (row: UserRow): User => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  access: row.access,
  isAway: row.is_away,
  hasLogin: row.person_id !== null,
  invitation: invitationOf(row),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const taken = (email: string) =>
  invalidParam('email', 'custom', `There is already a user with the email ${email}`);

/** Throws unless the caller has every right of a role: nobody gives more than they have, and owners are managed by owners. */
function requireRightsOf(principal: Principal, role: Role): void {
  if (!roleScopes[role].every((scope) => hasScope(principal, scope)))
    throw new ApiError('forbidden', { detail: `you lack rights of the role "${role}"` });
}

/** Somebody without a login has no rights, whatever the role: an owner is the exception, because the role says so. */
function requireRightsOver(principal: Principal, row: UserRow, newRole: Role = row.role): void {
  const canLogIn = row.person_id !== null || invitationOf(row) === 'pending';
  for (const role of [row.role, newRole]) if (canLogIn || role === 'owner') requireRightsOf(principal, role);
}

async function requireAnotherOwner(tx: TenantTx, userId: string): Promise<void> {
  const owners = await tx.all(lockOwners, []);
  if (owners.length === 1 && owners[0]?.id === userId)
    throw new ApiError('conflict', {
      detail: 'this is the last owner who can log in; make somebody else an owner first',
    });
}

/** Creates a user. If several requests create the same one at once, one succeeds. */
export async function createUser(
  tx: TenantTx,
  { name, email, role, access = 'all' }: NewUser,
  principal?: Principal,
): Promise<User> {
  if (role === 'owner' && principal) requireRightsOf(principal, role);
  const row = await tx.find(insertUser, [newId(), name, emailKey(email), role, access, tx.now]);
  if (!row) throw taken(email);
  return presentUser(row);
}

export async function findUser(db: TenantReader, userId: string): Promise<User | undefined> {
  const row = isUuid(userId) ? await db.find(userById, [userId]) : undefined;
  return row && presentUser(row);
}

export async function requireUser(db: TenantReader, userId: string): Promise<User> {
  const user = await findUser(db, userId);
  if (!user) throw new ApiError('user_not_found');
  return user;
}

async function requireLocked(tx: TenantTx, userId: string): Promise<UserRow> {
  const row = isUuid(userId) ? await tx.find(lockUser, [userId]) : undefined;
  if (!row) throw new ApiError('user_not_found');
  return row;
}

/** Locks a user whom the caller may invite, and returns the person who logs in as this user, if there is one. */
export async function requireManagedUser(
  tx: TenantTx,
  userId: string,
  principal: Principal,
): Promise<{ id: string; email: string; name: string; personId: string | null }> {
  const row = await requireLocked(tx, userId);
  requireRightsOf(principal, row.role);
  return { id: row.id, email: row.email, name: row.name, personId: row.person_id };
}

export async function changeUser(
  tx: TenantTx,
  userId: string,
  change: UserChange,
  principal: Principal,
): Promise<User> {
  const before = await requireLocked(tx, userId);
  requireRightsOver(principal, before, change.role);
  if (before.role === 'owner' && change.role !== undefined && change.role !== 'owner')
    await requireAnotherOwner(tx, before.id);
  const { name = null, email, role = null, access = null, isAway = null } = change;
  const key = email === undefined ? null : emailKey(email);
  const values = [before.id, name, key, role, access, tx.now, isAway] as const;
  const row = await tx.find(updateUser, [...values]).catch((error) => {
    throw isUniqueViolation(error, 'users_email') ? taken(email as string) : error;
  });
  if (!row) throw new ApiError('user_not_found');
  return presentUser(row);
}

/** Says whether a user is away: then the user gets no chats in turn. */
export async function setAvailability(tx: TenantTx, userId: string, isAway: boolean): Promise<User> {
  const row = await tx.find(setAway, [userId, isAway, tx.now]);
  if (!row) throw new ApiError('user_not_found');
  return presentUser(row);
}

/** Deletes a user, also from every team and every assigned chat, and returns whether the user existed. */
export async function removeUser(tx: TenantTx, userId: string, principal: Principal): Promise<boolean> {
  const row = isUuid(userId) ? await tx.find(lockUser, [userId]) : undefined;
  if (!row) return false;
  requireRightsOver(principal, row);
  if (row.role === 'owner') await requireAnotherOwner(tx, row.id);
  if (row.person_id !== null) await endLinksOf(tx, row.person_id);
  return (await tx.run(deleteUser, [row.id])) === 1;
}

/** Gives the users as whom a person logs in a new name, in every tenant. */
export const renameUsersOf = async (
  tx: Queryable,
  personId: string,
  name: string,
  now: Date,
): Promise<void> => void (await tx.run(renameOfPerson, [personId, name, now]));

/** Lets a person log in as a user. Returns false if somebody does already, or if the user was deleted. */
export async function linkPerson(tx: TenantTx, userId: string, personId: string): Promise<boolean> {
  const linked = await tx.run(setPerson, [userId, personId, tx.now]).catch((error) => {
    throw isUniqueViolation(error, 'users_person')
      ? new ApiError('conflict', { detail: 'you are a user of this tenant already' })
      : error;
  });
  return linked === 1;
}

const userOfPerson = statement<[personId: string], { id: string }>(
  'users.of_person',
  'select id from users where person_id = $1 and tenant_id = $tenant',
);
/** Whether a person is a user of the tenant. */
export const isMember = async (tx: TenantTx, personId: string): Promise<boolean> =>
  (await tx.find(userOfPerson, [personId])) !== undefined;

const insertMember = statement<
  [id: string, name: string, email: string, personId: string, role: string, now: Date],
  { id: string }
>(
  'users.insert_member',
  // A user with that address gets the login, unless somebody logs in as that user.
  `insert into users as u (id, tenant_id, name, email, role, person_id, created_at, updated_at)
   select $1, t.id, $2, $3, $5, $4, $6, $6 from visible_tenants t where t.id = $tenant
   on conflict (tenant_id, lower(email)) do update
     set role = case when excluded.role = 'owner' then excluded.role else u.role end, person_id = excluded.person_id,
         updated_at = excluded.updated_at
     where u.person_id is null
   returning u.id`,
);

/** Makes a person a user of the tenant, with a role if the person is new there. Returns false for a user of the tenant, who stays one. */
export async function joinTenant(
  tx: TenantTx,
  { email, name, personId, role }: { email: string; name: string; personId: string; role: Role },
): Promise<boolean> {
  if (await isMember(tx, personId)) return false;
  return (await tx.run(insertMember, [newId(), name, emailKey(email), personId, role, tx.now])) === 1;
}
