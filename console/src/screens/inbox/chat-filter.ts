import { type FilterText, type FilterTexts, oneOf, written } from '../../ui/filter.ts';

export const WAITING = ['PT1H', 'PT4H', 'P1D'] as const;
export const QUIET = ['P1D', 'P7D', 'P30D'] as const;

const olderThan = (field: string, ages: readonly string[]): FilterText =>
  oneOf(Object.fromEntries(ages.map((age) => [age, `lt(${field},now("-${age}"))`])));

/** How conditions about chats are written. */
export const chatFilters = {
  status: written('eq', 'status'),
  assignee: oneOf(
    { me: 'eq(assignedUserId,me())', nobody: 'isNull(assignedUserId)' },
    written('eq', 'assignedUserId'),
  ),
  team: oneOf({ mine: 'in(assignedTeamId,myTeams())' }, written('eq', 'assignedTeamId')),
  channel: written('eq', 'channelId'),
  label: written('in', 'labelIds'),
  unread: oneOf({ yes: 'eq(isUnread,true)', no: 'eq(isUnread,false)' }),
  waiting: olderThan('waitingSince', WAITING),
  quiet: olderThan('latestMessageAt', QUIET),
} satisfies FilterTexts;
