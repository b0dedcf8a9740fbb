import { useRef } from 'react';
import { useAttributes } from '../../../api/attributes.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu } from '../../../ui/menu.tsx';
import styles from './wizard.module.css';

export interface Variable {
  /** As Liquid names it. */
  path: string;
  label: string;
}

const CONTACT = ['firstName', 'lastName', 'fullName', 'phoneNumber', 'email'] as const;

/** What a text can say about the person who gets it. */
export function useVariables(kind: string | undefined): readonly Variable[] {
  const t = useText();
  const attributes = useAttributes();
  return [
    ...CONTACT.map((name) => ({ path: `contact.${name}`, label: t(`campaigns.variable.${name}`) })),
    ...(attributes.data ?? []).map(({ externalId, name }) => ({
      path: `attributes.${externalId}`,
      label: name,
    })),
    ...(kind === 'email' ? [{ path: 'unsubscribeUrl', label: t('campaigns.variable.unsubscribeUrl') }] : []),
  ];
}

interface LiquidFieldProps {
  label: string;
  help?: string;
  value: string;
  variables: readonly Variable[];
  onChange: (value: string) => void;
  error?: string | undefined;
  maxLength: number;
  /** Several lines. */
  isLong?: boolean;
}

/** A text with places for what is different for everybody. The menu puts one where the cursor is. */
export function LiquidField({
  label,
  help,
  value,
  variables,
  onChange,
  error,
  maxLength,
  isLong = false,
}: LiquidFieldProps) {
  const t = useText();
  const control = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const insert = (path: string): void => {
    const field = control.current as HTMLTextAreaElement;
    const text = `{{ ${path} }}`;
    const start = field.selectionStart ?? value.length;
    const end = field.selectionEnd ?? value.length;
    onChange(`${value.slice(0, start)}${text}${value.slice(end)}`);
    // After the value is there.
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(start + text.length, start + text.length);
    });
  };
  const shared = {
    ref: control,
    label,
    help,
    error,
    value,
    maxLength,
    dir: 'auto',
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  return (
    <div className={styles.liquid}>
      {isLong ? <TextArea rows={6} {...shared} /> : <TextField {...shared} />}
      <Menu
        className={styles.insert}
        label={t('campaigns.insertInto', { field: label })}
        items={variables.map(({ path, label: name }) => ({ id: path, label: name, run: () => insert(path) }))}
      >
        <Icon name="plus" /> {t('campaigns.insert')}
      </Menu>
    </div>
  );
}
