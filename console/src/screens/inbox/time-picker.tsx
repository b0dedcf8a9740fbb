import { useState } from 'react';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './picker.module.css';
import { Picker } from './picker.tsx';

const MORNING = 9;
const MINUTE_MS = 60_000;
const atHour = (days: number, hour: number): Date => {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(hour, 0, 0, 0);
  return date;
};
/** In three hours, on the hour; late in the evening that is not today. */
const inThreeHours = (): Date => {
  const date = new Date();
  date.setHours(date.getHours() + 3, 0, 0, 0);
  return date;
};
const nextMonday = (): Date => atHour((8 - new Date().getDay()) % 7 || 7, MORNING);

/** The local time as an input of the type `datetime-local` wants it. */
const inputValue = (date: Date): string =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** What is done at the moment, and what the empty field asks. */
const PURPOSES = {
  snooze: { title: 'inbox.snooze', placeholder: 'inbox.snoozePlaceholder' },
  send: { title: 'composer.sendLater', placeholder: 'composer.sendWhen' },
} as const;

interface TimePickerProps {
  purpose: keyof typeof PURPOSES;
  /** When the reply window closes, if there is one: nothing can be sent after it. */
  before?: string | null;
  onPick: (until: Date) => void;
  onClose: () => void;
}

/** A moment in the future: until when a chat is out of the way, or when a message is sent. */
export function TimePicker({ purpose, before = null, onPick, onClose }: TimePickerProps) {
  const { t, formatDate } = useTranslator();
  const { title, placeholder } = PURPOSES[purpose];
  const end = before === null ? Number.POSITIVE_INFINITY : Date.parse(before);
  const isTooLate = (time: Date): boolean => time.getTime() >= end;
  const [date, setDate] = useState(() =>
    inputValue(new Date(Math.min(atHour(1, MORNING).getTime(), end - MINUTE_MS))),
  );
  const times = { later: inThreeHours(), tomorrow: atHour(1, MORNING), week: nextMonday() };
  const own = new Date(date);
  const isPast = Number.isNaN(own.getTime()) || own.getTime() <= Date.now();
  const closing =
    before === null ? '' : t('composer.sendBefore', { at: formatDate(new Date(end), 'dateTime') });
  const issue = isPast ? t('inbox.snooze.past') : isTooLate(own) ? closing : undefined;
  return (
    <Picker
      title={t(title)}
      placeholder={t(placeholder)}
      choices={(['later', 'tomorrow', 'week'] as const)
        .filter((id) => !isTooLate(times[id]))
        .map((id) => ({
          id,
          label: t(`inbox.snooze.${id}`),
          detail: formatDate(times[id], 'dateTime'),
          picture: <Icon name="clock" />,
        }))}
      empty={closing}
      onPick={(id) => onPick(times[id as keyof typeof times])}
      onClose={onClose}
    >
      <form
        className={styles.date}
        onSubmit={(event) => {
          event.preventDefault();
          if (issue === undefined) onPick(own);
        }}
      >
        <TextField
          label={t('inbox.snooze.date')}
          type="datetime-local"
          value={date}
          onChange={(event) => setDate(event.target.value)}
          error={issue}
        />
        <Button type="submit" disabled={issue !== undefined}>
          {t(title)}
        </Button>
      </form>
    </Picker>
  );
}
