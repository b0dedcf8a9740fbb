import { useEffect, useRef, useState } from 'react';
import { type FlowDefinition, type FlowStep, type Outlet, outletsOf } from '../../flow/definition.ts';
import { createDescriber, type Describer } from '../../flow/describe.ts';
import { TRIGGER_ID } from '../../flow/graph.ts';
import { useFlowNames } from '../../flow/names.ts';
import { stepIcons } from '../../flow/step-icons.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { BranchCases } from './branch-cases.tsx';
import { renameStep, replaceStep, setTarget } from './edit.ts';
import { type Input, isFieldName, stepFields, triggerFields } from './fields.ts';
import { InputContext } from './inputs/input.ts';
import { ObjectFields } from './inputs/object-fields.tsx';
import { type Issue, pathById } from './issues.ts';
import styles from './panel.module.css';
import { TriggerFields } from './trigger-fields.tsx';

interface PanelProps {
  definition: FlowDefinition;
  /** The id of a step, or `TRIGGER_ID`. */
  selected: string;
  issues: readonly Issue[];
  isReadOnly: boolean;
  onChange: (definition: FlowDefinition, about?: string) => void;
  onSelect: (id: string | undefined) => void;
  onRemove: (stepId: string) => void;
}

/** Everything about the trigger or a step. */
export function Panel(props: PanelProps) {
  const { definition, selected, issues, isReadOnly, onSelect, onRemove } = props;
  const translator = useTranslator();
  const { t } = translator;
  const describer = createDescriber(translator, useFlowNames());
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the keyboard would cover everything.
    if (matchMedia('(min-width: 720px)').matches)
      panel.current?.querySelector<HTMLElement>('fieldset :is(input, select, textarea)')?.focus();
  }, []);
  const index = definition.steps.findIndex(({ id }) => id === selected);
  const step = definition.steps[index];
  if (!step && selected !== TRIGGER_ID) return null;
  const title = step ? describer.stepTitle(step) : t('automations.begins');
  const icon: IconName = step ? stepIcons[step.type] : 'automation';
  const own = issues.filter(({ nodeId }) => nodeId === selected);
  const issueAt = (path: string): string | undefined =>
    own.find((issue) => issue.path === pathById(path, definition))?.message;
  return (
    <InputContext value={{ definition, issueAt }}>
      <aside ref={panel} className={styles.panel} aria-label={title}>
        <header className={styles.header}>
          <Icon name={icon} />
          <h2 className={styles.title}>{title}</h2>
          {step && !isReadOnly && (
            <IconButton icon="trash" label={t('automations.removeStep')} onClick={() => onRemove(step.id)} />
          )}
          <IconButton icon="close" label={t('action.close')} onClick={() => onSelect(undefined)} />
        </header>
        <fieldset className={styles.fields} disabled={isReadOnly}>
          <legend className="visually-hidden">{title}</legend>
          <OtherIssues issues={own} definition={definition} step={step} />
          {step ? (
            <StepFields key={step.id} {...props} step={step} index={index} describer={describer} />
          ) : (
            <TriggerFields {...props} describer={describer} />
          )}
        </fieldset>
      </aside>
    </InputContext>
  );
}

/** Whether a field of the panel shows what is at a path. */
function hasField(input: Input, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  switch (input.kind) {
    case 'object': {
      const field = isFieldName(name) ? input.fields[name] : undefined;
      return field !== undefined && hasField(field.input, rest);
    }
    case 'list':
      // One value may be written without a list.
      return hasField(input.item, /^\d+$/.test(name) ? rest : [name, ...rest]);
    case 'texts':
      return rest.length === 0;
    default:
      return false;
  }
}

interface OtherIssuesProps {
  issues: readonly Issue[];
  definition: FlowDefinition;
  step: FlowStep | undefined;
}

/** What is wrong with the whole, or with something that has no field. */
function OtherIssues({ issues, definition: { trigger }, step }: OtherIssuesProps) {
  const prefix = step ? `steps.${step.id}.parameters.` : 'trigger.parameters.';
  const input = step ? stepFields[step.type] : triggerFields[trigger.type];
  const isShown = ({ path }: Issue): boolean =>
    path.startsWith(prefix)
      ? hasField(input, path.slice(prefix.length).split('.'))
      : !step && /^(trigger\.(type|parameters)|variables\.\d+(\.(name|default))?)$/.test(path);
  const others = issues.filter((issue) => !isShown(issue));
  return others.length === 0 ? null : (
    <ul className={styles.issues} role="alert">
      {others.map(({ path, message }) => (
        <li key={path + message}>{message}</li>
      ))}
    </ul>
  );
}

interface StepFieldsProps extends PanelProps {
  step: FlowStep;
  index: number;
  describer: Describer;
}

function StepFields(props: StepFieldsProps) {
  const { definition, step, index, describer, onChange } = props;
  const path = `steps.${index}`;
  const input = stepFields[step.type];
  const ways = outletsOf(definition.steps, index).filter(({ outlet }) => !outlet.startsWith('case:'));
  return (
    <>
      {step.type === 'branch' ? (
        <BranchCases {...props} path={`${path}.parameters`} />
      ) : (
        <ObjectFields
          input={input}
          label={describer.stepTitle(step)}
          value={step.parameters}
          path={`${path}.parameters`}
          error={undefined}
          onChange={(parameters, about) =>
            onChange(
              replaceStep(definition, { ...step, parameters: parameters as FlowStep['parameters'] & object }),
              about,
            )
          }
        />
      )}
      {ways.map(({ outlet, to }) => (
        <TargetField key={outlet} {...props} outlet={outlet} to={to} />
      ))}
      <StepId key={step.id} {...props} />
    </>
  );
}

interface TargetFieldProps extends StepFieldsProps {
  outlet: Outlet;
  to: string | undefined;
}

/** Where a way out of a step leads. */
function TargetField({ definition, step, describer, outlet, to, onChange }: TargetFieldProps) {
  const t = useText();
  const way = describer.outlet(step, outlet);
  const isMissing = to !== undefined && !definition.steps.some(({ id }) => id === to);
  return (
    <SelectField
      label={
        outlet.startsWith('case:') || way === '' ? t('automations.then') : t('automations.thenAfter', { way })
      }
      value={to ?? ''}
      error={isMissing ? t('automations.missingStep', { step: to }) : undefined}
      options={[
        { value: '', label: t('automations.endOfRun') },
        ...definition.steps
          .filter(({ id }) => id !== step.id)
          .map((one) => ({ value: one.id, label: `${describer.stepTitle(one)}: ${one.id}` })),
        ...(isMissing ? [{ value: to, label: to }] : []),
      ]}
      onChange={(chosen) =>
        onChange(setTarget(definition, { from: step.id, outlet }, chosen === '' ? undefined : chosen))
      }
    />
  );
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The id, by which other steps, runs and reports know the step. */
function StepId({ definition, step, onChange, onSelect }: StepFieldsProps) {
  const t = useText();
  const [id, setId] = useState(step.id);
  const isUsed = id !== step.id && definition.steps.some((one) => one.id === id);
  const error = !ID.test(id) ? t('automations.idWrong') : isUsed ? t('automations.idUsed') : undefined;
  const store = (): void => {
    if (id === step.id || error !== undefined) return;
    onChange(renameStep(definition, step.id, id));
    onSelect(id);
  };
  return (
    <TextField
      label={t('automations.stepId')}
      help={t('automations.stepIdHelp')}
      value={id}
      error={error}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => setId(target.value)}
      onBlur={store}
      onKeyDown={({ key }) => {
        if (key === 'Enter') store();
      }}
    />
  );
}
