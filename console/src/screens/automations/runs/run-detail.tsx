import {
  type Automation,
  type AutomationRunWithTrace,
  type AutomationVersion,
  cancelAutomationRun,
  retryAutomationRun,
} from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { client, useWrite } from '../../../api/api.ts';
import { statusOf } from '../../../api/errors.ts';
import { useScope } from '../../../api/session.tsx';
import { AddressLink } from '../../../explain/address-link.tsx';
import { formatDuration } from '../../../explain/duration.ts';
import { contactAddress, traceAddress } from '../../../explain/links.ts';
import { useTranslator } from '../../../i18n/i18n.tsx';
import { useKeys } from '../../../keys/keys.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { EmptyState, Loaded } from '../../../ui/notices.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { canRetry, isUnfinished, storeRun, useContactNames, useRun, useVersion } from './data.ts';
import { findTakenWays, paintRun } from './paint.ts';
import styles from './runs.module.css';
import { Split } from './split.tsx';
import { RunStatusBadge } from './status.tsx';
import { TraceSteps } from './trace-steps.tsx';

interface RunDetailProps {
  automation: Automation;
  runId: string;
  onBack: () => void;
}

/** One run: what it did, painted on the version that it uses, while it does it. */
export function RunDetail({ automation, runId, onBack }: RunDetailProps) {
  const { t } = useTranslator();
  const run = useRun(runId);
  const version = useVersion(automation.id, run.data?.versionId);
  useKeys([{ keys: 'Escape', label: t('runs.back'), run: onBack }]);
  if (statusOf(run.error) === 404)
    return (
      <EmptyState
        icon="automation"
        title={t('runs.gone')}
        action={<Button onClick={onBack}>{t('runs.back')}</Button>}
      >
        {t('runs.goneText')}
      </EmptyState>
    );
  return (
    <Loaded query={run} lines={8}>
      {(loaded) => (
        <Loaded query={version} lines={8}>
          {(used) => <OneRun run={loaded} version={used} onBack={onBack} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface OneRunProps {
  run: AutomationRunWithTrace;
  version: AutomationVersion;
  onBack: () => void;
}

function OneRun({ run, version, onBack }: OneRunProps) {
  const { t } = useTranslator();
  const [selected, setSelected] = useState<string>();
  const name = useContactNames([run.contactId]).get(run.contactId) ?? t('runs.unknownContact');
  return (
    <Split
      definition={version}
      paint={paintRun(run.trace, run.startedAt !== null)}
      taken={findTakenWays(run.trace, version, run.status === 'completed')}
      selected={selected}
      onSelect={setSelected}
    >
      <header className={styles.runHeader}>
        <Button look="quiet" icon="back" onClick={onBack}>
          {t('runs.back')}
        </Button>
        <h2 className={styles.runTitle} dir="auto">
          {t('runs.of', { name })}
        </h2>
      </header>
      <Facts facts={useRunFacts(run, version, name)} />
      {run.error && (
        <p className={styles.error} role="status">
          {run.error.message}
        </p>
      )}
      <RunActions run={run} />
      <TraceSteps
        definition={version}
        trace={run.trace}
        selected={selected}
        onSelect={setSelected}
        chatId={run.chatId}
      />
    </Split>
  );
}

function useRunFacts(
  run: AutomationRunWithTrace,
  version: AutomationVersion,
  name: string,
): (readonly [string, ReactNode])[] {
  const { t, language } = useTranslator();
  const canOpenContact = useScope('contacts:read');
  const { status, contactId, startedAt, endedAt } = run;
  return [
    [t('runs.state'), <RunStatusBadge key="status" status={status} />],
    [
      t('runs.contact'),
      canOpenContact ? (
        <AddressLink key="contact" address={contactAddress(contactId)}>
          {name}
        </AddressLink>
      ) : (
        name
      ),
    ],
    [
      t('runs.started'),
      startedAt === null ? t('runs.notStarted') : <RelativeTime key="started" at={startedAt} />,
    ],
    ...(endedAt === null
      ? []
      : [
          [t('runs.ended'), <RelativeTime key="ended" at={endedAt} />] as const,
          [
            t('runs.took'),
            formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt ?? endedAt)), language),
          ] as const,
        ]),
    [t('runs.version'), String(version.number)],
  ];
}

function RunActions({ run }: { run: AutomationRunWithTrace }) {
  const { t } = useTranslator();
  const cache = useQueryClient();
  const canWrite = useScope('automations:write');
  const [isAsking, setIsAsking] = useState(false);
  const path = { runId: run.id };
  const invalidates = [['automation_runs', 'one', run.id]];
  const retry = useWrite(() => retryAutomationRun(client, { path }), {
    done: 'runs.retried',
    invalidates,
    onSuccess: (changed) => void storeRun(cache, changed),
  });
  const cancel = useWrite(() => cancelAutomationRun(client, { path }), {
    done: 'runs.cancelled',
    invalidates,
    showsError: true,
    onSuccess: (changed) => {
      storeRun(cache, changed);
      setIsAsking(false);
    },
  });
  return (
    <div className={styles.actions}>
      {canWrite && canRetry(run) && (
        <Button look="primary" isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {t('runs.retryOne')}
        </Button>
      )}
      {canWrite && isUnfinished(run) && (
        <Button onClick={() => setIsAsking(true)}>{t('runs.cancelOne')}</Button>
      )}
      <AddressLink address={traceAddress(run.id)}>{t('trace.show')}</AddressLink>
      {isAsking && (
        <ConfirmDialog
          title={t('runs.cancelOneTitle')}
          text={t('runs.cancelOneText')}
          action={t('runs.cancelOne')}
          write={cancel}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}
