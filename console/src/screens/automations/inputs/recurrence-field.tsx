import { type Recurrence, readRecurrence, WEEKDAYS, writeRecurrence } from '../../../flow/recurrence.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Choices } from '../../../ui/choices.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import styles from '../panel.module.css';
import { type InputProps, textOf } from './input.ts';

const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'] as const;
const DAILY: Recurrence = { frequency: 'DAILY', days: ['MO'], monthDay: 1, hour: 9, minute: 0 };
const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** When something happens again and again. A rule that says more is edited as text. */
export function RecurrenceField({ label, value, path, error, onChange }: InputProps) {
  const t = useText();
  const text = textOf(value);
  const rule = readRecurrence(text);
  const store = (next: Recurrence, about = ''): void => onChange(writeRecurrence(next), about);
  return (
    <div className={styles.group}>
      <SelectField
        label={label}
        value={rule?.frequency ?? 'other'}
        options={[
          ...FREQUENCIES.map((frequency) => ({
            value: frequency,
            label: t(`automations.every.${frequency}`),
          })),
          { value: 'other' as const, label: t('automations.every.other') },
        ]}
        {...(rule ? { error } : {})}
        onChange={(frequency) => {
          if (frequency === 'other') onChange('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0', '');
          else store({ ...(rule ?? DAILY), days: rule?.days.length ? rule.days : DAILY.days, frequency });
        }}
      />
      {!rule && (
        <TextField
          label={t('automations.rrule')}
          help={t('automations.rruleHelp')}
          value={text}
          error={error}
          maxLength={500}
          spellCheck={false}
          onChange={({ target }) => onChange(target.value, path)}
        />
      )}
      {rule?.frequency === 'WEEKLY' && (
        <Choices
          label={t('automations.days')}
          options={WEEKDAYS.map((day) => ({ value: day, label: t(`flow.day.${day}`) }))}
          chosen={rule.days}
          onChange={(days) => {
            if (days.length > 0) store({ ...rule, days });
          }}
        />
      )}
      {rule?.frequency === 'MONTHLY' && (
        <TextField
          label={t('automations.monthDay')}
          type="number"
          min={1}
          max={31}
          value={String(rule.monthDay)}
          onChange={({ target }) =>
            store({ ...rule, monthDay: Math.min(31, Math.max(1, Math.round(Number(target.value)))) }, path)
          }
        />
      )}
      {rule && rule.frequency !== 'HOURLY' && (
        <TextField
          label={t('automations.timeOfDay')}
          type="time"
          value={`${twoDigits(rule.hour)}:${twoDigits(rule.minute)}`}
          onChange={({ target }) => {
            const [hour = 0, minute = 0] = target.value.split(':').map(Number);
            store({ ...rule, hour, minute }, path);
          }}
        />
      )}
    </div>
  );
}
