import type { Automation, AutomationRun } from '@parley/sdk';
import { type ReactNode, useState } from 'react';
import { useScope } from '../../../api/session.tsx';
import { AddressLink } from '../../../explain/address-link.tsx';
import { runAddress } from '../../../explain/links.ts';
import { useTranslator } from '../../../i18n/i18n.tsx';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { useListSelection } from '../../../ui/list-selection.ts';
import { EmptyState, Loaded } from '../../../ui/notices.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { RunsBulkBar } from './bulk-bar.tsx';
import { type RunStatus, runStatuses, useContactNames, useRuns } from './data.ts';
import styles from './runs.module.css';
import { RunStatusBadge } from './status.tsx';
import { useDescriber } from './trace-steps.tsx';

/** All runs of an automation, the newest first. They move while somebody looks. */
export function RunList({ automation }: { automation: Automation }) {
  const { t, formatNumber } = useTranslator();
  const [status, setStatus] = useState<RunStatus>();
  const list = useRuns(automation.id, status);
  const canWrite = useScope('automations:write');
  const rows = list.rows ?? [];
  const names = useContactNames(rows.map(({ contactId }) => contactId));
  const nameOf = ({ contactId }: AutomationRun): string => names.get(contactId) ?? t('runs.unknownContact');

  const selection = useListSelection(`${automation.id} ${status ?? ''}`, rows);
  const choiceOf = (run: AutomationRun): ReactNode =>
    canWrite && (
      <input
        type="checkbox"
        className={styles.choice}
        checked={selection.has(run.id)}
        aria-label={t('runs.choose', { name: nameOf(run) })}
        onChange={() => selection.toggle(run.id)}
      />
    );
  const columns = useColumns(automation, nameOf, choiceOf);
  return (
    <div className={styles.list}>
      <div className={styles.tools}>
        <SelectField
          label={t('runs.filter')}
          value={status ?? ''}
          options={[
            { value: '', label: t('runs.all') },
            ...runStatuses.map((one) => ({ value: one, label: t(`runs.status.${one}`) })),
          ]}
          onChange={(value) => setStatus(value === '' ? undefined : (value as RunStatus))}
        />
        <span className={styles.total} role="status">
          {list.total &&
            `${t('results.runs', { count: list.total.count })}${list.total.isCapped ? ' +' : ''}`}
        </span>
        {canWrite && rows.length > 0 && (
          <Button look="quiet" onClick={selection.toggleAll}>
            {t(selection.hasAll ? 'runs.clear' : 'runs.chooseAll')}
          </Button>
        )}
      </div>
      <Loaded query={{ data: list.rows, error: list.error, refetch: list.refetch }} lines={6}>
        {(found) =>
          found.length > 0 ? (
            <Table label={t('runs.tab.runs')} columns={columns} rows={found} keyOf={({ id }) => id} />
          ) : (
            <EmptyState icon="automation" title={t(status ? 'runs.none' : 'runs.empty')}>
              {t(status ? 'runs.noneText' : 'runs.emptyText')}
            </EmptyState>
          )
        }
      </Loaded>
      {list.hasMore && (
        <Button onClick={list.readMore} isBusy={list.isReadingMore}>
          {t('runs.older')}
        </Button>
      )}
      {selection.ids && (
        <RunsBulkBar
          automationId={automation.id}
          status={status}
          ids={selection.ids}
          total={formatNumber(list.total?.count ?? 0)}
          onSelectAll={
            selection.ids !== 'all' && selection.hasAll && list.hasMore ? selection.selectAll : undefined
          }
          onClear={selection.clear}
        />
      )}
    </div>
  );
}

function useColumns(
  automation: Automation,
  nameOf: (run: AutomationRun) => string,
  choiceOf: (run: AutomationRun) => ReactNode,
): readonly Column<AutomationRun>[] {
  const { t } = useTranslator();
  const describer = useDescriber();
  const versions = [
    automation.latestVersion,
    ...(automation.activeVersion ? [automation.activeVersion] : []),
  ];
  const stepTitle = ({ step: id, versionId }: AutomationRun): string => {
    if (id === null) return '';
    const step = versions.find((one) => one.id === versionId)?.steps.find((one) => one.id === id);
    return step ? describer.stepTitle(step) : id;
  };
  return [
    {
      id: 'contact',
      title: t('runs.contact'),
      cell: (run) => (
        <span className={styles.who}>
          {choiceOf(run)}
          <AddressLink address={runAddress(automation.id, run.id)} className={styles.runLink}>
            <span dir="auto">{nameOf(run)}</span>
          </AddressLink>
        </span>
      ),
    },
    { id: 'status', title: t('runs.state'), cell: ({ status }) => <RunStatusBadge status={status} /> },
    {
      id: 'step',
      title: t('runs.step'),
      isExtra: true,
      cell: (run) => (
        <span className={styles.where}>
          {stepTitle(run)}
          {run.error && <span className={styles.cause}>{run.error.message}</span>}
        </span>
      ),
    },
    {
      id: 'started',
      title: t('runs.started'),
      align: 'end',
      cell: ({ startedAt }) => (startedAt === null ? t('runs.notStarted') : <RelativeTime at={startedAt} />),
    },
  ];
}
