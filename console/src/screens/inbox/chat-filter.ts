import { useText } from '../../i18n/i18n.tsx';
import { type FilterField, type FilterText, oneOf, written } from '../../ui/filter.ts';
import { useChannels, useLabels, useTeams, useUsers } from './data.ts';

const WAITING = ['PT1H', 'PT4H', 'P1D'] as const;
const QUIET = ['P1D', 'P7D', 'P30D'] as const;
const STATUSES = ['open', 'snoozed', 'closed'] as const;

const olderThan = (field: string, ages: readonly string[]): FilterText =>
  oneOf(Object.fromEntries(ages.map((age) => [age, `lt(${field},now("-${age}"))`])));

/** How each condition is written in the language of filters. */
const TEXTS = {
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
} satisfies Record<string, FilterText>;
type Field = keyof typeof TEXTS;

const named = (items: readonly { id: string; name: string }[] | undefined) =>
  (items ?? []).map(({ id, name }) => ({ value: id, label: name }));

/** What chats can be filtered by. */
export function useChatFields(): FilterField[] {
  const t = useText();
  const options: Record<Field, readonly { value: string; label: string }[]> = {
    status: STATUSES.map((value) => ({ value, label: t(`inbox.status.${value}`) })),
    assignee: [
      { value: 'me', label: t('views.me') },
      { value: 'nobody', label: t('inbox.nobody') },
      ...named(useUsers().data),
    ],
    team: [{ value: 'mine', label: t('views.myTeams') }, ...named(useTeams().data)],
    channel: named(useChannels().data),
    label: named(useLabels().data),
    unread: [
      { value: 'yes', label: t('views.yes') },
      { value: 'no', label: t('views.no') },
    ],
    waiting: WAITING.map((value) => ({ value, label: t(`views.${value}`) })),
    quiet: QUIET.map((value) => ({ value, label: t(`views.${value}`) })),
  };
  return (Object.keys(TEXTS) as Field[]).map((id) => ({
    ...TEXTS[id],
    id,
    title: t(`views.field.${id}`),
    describe: (value) => {
      const name = options[id].find((one) => one.value === value)?.label ?? value;
      return `${t(`views.field.${id}`)}: ${name}`;
    },
    options: options[id],
  }));
}
