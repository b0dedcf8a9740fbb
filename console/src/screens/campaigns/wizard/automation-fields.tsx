import type { Automation } from '@parley/sdk';
import { useText } from '../../../i18n/i18n.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Warning } from '../../../ui/notices.tsx';
import { issueAt } from './issues.ts';
import type { Draft } from './use-draft.ts';
import styles from './wizard.module.css';

interface AutomationFieldsProps {
  draft: Draft;
  automations: readonly Automation[];
  error: unknown;
}

/** An automation that runs for everybody, and the values that it asks for. */
export function AutomationFields({ draft: { campaign, change }, automations, error }: AutomationFieldsProps) {
  const t = useText();
  const chosen = automations.find(({ id }) => id === campaign.automationId);
  if (automations.length === 0) return <Warning>{t('campaigns.kind.automationNone')}</Warning>;
  const givenFor = (name: string): string =>
    campaign.variables.find((variable) => variable.name === name)?.value ?? '';
  const setValue = (name: string, value: string): void =>
    change({
      variables: [
        ...campaign.variables.filter((variable) => variable.name !== name),
        ...(value === '' ? [] : [{ name, value }]),
      ],
    });
  return (
    <div className={styles.column}>
      <SelectField
        label={t('campaigns.automation')}
        value={campaign.automationId ?? ''}
        options={automations.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(automationId) => change({ automationId, variables: [] })}
        error={issueAt(error, 'automationId')}
      />
      {chosen?.activeVersion?.variables.map(({ name, required }) => (
        <TextField
          key={name}
          label={t('campaigns.templateVariable', { name })}
          value={givenFor(name)}
          onChange={(event) => setValue(name, event.target.value)}
          maxLength={1_000}
          required={required === true}
        />
      ))}
      {issueAt(error, 'variables') !== undefined && (
        <p className={styles.error} role="alert">
          {issueAt(error, 'variables')}
        </p>
      )}
    </div>
  );
}
