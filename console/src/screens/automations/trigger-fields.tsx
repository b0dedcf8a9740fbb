import type { FlowDefinition, FlowTrigger, TriggerType, Variable } from '../../flow/definition.ts';
import type { Describer } from '../../flow/describe.ts';
import { triggerTypes } from '../../flow/kinds.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { triggerFields } from './fields.ts';
import { useInputContext } from './inputs/input.ts';
import { ObjectFields } from './inputs/object-fields.tsx';
import styles from './panel.module.css';
import { initialTrigger, purposeOf } from './steps.ts';

interface TriggerFieldsProps {
  definition: FlowDefinition;
  describer: Describer;
  onChange: (definition: FlowDefinition, about?: string) => void;
}

/** What starts runs, what their messages are for, and the values that runs get. */
export function TriggerFields({ definition, describer, onChange }: TriggerFieldsProps) {
  const t = useText();
  const { issueAt } = useInputContext();
  const { trigger } = definition;
  const { channelId } = trigger.parameters ?? {};
  const choose = (type: TriggerType): void =>
    onChange({
      ...definition,
      trigger: {
        type,
        parameters: { ...initialTrigger(type), ...(channelId === undefined ? {} : { channelId }) },
      },
    });
  return (
    <>
      <SelectField
        label={t('automations.begins')}
        value={trigger.type}
        error={issueAt('trigger.type')}
        options={triggerTypes.map((type) => ({ value: type, label: t(`flow.trigger.${type}`) }))}
        onChange={choose}
      />
      <p className={styles.help}>{t(`automations.triggerHelp.${trigger.type}`)}</p>
      <ObjectFields
        key={trigger.type}
        input={triggerFields[trigger.type]}
        label={describer.triggerTitle(trigger)}
        value={trigger.parameters}
        path="trigger.parameters"
        error={issueAt('trigger.parameters')}
        onChange={(parameters, about) =>
          onChange({ ...definition, trigger: { ...trigger, parameters } as FlowTrigger }, about)
        }
      />
      <SelectField
        label={t('automations.purpose')}
        help={t('automations.purposeHelp')}
        value={purposeOf(definition)}
        options={[
          { value: 'service', label: t('automations.purpose.service') },
          { value: 'marketing', label: t('automations.purpose.marketing') },
        ]}
        onChange={(purpose) => onChange({ ...definition, purpose })}
      />
      <Variables definition={definition} onChange={onChange} />
    </>
  );
}

const VARIABLE_TYPES = ['string', 'number', 'boolean'] as const;
const MAX_VARIABLES = 50;

/** The default, in the type of the variable. What does not fit stays a text, and the API says so. */
function defaultOf(type: Variable['type'], text: string): Pick<Variable, 'default'> {
  if (text === '') return {};
  if (type === 'boolean' && /^(true|false)$/.test(text)) return { default: text === 'true' };
  return { default: type === 'number' && !Number.isNaN(Number(text)) ? Number(text) : text };
}

/** Values that a run begins with: a program or a campaign gives them, or they have a default. */
function Variables({ definition, onChange }: Omit<TriggerFieldsProps, 'describer'>) {
  const t = useText();
  const { issueAt } = useInputContext();
  const { variables } = definition;
  const store = (next: readonly Variable[], about = ''): void =>
    onChange({ ...definition, variables: next }, about);
  const set = (index: number, variable: Variable, about = ''): void =>
    store(
      variables.map((one, position) => (position === index ? variable : one)),
      about,
    );
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{t('automations.variables')}</legend>
      <p className={styles.help}>{t('automations.variablesHelp')}</p>
      {variables.map((variable, index) => {
        const { name, type, required = false, default: value, ...rest } = variable;
        const path = `variables.${index}`;
        const base = { ...rest, name, type, ...(required ? { required } : {}) };
        const kept = value === undefined ? {} : { default: value };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while somebody types it
          <fieldset key={index} className={styles.box}>
            <legend className={styles.legend}>{name || t('automations.newVariable')}</legend>
            <TextField
              label={t('autoField.name')}
              value={name}
              error={issueAt(`${path}.name`)}
              maxLength={64}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => set(index, { ...base, ...kept, name: target.value }, `${path}.name`)}
            />
            <SelectField
              label={t('automations.variableType')}
              value={type}
              options={VARIABLE_TYPES.map((one) => ({
                value: one,
                label: t(`automations.variableType.${one}`),
              }))}
              onChange={(chosen) => set(index, { ...base, type: chosen })}
            />
            <TextField
              label={t('automations.variableDefault')}
              value={value === undefined ? '' : String(value)}
              error={issueAt(`${path}.default`) ?? issueAt(path)}
              maxLength={1000}
              onChange={({ target }) =>
                set(index, { ...base, ...defaultOf(type, target.value) }, `${path}.default`)
              }
            />
            <div className={styles.row}>
              <label className={styles.flag}>
                <input
                  type="checkbox"
                  checked={required}
                  onChange={({ target }) =>
                    set(index, {
                      ...rest,
                      name,
                      type,
                      ...kept,
                      ...(target.checked ? { required: true } : {}),
                    })
                  }
                />
                {t('automations.variableRequired')}
              </label>
              <IconButton
                icon="trash"
                label={t('automations.removeField', { field: name || t('automations.newVariable') })}
                onClick={() => store(variables.filter((_, position) => position !== index))}
              />
            </div>
          </fieldset>
        );
      })}
      {variables.length < MAX_VARIABLES && (
        <Button
          icon="plus"
          onClick={() => store([...variables, { name: '', type: 'string', required: true }])}
        >
          {t('automations.addVariable')}
        </Button>
      )}
    </fieldset>
  );
}
