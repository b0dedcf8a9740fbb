import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { NewTeam, Team, TeamChange } from './schema.ts';

interface TeamRow {
  id: string;
  name: string;
  user_ids: string[];
  channel_ids: string[];
  created_at: Date;
  updated_at: Date;
}

export const TEAM_COLUMNS = `t.id, t.name, t.created_at, t.updated_at,
  array(select m.user_id from team_members m where m.team_id = t.id order by m.created_at, m.user_id) as user_ids,
  array(select tc.channel_id from team_channels tc where tc.team_id = t.id order by tc.created_at, tc.channel_id) as channel_ids`;

const insertTeam = statement<[id: string, name: string, now: Date], { id: string }>(
  'teams.insert',
  `insert into teams (id, tenant_id, name, created_at, updated_at) values ($1, $tenant, $2, $3, $3)
   on conflict (tenant_id, lower(name)) do nothing returning id`,
);
const teamById = statement<[id: string], TeamRow>(
  'teams.by_id',
  `select ${TEAM_COLUMNS} from teams t where t.id = $1 and t.tenant_id = $tenant`,
);
const updateTeam = statement<[id: string, name: string | null, now: Date, base: Date | null], { id: string }>(
  'teams.update',
  `update teams set name = coalesce($2, name), updated_at = $3
    where id = $1 and tenant_id = $tenant and ($4::timestamptz is null or updated_at = $4) returning id`,
);
const setMembers = statement<[teamId: string, userIds: string[], now: Date], { user_id: string }>(
  'teams.set_members',
  `with gone as (delete from team_members where team_id = $1 and user_id <> all ($2::uuid[])),
   known as (select id from users where tenant_id = $tenant and id = any ($2::uuid[])),
   added as (
     insert into team_members (team_id, user_id, tenant_id, created_at) select $1, id, $tenant, $3 from known
     on conflict do nothing)
   select id as user_id from known`,
);
const setChannels = statement<[teamId: string, channelIds: string[], now: Date], { channel_id: string }>(
  'teams.set_channels',
  `with gone as (delete from team_channels where team_id = $1 and channel_id <> all ($2::uuid[])),
   known as (select id from visible_channels where tenant_id = $tenant and id = any ($2::uuid[])),
   added as (
     insert into team_channels (team_id, channel_id, tenant_id, created_at) select $1, id, $tenant, $3 from known
     on conflict do nothing)
   select id as channel_id from known`,
);
const deleteTeam = statement<[id: string]>(
  'teams.delete',
  // The chats that lose their team are locked in the order of ids, as everywhere.
  `with assigned as (
     select id from visible_chats where assigned_team_id = $1 and tenant_id = $tenant order by id for no key update)
   delete from teams where id = $1 and tenant_id = $tenant and (select count(*) from assigned) >= 0`,
);

export const presentTeam = (row: TeamRow): Team => ({
  id: row.id,
  name: row.name,
  userIds: row.user_ids,
  channelIds: row.channel_ids,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const taken = (name: string) => invalidParam('name', 'custom', `There is already a team "${name}"`);

/** Replaces the members of a team. Throws an issue for each user that does not exist. */
async function replaceMembers(tx: TenantTx, teamId: string, userIds: string[]): Promise<void> {
  const known = new Set((await tx.all(setMembers, [teamId, userIds, tx.now])).map((row) => row.user_id));
  const issues = collectIssues();
  for (const [index, id] of userIds.entries())
    if (!known.has(id.toLowerCase())) issues.add(`userIds.${index}`, 'custom', `There is no user ${id}`);
  issues.throwIfAny();
}

/** Replaces the channels of a team. Throws an issue for each channel that does not exist. */
async function replaceChannels(tx: TenantTx, teamId: string, channelIds: string[]): Promise<void> {
  const rows = await tx.all(setChannels, [teamId, channelIds, tx.now]);
  const known = new Set(rows.map((row) => row.channel_id));
  const issues = collectIssues();
  for (const [index, id] of channelIds.entries())
    if (!known.has(id.toLowerCase()))
      issues.add(`channelIds.${index}`, 'custom', `There is no channel ${id}`);
  issues.throwIfAny();
}

/** Creates a team. If several requests create the same one at once, one succeeds. */
export async function createTeam(
  tx: TenantTx,
  { name, userIds = [], channelIds = [] }: NewTeam,
): Promise<Team> {
  const inserted = await tx.find(insertTeam, [newId(), name, tx.now]);
  if (!inserted) throw taken(name);
  await replaceMembers(tx, inserted.id, userIds);
  await replaceChannels(tx, inserted.id, channelIds);
  return requireTeam(tx, inserted.id);
}

export async function requireTeam(db: TenantReader, teamId: string): Promise<Team> {
  const row = isUuid(teamId) ? await db.find(teamById, [teamId]) : undefined;
  if (!row) throw new ApiError('team_not_found');
  return presentTeam(row);
}

/**
 * Changes the given fields; `userIds` replaces the members, and `channelIds` the channels. With a base, a team that somebody has
 * changed since stays as it is.
 */
export async function changeTeam(
  tx: TenantTx,
  teamId: string,
  { name, userIds, channelIds, baseUpdatedAt }: TeamChange,
): Promise<Team> {
  if (!isUuid(teamId)) throw new ApiError('team_not_found');
  const base = baseUpdatedAt === undefined ? null : new Date(baseUpdatedAt);
  const found = await tx.find(updateTeam, [teamId, name ?? null, tx.now, base]).catch((error) => {
    throw isUniqueViolation(error, 'teams_name') ? taken(name as string) : error;
  });
  if (!found) {
    await requireTeam(tx, teamId);
    throw new ApiError('conflict', {
      detail: 'the team was changed meanwhile; read it again, and change it then',
    });
  }
  if (userIds) await replaceMembers(tx, found.id, userIds);
  if (channelIds) await replaceChannels(tx, found.id, channelIds);
  return requireTeam(tx, found.id);
}

/** Deletes a team, also from every assigned chat, and returns whether it existed. */
export async function removeTeam(tx: TenantTx, teamId: string): Promise<boolean> {
  return isUuid(teamId) && (await tx.run(deleteTeam, [teamId])) === 1;
}
