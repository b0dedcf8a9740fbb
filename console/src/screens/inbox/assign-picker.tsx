import type { Chat } from '@parley/sdk';
import { useWorkspace } from '../../api/session.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Assignment } from './actions.ts';
import { useTeams, useUsers } from './data.ts';
import { type Choice, Picker } from './picker.tsx';

interface AssignPickerProps {
  /** Who has it now, if there is one. */
  chosen?: Pick<Chat, 'assignedUserId' | 'assignedTeamId'>;
  /** `name` is undefined for nobody. */
  onPick: (assignment: Assignment, name: string | undefined) => void;
  onClose: () => void;
}

/** Who takes care of a chat: a user, a team, or nobody. */
export function AssignPicker({ chosen, onPick, onClose }: AssignPickerProps) {
  const { t, compare } = useTranslator();
  const { userId: me } = useWorkspace().membership;
  const readUsers = useUsers();
  const readTeams = useTeams();
  const users = readUsers.data ?? [];
  const teams = readTeams.data ?? [];
  const own = users.find(({ id }) => id === me);
  const others = users.filter(({ id }) => id !== me).sort((a, b) => compare(a.name, b.name));
  const choices: Choice[] = [
    ...(own ? [{ ...own, label: t('inbox.me', { name: own.name }) }] : []),
    ...others.map((user) => ({ ...user, label: user.name })),
  ].map(({ id, label, name }) => ({
    id: `user:${id}`,
    label,
    picture: <Avatar name={name} id={id} size="small" />,
    isChosen: chosen?.assignedUserId === id,
  }));
  for (const { id, name } of [...teams].sort((a, b) => compare(a.name, b.name)))
    choices.push({
      id: `team:${id}`,
      label: name,
      detail: t('inbox.team'),
      picture: <Icon name="people" />,
      isChosen: chosen?.assignedTeamId === id,
    });
  choices.push({
    id: 'nobody',
    label: t('inbox.nobody'),
    picture: <Icon name="close" />,
    isChosen: chosen !== undefined && chosen.assignedUserId === null && chosen.assignedTeamId === null,
  });
  const pick = (choice: string): void => {
    const [kind, target] = choice.split(':', 2);
    if (kind === 'user') onPick({ userId: target ?? null }, users.find((user) => user.id === target)?.name);
    else if (kind === 'team')
      onPick({ teamId: target ?? null, userId: null }, teams.find((team) => team.id === target)?.name);
    else onPick({ userId: null, teamId: null }, undefined);
  };
  return (
    <Picker
      title={t('inbox.assign')}
      placeholder={t('inbox.assignPlaceholder')}
      choices={choices}
      empty=""
      isWaiting={readUsers.isPending || readTeams.isPending}
      onPick={pick}
      onClose={onClose}
    />
  );
}
