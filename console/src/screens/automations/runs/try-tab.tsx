import { type AutomationDryRun, type Contact, dryRunAutomation } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../../api/api.ts';
import { isShownByFields } from '../../../api/errors.ts';
import { formatDuration } from '../../../explain/duration.ts';
import type { FlowDefinition } from '../../../flow/definition.ts';
import { useTranslator } from '../../../i18n/i18n.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { EmptyState, ErrorNotice, Warning } from '../../../ui/notices.tsx';
import type { TabProps } from '../tab-props.ts';
import { type Entry, entriesOfTry } from './describe-entry.ts';
import { findTakenWays, paintRun } from './paint.ts';
import styles from './runs.module.css';
import { Split } from './split.tsx';
import { TraceSteps } from './trace-steps.tsx';
import { emptyForm, findIssuesByNode, issueAt, type TryForm, writeTryBody } from './try-body.ts';
import { TryFields } from './try-fields.tsx';

/** Shows what a run would do for somebody, without any effect. */
export function TryTab({ automation, definition, draft: { isDirty: isChanged } }: TabProps) {
  const { t } = useTranslator();
  const [contact, setContact] = useState<Contact>();
  const [form, setForm] = useState<TryForm>(() => emptyForm(definition, t('try.greeting')));
  const [selected, setSelected] = useState<string>();
  const dryRun = useWrite(
    (chosen: Contact) =>
      dryRunAutomation(client, {
        path: { automationId: automation.id },
        body: writeTryBody(chosen.id, form, definition, isChanged),
      }),
    { showsError: true },
  );
  const { data: result, error } = dryRun;
  const entries = result && !error ? entriesOfTry(result) : undefined;
  const issues = findIssuesByNode(error, definition);
  const fields = ['contactId', 'text', 'at', ...definition.variables.map(({ name }) => name)];
  return (
    <Split
      definition={definition}
      paint={entries && paintRun(entries, true)}
      taken={entries && findTakenWays(entries, definition, result?.status === 'completed')}
      issues={issues}
      selected={selected}
      onSelect={setSelected}
    >
      <TryFields
        definition={definition}
        isChanged={isChanged}
        contact={contact}
        form={form}
        issueAt={(parameter) => issueAt(error, parameter)}
        isBusy={dryRun.isPending}
        hasResult={result !== undefined}
        onContact={setContact}
        onChange={setForm}
        onSubmit={() => contact && dryRun.mutate(contact)}
      />
      {issues && <Warning>{t('try.problems')}</Warning>}
      {error && !issues && !isShownByFields(error, fields) ? <ErrorNotice error={error} /> : null}
      {result && entries ? (
        <Result
          result={result}
          entries={entries}
          definition={definition}
          selected={selected}
          onSelect={setSelected}
        />
      ) : (
        !error && (
          <EmptyState icon="play" title={t('try.empty')}>
            {t('try.emptyText')}
          </EmptyState>
        )
      )}
    </Split>
  );
}

interface ResultProps {
  result: AutomationDryRun;
  entries: readonly Entry[];
  definition: FlowDefinition;
  selected: string | undefined;
  onSelect: (stepId: string) => void;
}

function Result({ result, entries, definition, selected, onSelect }: ResultProps) {
  const { t, language } = useTranslator();
  const { startReason, status, stoppedBy, error, changes, startedAt, endedAt } = result;
  const took = Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <section className={styles.result} aria-label={t('runs.steps')}>
      {startReason !== null && (
        <Warning>
          {t('try.wouldNotStart', {
            reason: t(`why.reason.${startReason.code}`),
            todo: t(`why.todo.${startReason.code}`),
          })}
        </Warning>
      )}
      <p className={styles.outcome} role="status">
        <Icon name={status === 'completed' ? 'check' : 'warning'} />
        <span>
          {t(`try.status.${status}`)} {stoppedBy !== null && t(`try.stopped.${stoppedBy}`)}{' '}
          {took >= 1_000 && t('try.took', { duration: formatDuration(took, language) })}
        </span>
      </p>
      {error && <p className={styles.error}>{error.message}</p>}
      <TraceSteps definition={definition} trace={entries} selected={selected} onSelect={onSelect} />
      {changes.length > 0 && (
        <div>
          <h3>{t('try.changes')}</h3>
          <ul className={styles.changes}>
            {changes.map(({ field, from, to }) => (
              <li key={field} dir="auto">
                <code>{field}</code>: {from ?? '–'} → {to ?? '–'}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
