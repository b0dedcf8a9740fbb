import { type DurationUnit, readDuration, writeDuration } from '../../../flow/duration.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import styles from '../panel.module.css';
import { type InputProps, textOf } from './input.ts';

const UNITS: readonly DurationUnit[] = ['minute', 'hour', 'day', 'week', 'month', 'year', 'second'];
const USUAL = 4;

/** How long: a number and a unit. What is more than that stays as it is written. */
export function DurationField({ label, value, path, error, onChange }: InputProps) {
  const t = useText();
  const text = textOf(value);
  const parts = readDuration(text);
  const [part] = parts ?? [];
  if (!part || (parts?.length ?? 0) > 1)
    return (
      <TextField
        label={label}
        help={t('automations.isoDuration')}
        value={text}
        error={error}
        onChange={({ target }) => onChange(target.value, path)}
      />
    );
  const { count, unit } = part;
  const units = UNITS.filter((one, index) => index < USUAL || one === unit);
  return (
    <div className={styles.pair}>
      <TextField
        label={label}
        type="number"
        min={1}
        step={1}
        value={String(count)}
        error={error}
        onChange={({ target }) =>
          onChange(writeDuration({ count: Math.round(Number(target.value)), unit }), path)
        }
      />
      <SelectField
        label={t('automations.unit')}
        value={unit}
        options={units.map((one) => ({ value: one, label: t(`automations.unit.${one}`) }))}
        onChange={(chosen) => onChange(writeDuration({ count, unit: chosen }), '')}
      />
    </div>
  );
}
