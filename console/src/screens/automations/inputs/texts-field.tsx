import { useState } from 'react';
import { useReferences } from '../../../flow/names.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import styles from '../panel.module.css';
import { type InputProps, textOf, useInputContext } from './input.ts';
import { LiquidField } from './liquid-field.tsx';

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** The names in the texts of the template that the step sends. */
function useTemplateNames(path: string): readonly string[] {
  const { definition } = useInputContext();
  const { templates } = useReferences();
  const index = /^steps\.(\d+)\.parameters\.variables$/.exec(path)?.[1];
  const step = index === undefined ? undefined : definition.steps[Number(index)];
  const template = templates?.find(({ id }) => id === step?.parameters?.templateId);
  if (!template || step?.type !== 'send_template') return [];
  const texts = [template.body, template.header?.text ?? '', ...template.buttons.map(({ url }) => url ?? '')];
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string))),
  ];
}

/** Texts by name, such as headers. Those that a template needs are shown already. */
export function TextsField({ label, value, path, error, onChange }: InputProps) {
  const t = useText();
  const { issueAt } = useInputContext();
  const known = useTemplateNames(path);
  const [name, setName] = useState('');
  const texts = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const names = [...known, ...Object.keys(texts).filter((one) => !known.includes(one))];
  const store = (next: Readonly<Record<string, unknown>>, about: string): void =>
    onChange(Object.keys(next).length === 0 ? undefined : next, about);
  const add = (): void => {
    if (name.trim() === '' || Object.hasOwn(texts, name.trim())) return;
    store({ ...texts, [name.trim()]: '' }, '');
    setName('');
  };
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{label}</legend>
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {names.map((one) => (
        <div key={one} className={styles.removable}>
          <LiquidField
            label={one}
            value={texts[one]}
            path={`${path}.${one}`}
            error={issueAt(`${path}.${one}`)}
            onChange={(text, about) => store({ ...texts, [one]: textOf(text) }, about)}
          />
          {!known.includes(one) && (
            <IconButton
              icon="trash"
              label={t('automations.removeField', { field: one })}
              onClick={() =>
                store(Object.fromEntries(Object.entries(texts).filter(([key]) => key !== one)), '')
              }
            />
          )}
        </div>
      ))}
      {known.length === 0 && (
        <div className={styles.adding}>
          <TextField
            label={t('automations.newName', { field: label })}
            value={name}
            maxLength={100}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
          <Button icon="plus" onClick={add}>
            {t('automations.add')}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
