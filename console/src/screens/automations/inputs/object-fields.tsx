import type { Parameters } from '../../../flow/definition.ts';
import type { PlainKey } from '../../../i18n/catalogue.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { type FieldInput, type FieldName, type Input, initialValue, type ObjectInput } from '../fields.ts';
import styles from '../panel.module.css';
import { ConditionField } from './condition-field.tsx';
import { DurationField } from './duration-field.tsx';
import { FileField } from './file-field.tsx';
import { type InputProps, useInputContext } from './input.ts';
import { LiquidField } from './liquid-field.tsx';
import { RecurrenceField } from './recurrence-field.tsx';
import { ReferenceField } from './reference-field.tsx';
import { ChoiceField, FlagField, JsonField, NumberField, PlainField } from './simple-fields.tsx';
import { TextsField } from './texts-field.tsx';
import { TimeField } from './time-field.tsx';
import { WordsField } from './words-field.tsx';

/** The input for a field, by what it is. */
function ValueField({ field, ...props }: InputProps & { field: FieldInput }) {
  const { input, isRequired } = field;
  switch (input.kind) {
    case 'text':
      return <LiquidField {...props} isLong={input.isLong === true} onChange={dropEmpty(props, field)} />;
    case 'plain':
    case 'timezone':
      return <PlainField {...props} kind={input.kind} onChange={dropEmpty(props, field)} />;
    case 'number':
      return <NumberField {...props} input={input} />;
    case 'flag':
      return <FlagField {...props} />;
    case 'choice':
      return <ChoiceField {...props} of={input.of} isRequired={isRequired} />;
    case 'duration':
      return <DurationField {...props} />;
    case 'time':
      return <TimeField {...props} />;
    case 'condition':
      return <ConditionField {...props} of="run" />;
    case 'audience':
      return <ConditionField {...props} of="audience" />;
    case 'recurrence':
      return <RecurrenceField {...props} />;
    case 'reference':
      return (
        <ReferenceField
          {...props}
          to={input.to}
          isRequired={isRequired}
          canBeNull={input.canBeNull === true}
        />
      );
    case 'file':
      return <FileField {...props} />;
    case 'words':
      return <WordsField {...props} />;
    case 'texts':
      return <TextsField {...props} />;
    case 'json':
      return <JsonField {...props} />;
    case 'list':
      return <ListFields {...props} input={input} />;
    case 'object':
      return <ObjectFields {...props} input={input} hasLegend />;
    case 'chosen':
    // Chosen with the other ways out of the step.
    case 'step':
      return null;
  }
}

/** An optional text without anything in it is left out, because the API refuses empty ones. */
const dropEmpty =
  ({ onChange }: InputProps, { isRequired, isShown }: FieldInput): InputProps['onChange'] =>
  (value, about) =>
    onChange(value === '' && !isRequired && isShown ? undefined : value, about);

const labelOf = (name: FieldName): PlainKey => `autoField.${name}`;
const isObject = (value: unknown): value is Parameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const without = (value: Parameters, names: readonly string[]): Parameters =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !names.includes(key)));

interface ObjectFieldsProps extends InputProps {
  input: ObjectInput;
  /** As a group with its label; without it the fields stand for themselves. */
  hasLegend?: boolean;
}

/** The fields of an object: those that are needed, those that were added, and a menu of the others. */
export function ObjectFields({
  input,
  label,
  value,
  path,
  error,
  onChange,
  hasLegend = false,
}: ObjectFieldsProps) {
  const t = useText();
  const { issueAt } = useInputContext();
  const { oneOf = [] } = input;
  const given = isObject(value) ? value : {};
  const entries = Object.entries(input.fields) as [FieldName, FieldInput][];
  const chosen = oneOf.find((name) => name in given) ?? oneOf[0];
  const isVisible = ([name, field]: [FieldName, FieldInput]): boolean =>
    field.input.kind !== 'step' && (oneOf.includes(name) ? name === chosen : field.isShown || name in given);
  const visible = entries.filter(isVisible);
  const hidden = entries.filter(
    ([name, field]) => !oneOf.includes(name) && field.input.kind !== 'step' && !isVisible([name, field]),
  );
  const set = (name: FieldName, next: unknown, about: string): void =>
    onChange(next === undefined ? without(given, [name]) : { ...given, [name]: next }, about);
  const choose = (name: FieldName): void =>
    onChange(
      { ...without(given, oneOf), [name]: initialValue((input.fields[name] as FieldInput).input) },
      '',
    );

  const content = (
    <>
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {chosen !== undefined && (
        <SelectField
          label={t('automations.which')}
          value={chosen}
          options={oneOf.map((name) => ({ value: name, label: t(labelOf(name)) }))}
          onChange={choose}
        />
      )}
      {visible.map(([name, field]) => (
        <div key={name} className={styles.removable}>
          <ValueField
            field={field}
            label={t(labelOf(name))}
            value={given[name]}
            path={`${path}.${name}`}
            error={issueAt(`${path}.${name}`)}
            onChange={(next, about) => set(name, next, about)}
          />
          {!field.isShown && !oneOf.includes(name) && (
            <IconButton
              icon="trash"
              label={t('automations.removeField', { field: t(labelOf(name)) })}
              onClick={() => set(name, undefined, '')}
            />
          )}
        </div>
      ))}
      {hidden.length > 0 && (
        <Menu
          label={t('automations.addTo', { field: label })}
          className={styles.add}
          items={hidden.map(([name, field]) => ({
            id: name,
            label: t(labelOf(name)),
            run: () => set(name, initialValue(field.input), ''),
          }))}
        >
          <Icon name="plus" />
          {t('automations.addField')}
        </Menu>
      )}
    </>
  );
  return hasLegend ? (
    <fieldset className={styles.box}>
      <legend className={styles.legend}>{label}</legend>
      {content}
    </fieldset>
  ) : (
    content
  );
}

interface ListFieldsProps extends InputProps {
  input: Extract<Input, { kind: 'list' }>;
}

/** Several objects of the same kind. */
function ListFields({ input, label, value, path, error, onChange }: ListFieldsProps) {
  const t = useText();
  const { issueAt } = useInputContext();
  const isSingle = input.isSingleToo === true && isObject(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : isSingle ? [value] : [];
  /** One that was written without a list stays so. */
  const store = (next: readonly unknown[], about: string): void =>
    onChange(isSingle && next.length === 1 ? next[0] : next, about);
  return (
    <fieldset className={styles.box}>
      <legend className={styles.legend}>{label}</legend>
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {items.map((item, index) => {
        const itemPath = isSingle ? path : `${path}.${index}`;
        const title = t('automations.itemOf', { field: label, number: index + 1 });
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity, and keep their place while they are edited
          <div key={index} className={styles.item}>
            <ObjectFields
              input={input.item}
              label={title}
              value={item}
              path={itemPath}
              error={isSingle ? undefined : issueAt(itemPath)}
              hasLegend
              onChange={(next, about) =>
                store(
                  items.map((one, position) => (position === index ? next : one)),
                  about,
                )
              }
            />
            {items.length > input.least && (
              <IconButton
                icon="trash"
                label={t('automations.removeField', { field: title })}
                onClick={() =>
                  store(
                    items.filter((_, position) => position !== index),
                    '',
                  )
                }
              />
            )}
          </div>
        );
      })}
      {items.length < input.most && (
        <Button icon="plus" onClick={() => store([...items, initialValue(input.item)], '')}>
          {t('automations.addItem', { field: label })}
        </Button>
      )}
    </fieldset>
  );
}
