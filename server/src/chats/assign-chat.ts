import { takeOverChats } from '../automations/runs/take-over.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { type ChatState, changeChats, OF_IDS, requireChanged } from './change-chat.ts';
import type { Chat } from './schema.ts';

const updateAssignment = statement<
  [
    ids: string[],
    setsUser: boolean,
    userId: string | null,
    setsTeam: boolean,
    teamId: string | null,
    now: Date,
  ]
>(
  'chats.update_assignment',
  // Another user decides again about a pause that was set by hand.
  `update visible_chats set assigned_user_id = case when $2 then $3::uuid else assigned_user_id end,
          assigned_team_id = case when $4 then $5::uuid else assigned_team_id end, updated_at = $6,
          automation_pause = case when not $2 or assigned_user_id is not distinct from $3 then automation_pause end
    ${OF_IDS}`,
);

const knownAssignees = statement<
  [userId: string | null, teamId: string | null],
  { has_user: boolean; has_team: boolean }
>(
  'chats.known_assignees',
  `select exists (select 1 from users where id = $1 and tenant_id = $tenant) as has_user,
          exists (select 1 from teams where id = $2 and tenant_id = $tenant) as has_team`,
);

/** Null removes an assignment, undefined keeps it. */
export interface AssignmentChange {
  userId?: string | null | undefined;
  teamId?: string | null | undefined;
}

/** Adds an issue for a user or a team that does not exist. */
export async function validateAssignees(
  tx: TenantTx,
  { userId = null, teamId = null }: AssignmentChange,
  issues: Issues,
): Promise<void> {
  const known = await tx.find(knownAssignees, [userId, teamId]);
  if (userId !== null && !known?.has_user) issues.add('userId', 'custom', `There is no user ${userId}`);
  if (teamId !== null && !known?.has_team) issues.add('teamId', 'custom', `There is no team ${teamId}`);
}

/** Assigns chats to a user and a team. If a person does that for a user, what automations wait for in the chats ends. */
export const assignChats = (
  tx: TenantTx,
  chatIds: readonly string[],
  change: AssignmentChange,
  by: 'person' | 'automation',
): Promise<string[]> => {
  const userId = change.userId?.toLowerCase() ?? change.userId;
  const teamId = change.teamId?.toLowerCase() ?? change.teamId;
  const isOtherUser = (chat: ChatState) => userId !== undefined && userId !== chat.assigned_user_id;
  const isOtherTeam = (chat: ChatState) => teamId !== undefined && teamId !== chat.assigned_team_id;
  return changeChats(tx, chatIds, {
    event: 'chat.assigned',
    validate: async () => {
      const issues = collectIssues();
      await validateAssignees(tx, change, issues);
      issues.throwIfAny();
    },
    isChange: (chat) => isOtherUser(chat) || isOtherTeam(chat),
    write: async (chats, ids) => {
      tx.enqueue(updateAssignment, [
        ids,
        userId !== undefined,
        userId ?? null,
        teamId !== undefined,
        teamId ?? null,
        tx.now,
      ]);
      if (by === 'person' && userId != null)
        await takeOverChats(
          tx,
          chats.filter(isOtherUser).map(({ id }) => id),
        );
    },
    // The members of a team are notified if nobody has the chat yet.
    factsOf: (chat) => ({
      assigned: {
        userId: isOtherUser(chat) ? userId : null,
        teamId:
          isOtherTeam(chat) && (userId === undefined ? chat.assigned_user_id : userId) === null
            ? teamId
            : null,
      },
    }),
  });
};

export const assignChat = async (
  tx: TenantTx,
  chatId: string,
  change: AssignmentChange,
  by: 'person' | 'automation',
): Promise<Chat> => requireChanged(tx, await assignChats(tx, [chatId], change, by));
