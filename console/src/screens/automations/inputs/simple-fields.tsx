import { useState } from 'react';
import { useText } from '../../../i18n/i18n.tsx';
import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import type { Input } from '../fields.ts';
import styles from '../panel.module.css';
import { type InputProps, textOf } from './input.ts';

export function PlainField({
  label,
  value,
  path,
  error,
  onChange,
  kind,
}: InputProps & { kind: 'plain' | 'timezone' }) {
  const t = useText();
  return (
    <TextField
      label={label}
      value={textOf(value)}
      error={error}
      autoComplete="off"
      spellCheck={false}
      {...(kind === 'timezone' ? { placeholder: 'UTC', help: t('automations.timezoneHelp') } : {})}
      onChange={({ target }) => onChange(target.value, path)}
    />
  );
}

export function NumberField({
  label,
  value,
  path,
  error,
  onChange,
  input,
}: InputProps & { input: Extract<Input, { kind: 'number' }> }) {
  return (
    <TextField
      label={label}
      type="number"
      step="any"
      min={input.least}
      max={input.most}
      value={textOf(value)}
      error={error}
      onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value), path)}
    />
  );
}

export const FlagField = ({ label, value, error, onChange }: InputProps) => (
  <div>
    <label className={styles.flag}>
      <input
        type="checkbox"
        checked={value === true}
        onChange={({ target }) => onChange(target.checked ? true : undefined, '')}
      />
      {label}
    </label>
    {error !== undefined && (
      <p className={styles.error} role="alert">
        {error}
      </p>
    )}
  </div>
);

const STATUSES = ['open', 'snoozed', 'closed'] as const;
const KINDS = ['whatsapp', 'sms', 'email', 'instagram'] as const;

export function ChoiceField({
  label,
  value,
  error,
  onChange,
  of,
  isRequired,
}: InputProps & { of: readonly string[]; isRequired: boolean }) {
  const t = useText();
  const nameOf = (choice: string): string => {
    const status = STATUSES.find((one) => one === choice);
    const kind = KINDS.find((one) => one === choice);
    if (choice === 'round_robin') return t('flow.inTurn');
    return status ? t(`flow.status.${status}`) : kind ? t(`kind.${kind}`) : choice;
  };
  return (
    <SelectField
      label={label}
      value={textOf(value)}
      error={error}
      options={[
        ...(isRequired ? [] : [{ value: '', label: t('automations.byItself') }]),
        ...of.map((choice) => ({ value: choice, label: nameOf(choice) })),
      ]}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen, '')}
    />
  );
}

/** Any JSON. What is not JSON yet stays in the field. */
export function JsonField({ label, value, path, error, onChange }: InputProps) {
  const t = useText();
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2));
  const [isWrong, setIsWrong] = useState(false);
  return (
    <TextArea
      label={label}
      value={text}
      spellCheck={false}
      error={isWrong ? t('automations.notJson') : error}
      onChange={({ target }) => {
        setText(target.value);
        try {
          onChange(JSON.parse(target.value), path);
          setIsWrong(false);
        } catch {
          setIsWrong(true);
        }
      }}
    />
  );
}
