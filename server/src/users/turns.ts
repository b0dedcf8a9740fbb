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
    where m.team_id = $1 and m.tenant_id = $tenant and m.user_id = $3 and ${CAN_ANSWER}
    limit 1 for key share of u skip locked`,
);
/**
 * SQL for the member whose turn it is. No more open chats are read than are allowed. A user who is being deleted is skipped:
 * nobody waits for one another.
 */
const chooseMember = (order: string): string => `select m.user_id from ${MEMBERS}
      where m.team_id = $1 and m.tenant_id = $tenant and ${CAN_ANSWER}
        and ($3::int is null or not exists (
          select 1 from visible_chats k
           where k.assigned_user_id = u.id and k.tenant_id = u.tenant_id and k.status = 'open' offset $3 - 1 limit 1))
      order by ${order}m.last_turn nulls first, m.created_at, m.user_id limit 1 for key share of u skip locked`;
const nextTurn = statement<
  [teamId: string, channelId: string, maxOpenChats: number | null],
  { user_id: string }
>(
  'team_members.take_turn',
  `with chosen as (${chooseMember('')})
   update team_members m
      set last_turn = (select coalesce(max(t.last_turn), 0) + 1 from team_members t where t.team_id = $1)
     from chosen c where m.team_id = $1 and m.user_id = c.user_id and (m.tenant_id = $tenant) is true returning m.user_id`,
);
const nextSimulatedTurn = statement<
  [teamId: string, channelId: string, maxOpenChats: number | null, takenIds: string[]],
  { user_id: string }
>(
  'team_members.next_simulated_turn',
  // Those who have taken one come last, in the order in which they took it.
  chooseMember('array_position($4::uuid[], m.user_id) nulls first, '),
);
const countMembers = statement<[teamId: string, channelId: string], { members: number; available: number }>(
  'team_members.count_available',
  `select count(*)::int as members, count(*) filter (where ${CAN_ANSWER})::int as available
     from ${MEMBERS} where m.team_id = $1 and m.tenant_id = $tenant`,
);

/** Who gets a chat, or why nobody does. */
type Turn =
  | { userId: string; isKept?: true }
  | { userId: null; reason: 'no_members' | 'nobody_available' | 'all_at_limit' };

interface TurnRequest {
  teamId: string;
  maxOpenChats: number | null;
  chat: Chat;
}

/** The members of teams take turns. */
export interface Turns {
  /** Locks teams, so that two transactions never choose the same turn, nor wait for each other. Before any turn is taken. */
  lock(tx: TenantTx, teamIds: string[]): Promise<void>;
  /**
   * Chooses the member who has waited longest for a chat. A member who has the chat already keeps it. The caller stores the
   * assignment in the same transaction.
   */
  take(tx: TenantTx, request: TurnRequest): Promise<Turn>;
}

async function takeTurn(
  tx: TenantTx,
  { teamId, channelId, assignedUserId }: { teamId: string; channelId: string; assignedUserId: string | null },
  findNext: () => Promise<{ user_id: string } | undefined>,
): Promise<Turn> {
  if (assignedUserId !== null && (await tx.find(keepTurn, [teamId, channelId, assignedUserId])))
    return { userId: assignedUserId, isKept: true };
  const next = await findNext();
  if (next) return { userId: next.user_id };
  const { members = 0, available = 0 } = (await tx.find(countMembers, [teamId, channelId])) ?? {};
  if (members === 0) return { userId: null, reason: 'no_members' };
  return { userId: null, reason: available === 0 ? 'nobody_available' : 'all_at_limit' };
}

export const storedTurns: Turns = {
  async lock(tx, teamIds) {
    if (teamIds.length > 0) await tx.all(lockTeams, [teamIds]);
  },
  take: (tx, { teamId, maxOpenChats, chat }) =>
    takeTurn(tx, { ...chat, teamId }, () => tx.find(nextTurn, [teamId, chat.channelId, maxOpenChats])),
};

/**
 * The turns of a simulation. They are kept in memory: a lock, or a turn that is written, would let every run that assigns to the
 * team wait until the simulation ends.
 */
export function simulateTurns(): Turns {
  const taken = new Map<string, string[]>();
  return {
    async lock() {},
    async take(tx, { teamId, maxOpenChats, chat }) {
      const takenIds = taken.get(teamId) ?? [];
      const turn = await takeTurn(tx, { ...chat, teamId }, () =>
        tx.find(nextSimulatedTurn, [teamId, chat.channelId, maxOpenChats, takenIds]),
      );
      if (turn.userId !== null && !('isKept' in turn))
        taken.set(teamId, [...takenIds.filter((id) => id !== turn.userId), turn.userId]);
      return turn;
    },
  };
}
