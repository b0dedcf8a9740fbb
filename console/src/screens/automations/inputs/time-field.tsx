import { useState } from 'react';
import { useText } from '../../../i18n/i18n.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import styles from '../panel.module.css';
import { type InputProps, textOf } from './input.ts';
import { LiquidField } from './liquid-field.tsx';

const MINUTE_MS = 60_000;

/** The time in the zone of the browser, as its field writes it. */
function localTime(text: string): string {
  const date = new Date(text);
  if (!/^\d{4}-/.test(text) || Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** A time: one that is fixed, or one that a value says when the run gets there. */
export function TimeField(props: InputProps) {
  const t = useText();
  const { label, value, error, path, onChange } = props;
  const text = textOf(value);
  const [isFixed, setIsFixed] = useState(text !== '' && localTime(text) !== '');
  return (
    <div className={styles.group}>
      <SelectField
        label={label}
        value={isFixed ? 'fixed' : 'value'}
        options={[
          { value: 'value', label: t('automations.timeOfValue') },
          { value: 'fixed', label: t('automations.timeFixed') },
        ]}
        onChange={(chosen) => {
          setIsFixed(chosen === 'fixed');
          onChange('', '');
        }}
      />
      {isFixed ? (
        <TextField
          label={t('automations.timeFixed')}
          type="datetime-local"
          value={localTime(text)}
          error={error}
          onChange={({ target }) => {
            const date = new Date(target.value);
            onChange(Number.isNaN(date.getTime()) ? '' : date.toISOString(), path);
          }}
        />
      ) : (
        <LiquidField {...props} label={t('automations.timeOfValue')} />
      )}
    </div>
  );
}
