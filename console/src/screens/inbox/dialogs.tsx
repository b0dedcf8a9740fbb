import type { Chat } from '@parley/sdk';
import { useState } from 'react';
import { useWorkspace } from '../../api/session.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useChatActions } from './actions.ts';
import { useLabels, useTeams, useUsers } from './data.ts';
import { LabelDot } from './label-dot.tsx';
import styles from './picker.module.css';
import { type Choice, Picker } from './picker.tsx';

interface ChatDialogProps {
  chat: Chat;
  onClose: () => void;
}

/** Who takes care of the chat: a user, a team, or nobody. */
export function AssignDialog({ chat, onClose }: ChatDialogProps) {
  const { t, compare } = useTranslator();
  const { userId: me } = useWorkspace().membership;
  const users = useUsers().data ?? [];
  const teams = useTeams().data ?? [];
  const { assign } = useChatActions();
  const own = users.find(({ id }) => id === me);
  const others = users.filter(({ id }) => id !== me).sort((a, b) => compare(a.name, b.name));
  const choices: Choice[] = [
    ...(own ? [{ ...own, label: t('inbox.me', { name: own.name }) }] : []),
    ...others.map((user) => ({ ...user, label: user.name })),
  ].map(({ id, label, name }) => ({
    id: `user:${id}`,
    label,
    picture: <Avatar name={name} id={id} size="small" />,
    isChosen: chat.assignedUserId === id,
  }));
  for (const { id, name } of [...teams].sort((a, b) => compare(a.name, b.name)))
    choices.push({
      id: `team:${id}`,
      label: name,
      detail: t('inbox.team'),
      picture: <Icon name="people" />,
      isChosen: chat.assignedTeamId === id,
    });
  choices.push({
    id: 'nobody',
    label: t('inbox.nobody'),
    picture: <Icon name="close" />,
    isChosen: chat.assignedUserId === null && chat.assignedTeamId === null,
  });
  const pick = (id: string): void => {
    onClose();
    const [kind, target] = id.split(':', 2);
    if (kind === 'user')
      void assign(chat, { userId: target ?? null }, users.find((user) => user.id === target)?.name);
    else if (kind === 'team')
      void assign(
        chat,
        { teamId: target ?? null, userId: null },
        teams.find((team) => team.id === target)?.name,
      );
    else void assign(chat, { userId: null, teamId: null }, undefined);
  };
  return (
    <Picker
      title={t('inbox.assign')}
      placeholder={t('inbox.assignPlaceholder')}
      choices={choices}
      empty=""
      onPick={pick}
      onClose={onClose}
    />
  );
}

/** Adds labels to the contact and removes them. It stays open: there may be several. */
export function LabelDialog({ chat, onClose }: ChatDialogProps) {
  const { t, compare } = useTranslator();
  const labels = useLabels().data ?? [];
  const { setLabel } = useChatActions();
  const own = new Set(chat.contact.labels.map(({ id }) => id));
  return (
    <Picker
      title={t('inbox.labelsOf', { name: chat.contact.displayName })}
      placeholder={t('inbox.labelPlaceholder')}
      choices={[...labels]
        .sort((a, b) => compare(a.name, b.name))
        .map(({ id, name, color }) => ({
          id,
          label: name,
          picture: <LabelDot color={color} />,
          isChosen: own.has(id),
        }))}
      empty={t('inbox.noLabels')}
      onPick={(id) => {
        const label = labels.find((one) => one.id === id);
        if (label) void setLabel(chat, label, !own.has(id));
      }}
      onClose={onClose}
    />
  );
}

const MORNING = 9;
const atHour = (days: number, hour: number): Date => {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(hour, 0, 0, 0);
  return date;
};
/** In three hours, on the hour. */
const laterToday = (): Date => {
  const date = new Date();
  date.setHours(date.getHours() + 3, 0, 0, 0);
  return date;
};
const nextMonday = (): Date => atHour((8 - new Date().getDay()) % 7 || 7, MORNING);

/** The local time as an input of the type `datetime-local` wants it. */
const inputValue = (date: Date): string =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Until when the chat is out of the way. */
export function SnoozeDialog({ chat, onClose }: ChatDialogProps) {
  const { t, formatDate } = useTranslator();
  const { snooze } = useChatActions();
  const [date, setDate] = useState(() => inputValue(atHour(1, MORNING)));
  const times = { later: laterToday(), tomorrow: atHour(1, MORNING), week: nextMonday() };
  const own = new Date(date);
  const isPast = Number.isNaN(own.getTime()) || own.getTime() <= Date.now();
  const pick = (until: Date): void => {
    onClose();
    void snooze(chat, until);
  };
  return (
    <Picker
      title={t('inbox.snooze')}
      placeholder={t('inbox.snoozePlaceholder')}
      choices={(['later', 'tomorrow', 'week'] as const).map((id) => ({
        id,
        label: t(`inbox.snooze.${id}`),
        detail: `${formatDate(times[id])}, ${formatDate(times[id], 'time')}`,
        picture: <Icon name="clock" />,
      }))}
      empty=""
      onPick={(id) => pick(times[id as keyof typeof times])}
      onClose={onClose}
    >
      <form
        className={styles.date}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPast) pick(own);
        }}
      >
        <TextField
          label={t('inbox.snooze.date')}
          type="datetime-local"
          value={date}
          onChange={(event) => setDate(event.target.value)}
          error={isPast ? t('inbox.snooze.past') : undefined}
        />
        <Button type="submit" disabled={isPast}>
          {t('inbox.snooze')}
        </Button>
      </form>
    </Picker>
  );
}
