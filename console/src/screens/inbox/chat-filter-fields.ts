import { useText } from '../../i18n/i18n.tsx';
import type { FilterField } from '../../ui/filter.ts';
import { chatFilters, QUIET, WAITING } from './chat-filter.ts';
import { useChannels, useLabels, useTeams, useUsers } from './data.ts';

const STATUSES = ['open', 'snoozed', 'closed'] as const;
type Field = keyof typeof chatFilters;

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
  return (Object.keys(chatFilters) as Field[]).map((id) => ({
    id,
    title: t(`views.field.${id}`),
    describe: (value) => {
      const name = options[id].find((one) => one.value === value)?.label ?? value;
      return `${t(`views.field.${id}`)}: ${name}`;
    },
    options: options[id],
  }));
}
