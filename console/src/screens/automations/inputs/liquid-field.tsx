import { useRef } from 'react';
import type { FlowDefinition } from '../../../flow/definition.ts';
import { useReferences } from '../../../flow/names.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import styles from '../panel.module.css';
import { firstName } from '../templates.ts';
import { type InputProps, textOf, useInputContext } from './input.ts';

const MAX_ATTRIBUTES = 30;

/** What a text can contain, as Liquid. */
function valuesOf({ variables, steps }: FlowDefinition): string[] {
  const saved = steps.flatMap(({ parameters }) =>
    typeof parameters?.saveAs === 'string' && parameters.saveAs !== '' ? [parameters.saveAs] : [],
  );
  return [
    ...variables.map(({ name }) => `variables.${name}`),
    ...saved.flatMap((name) => [`steps.${name}.status`, `steps.${name}.body`]),
  ];
}

/** A text with Liquid, and a menu of what can be put into it. */
export function LiquidField({
  label,
  value,
  path,
  error,
  onChange,
  isLong = false,
}: InputProps & { isLong?: boolean }) {
  const t = useText();
  const { definition } = useInputContext();
  const { attributes = [] } = useReferences();
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const text = textOf(value);

  const insert = (liquid: string): void => {
    const { selectionStart, selectionEnd } = field.current ?? {};
    const [start, end] = [selectionStart ?? text.length, selectionEnd ?? text.length];
    onChange(`${text.slice(0, start)}${liquid}${text.slice(end)}`, '');
    // After the change, at the end of what was inserted.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(start + liquid.length, start + liquid.length);
    });
  };
  const item = (id: string, name: string, liquid: string, startsGroup = false): MenuItem => ({
    id,
    label: name,
    startsGroup,
    run: () => insert(liquid),
  });
  const items = [
    item('firstName', t('flow.field.contact.firstName'), firstName(t)),
    item('fullName', t('flow.field.contact.fullName'), '{{ contact.fullName }}'),
    item('phoneNumber', t('flow.field.contact.phoneNumber'), '{{ contact.phoneNumber }}'),
    item('email', t('flow.field.contact.email'), '{{ contact.email }}'),
    item('message', t('flow.field.message.text'), '{{ message.text }}'),
    ...valuesOf(definition).map((name, index) => item(name, name, `{{ ${name} }}`, index === 0)),
    ...attributes
      .slice(0, MAX_ATTRIBUTES)
      .map(({ externalId, name }, index) =>
        item(`attribute-${externalId}`, name, `{{ attributes.${externalId} }}`, index === 0),
      ),
  ];
  const props = {
    ref: field,
    label,
    error,
    value: text,
    maxLength: 10_000,
    dir: 'auto' as const,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value, path),
  };
  return (
    <div className={styles.withMenu}>
      {isLong ? <TextArea {...props} rows={5} /> : <TextField {...props} autoComplete="off" />}
      <Menu label={t('automations.insertInto', { field: label })} className={styles.insert} items={items}>
        <Icon name="plus" />
        {t('automations.insertValue')}
      </Menu>
    </div>
  );
}
