import { type BranchCase, casesOf, type FlowDefinition, type FlowStep } from '../../flow/definition.ts';
import type { Describer } from '../../flow/describe.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { addCase, replaceStep, setTarget } from './edit.ts';
import { ConditionField } from './inputs/condition-field.tsx';
import { useInputContext } from './inputs/input.ts';
import styles from './panel.module.css';

interface BranchCasesProps {
  definition: FlowDefinition;
  step: FlowStep;
  path: string;
  describer: Describer;
  onChange: (definition: FlowDefinition, about?: string) => void;
}

const MAX_CASES = 50;

/** The cases of a branch. The first one that is true wins, so their order can be changed. */
export function BranchCases({ definition, step, path, describer, onChange }: BranchCasesProps) {
  const t = useText();
  const { issueAt } = useInputContext();
  const cases = casesOf(step);
  const store = (next: readonly BranchCase[]): void =>
    onChange(replaceStep(definition, { ...step, parameters: { ...step.parameters, cases: next } }));
  const error = issueAt(`${path}.cases`);
  return (
    <>
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {cases.map((one, index) => {
        const title = t('automations.case', { number: index + 1 });
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: cases have no identity
          <fieldset key={index} className={styles.box}>
            <legend className={styles.legend}>{title}</legend>
            <ConditionField
              label={t('autoField.when')}
              value={one.when}
              path={`${path}.cases.${index}.when`}
              error={issueAt(`${path}.cases.${index}.when`)}
              of="run"
              onChange={(when) =>
                store(
                  cases.map((other, position) =>
                    position === index ? { ...other, when: String(when) } : other,
                  ),
                )
              }
            />
            <SelectField
              label={t('automations.then')}
              value={one.next}
              error={issueAt(`${path}.cases.${index}.next`)}
              options={[
                ...(definition.steps.some(({ id }) => id === one.next)
                  ? []
                  : [{ value: one.next, label: one.next || t('automations.choose') }]),
                ...definition.steps
                  .filter(({ id }) => id !== step.id)
                  .map((other) => ({ value: other.id, label: `${describer.stepTitle(other)}: ${other.id}` })),
              ]}
              onChange={(to) =>
                onChange(setTarget(definition, { from: step.id, outlet: `case:${index}` }, to))
              }
            />
            <div className={styles.row}>
              {index > 0 && (
                <Button
                  look="quiet"
                  onClick={() =>
                    store([
                      ...cases.slice(0, index - 1),
                      one,
                      cases[index - 1] as BranchCase,
                      ...cases.slice(index + 1),
                    ])
                  }
                >
                  {t('automations.caseEarlier')}
                </Button>
              )}
              {cases.length > 1 && (
                <IconButton
                  icon="trash"
                  label={t('automations.removeField', { field: title })}
                  onClick={() => store(cases.filter((_, position) => position !== index))}
                />
              )}
            </div>
          </fieldset>
        );
      })}
      {cases.length < MAX_CASES && (
        <Button icon="plus" onClick={() => onChange(addCase(definition, step.id))}>
          {t('automations.addCase')}
        </Button>
      )}
    </>
  );
}
