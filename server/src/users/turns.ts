import type { Chat } from '../chats/schema.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const lockTeams = statement<[ids: string[]], { id: string }>(
  'teams.lock_turns',
  // After chats and runs, and before users. A team is deleted after its chats are locked, too.
  'select id from teams where id = any ($1::uuid[]) and tenant_id = $tenant order by id for no key update',
);

/** SQL: whether member m, who is user u, may get the chat of channel $2. Viewers answer nobody. */
const CAN_ANSWER = `u.role <> 'viewer' and not u.is_away and (
    u.access = 'all' or u.role in ('owner', 'admin') or exists (
      select 1 from team_members o join team_channels tc on tc.team_id = o.team_id
       where o.user_id = u.id and tc.channel_id = $2 and (tc.tenant_id = $tenant) is true))`;
const MEMBERS = `team_members m join users u on u.id = m.user_id and (u.tenant_id = m.tenant_id) is true`;

const keepTurn = statement<[teamId: string, channelId: string, userId: string], { user_id: string }>(
  'team_members.keep_turn',
  `select m.user_id from ${MEMBERS}
    where m.team_id = $1 and m.tenant_id = $tenant and m.user_id = $3 and ${CAN_ANSWER} for key share of u skip locked`,
);
const nextTurn = statement<
  [teamId: string, channelId: string, maxOpenChats: number | null],
  { user_id: string }
>(
  'team_members.take_turn',
  // A user who is being deleted is skipped: nobody waits for one another.
  `with chosen as (
     select m.user_id from ${MEMBERS}
      where m.team_id = $1 and m.tenant_id = $tenant and ${CAN_ANSWER}
        and ($3::int is null or $3 > (
          select count(*) from visible_chats k
           where k.assigned_user_id = u.id and k.tenant_id = u.tenant_id and k.status = 'open'))
      order by m.last_turn nulls first, m.created_at, m.user_id limit 1 for key share of u skip locked)
   update team_members m
      set last_turn = (select coalesce(max(t.last_turn), 0) + 1 from team_members t where t.team_id = $1)
     from chosen c where m.team_id = $1 and m.user_id = c.user_id and (m.tenant_id = $tenant) is true returning m.user_id`,
);
const countMembers = statement<[teamId: string, channelId: string], { members: number; available: number }>(
  'team_members.count_available',
  `select count(*)::int as members, count(*) filter (where ${CAN_ANSWER})::int as available
     from ${MEMBERS} where m.team_id = $1 and m.tenant_id = $tenant`,
);

/** Locks teams whose members take turns, so that two transactions never choose the same turn, nor wait for each other. */
export async function lockTurns(tx: TenantTx, teamIds: string[]): Promise<void> {
  if (teamIds.length > 0) await tx.all(lockTeams, [teamIds]);
}

/** Who gets a chat, or why nobody does. */
export type Turn =
  | { userId: string; isKept?: true }
  | { userId: null; reason: 'no_members' | 'nobody_available' | 'all_at_limit' };

/**
 * Chooses the member of a team who has waited longest for a chat. A member who has the chat already keeps it. The caller has
 * locked the team, and stores the assignment in the same transaction.
 */
export async function takeTurn(
  tx: TenantTx,
  { teamId, maxOpenChats, chat }: { teamId: string; maxOpenChats: number | null; chat: Chat },
): Promise<Turn> {
  const { channelId, assignedUserId } = chat;
  if (assignedUserId !== null && (await tx.find(keepTurn, [teamId, channelId, assignedUserId])))
    return { userId: assignedUserId, isKept: true };
  const next = await tx.find(nextTurn, [teamId, channelId, maxOpenChats]);
  if (next) return { userId: next.user_id };
  const { members = 0, available = 0 } = (await tx.find(countMembers, [teamId, channelId])) ?? {};
  if (members === 0) return { userId: null, reason: 'no_members' };
  return { userId: null, reason: available === 0 ? 'nobody_available' : 'all_at_limit' };
}
