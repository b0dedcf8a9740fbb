import { ApiError, type InvalidParams, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { Team } from './schema.ts';

export interface TeamRow {
  id: string;
  name: string;
  user_ids: string[];
  created_at: Date;
  updated_at: Date;
}

export const TEAM_COLUMNS = `t.id, t.name, t.created_at, t.updated_at,
  array(select m.user_id from team_members m where m.team_id = t.id order by m.created_at, m.user_id) as user_ids`;

const insertTeam = statement<[id: string, tenantId: string, name: string, now: Date], { id: string }>(
  'teams.insert',
  `insert into teams (id, tenant_id, name, created_at, updated_at) values ($1, $2, $3, $4, $4)
   on conflict (tenant_id, lower(name)) do nothing returning id`,
);
const teamById = statement<[id: string, tenantId: string], TeamRow>(
  'teams.by_id',
  `select ${TEAM_COLUMNS} from teams t where t.id = $1 and t.tenant_id = $2`,
);
const updateTeam = statement<[id: string, tenantId: string, name: string | null, now: Date], { id: string }>(
  'teams.update',
  'update teams set name = coalesce($3, name), updated_at = $4 where id = $1 and tenant_id = $2 returning id',
);
const setMembers = statement<
  [teamId: string, tenantId: string, userIds: string[], now: Date],
  { user_id: string }
>(
  'teams.set_members',
  `with gone as (delete from team_members where team_id = $1 and user_id <> all ($3::uuid[])),
   known as (select id from users where tenant_id = $2 and id = any ($3::uuid[])),
   added as (
     insert into team_members (team_id, user_id, tenant_id, created_at) select $1, id, $2, $4 from known
     on conflict do nothing)
   select id as user_id from known`,
);
const deleteTeam = statement<[id: string, tenantId: string]>(
  'teams.delete',
  'delete from teams where id = $1 and tenant_id = $2',
);

export const presentTeam = (row: TeamRow): Team => ({
  id: row.id,
  name: row.name,
  userIds: row.user_ids,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const taken = (name: string) => invalidParam('name', 'custom', `There is already a team "${name}"`);

/** Puts exactly these users into the team; an unknown one is refused at its path. */
async function replaceMembers(
  tx: Tx,
  tenantId: string,
  teamId: string,
  userIds: string[],
  now: Date,
): Promise<void> {
  const known = new Set(
    (await tx.all(setMembers, [teamId, tenantId, userIds, now])).map((row) => row.user_id),
  );
  const issues: InvalidParams = {};
  for (const [index, id] of userIds.entries())
    if (!known.has(id.toLowerCase()))
      issues[`userIds.${index}`] = { key: 'custom', message: `There is no user ${id}` };
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
}

/** Makes a team. Of many who make the same one at once, one succeeds. */
export async function createTeam(
  tx: Tx,
  tenantId: string,
  { name, userIds = [] }: { name: string; userIds?: string[] },
  now: Date,
): Promise<Team> {
  const made = await tx.find(insertTeam, [newId(), tenantId, name, now]);
  if (!made) throw taken(name);
  await replaceMembers(tx, tenantId, made.id, userIds, now);
  return requireTeam(tx, tenantId, made.id);
}

export async function requireTeam(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  teamId: string,
): Promise<Team> {
  const row = isUuid(teamId) ? await db.find(teamById, [teamId, tenantId]) : undefined;
  if (!row) throw new ApiError('team_not_found');
  return presentTeam(row);
}

/** Changes what is given; `userIds` replaces who is in the team. */
export async function changeTeam(
  tx: Tx,
  tenantId: string,
  teamId: string,
  { name, userIds }: { name?: string; userIds?: string[] },
  now: Date,
): Promise<Team> {
  if (!isUuid(teamId)) throw new ApiError('team_not_found');
  const found = await tx.find(updateTeam, [teamId, tenantId, name ?? null, now]).catch((error) => {
    throw isUniqueViolation(error, 'teams_name') ? taken(name as string) : error;
  });
  if (!found) throw new ApiError('team_not_found');
  if (userIds) await replaceMembers(tx, tenantId, found.id, userIds, now);
  return requireTeam(tx, tenantId, found.id);
}

/** Deletes a team, which then leaves every chat, and says whether there was one. */
export async function removeTeam(tx: Tx, tenantId: string, teamId: string): Promise<boolean> {
  return isUuid(teamId) && (await tx.run(deleteTeam, [teamId, tenantId])) === 1;
}
