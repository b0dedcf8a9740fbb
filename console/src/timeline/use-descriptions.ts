import { searchAutomations, searchTeams, searchUsers, type TimelineItem } from '@parley/sdk';
import { useAttributes } from '../api/attributes.ts';
import { isChannelKind } from '../api/channel-kinds.ts';
import { useAll } from '../api/lists.ts';
import { useScope } from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';

type Change = TimelineItem['changes'][number];

const FIELDS = [
  'status',
  'snoozedUntil',
  'assignedUserId',
  'assignedTeamId',
  'firstName',
  'lastName',
  'language',
  'timezone',
  'isSubscribed',
  'handles',
  'labels',
  'metadata',
] as const;
const VALUES = ['open', 'snoozed', 'closed', 'subscribed', 'unsubscribed', 'true', 'false'] as const;
const isOneOf = <T extends string>(known: readonly T[], text: string): text is T =>
  known.some((one) => one === text);

/** What items of a timeline say, with the names of people, teams, automations and attributes. */
export function useDescriptions() {
  const t = useText();
  const canReadUsers = useScope('users:read');
  const users = useAll(['users'], searchUsers, { enabled: canReadUsers });
  const teams = useAll(['teams'], searchTeams, { enabled: canReadUsers });
  const automations = useAll(['automations'], searchAutomations, { enabled: useScope('automations:read') });
  const attributes = useAttributes();
  const nameOf = (all: readonly { id: string; name: string }[] | undefined, id: string): string | undefined =>
    all?.find((one) => one.id === id)?.name;

  const describe = ({ type, author, automationId }: TimelineItem): string => {
    const automation =
      (automationId === null ? undefined : nameOf(automations.data, automationId)) ??
      t('contacts.runOfDeleted');
    return t(`timeline.${type}`, { author: author?.name ?? t('timeline.somebody'), automation });
  };

  const describeField = (field: string): string => {
    if (isOneOf(FIELDS, field)) return t(`timeline.field.${field}`);
    const [group = '', name = ''] = field.split(/\.(.*)/s);
    if (group === 'subscriptions' && isChannelKind(name)) return t(`kind.${name}`);
    return attributes.data?.find(({ externalId }) => externalId === name)?.name ?? name;
  };
  const describeValue = (field: string, value: string): string => {
    if (field === 'assignedUserId') return nameOf(users.data, value) ?? t('timeline.somebody');
    if (field === 'assignedTeamId') return nameOf(teams.data, value) ?? value;
    const isWord = field === 'status' || field === 'isSubscribed' || field.startsWith('subscriptions.');
    return isWord && isOneOf(VALUES, value) ? t(`timeline.value.${value}`) : value;
  };
  const describeChange = ({ field, from, to }: Change): string => {
    const name = describeField(field);
    const show = (value: string | null): string => (value === null ? '–' : describeValue(field, value));
    return from === null ? `${name}: ${show(to)}` : `${name}: ${show(from)} → ${show(to)}`;
  };
  return { describe, describeChange };
}
