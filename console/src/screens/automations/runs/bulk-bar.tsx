import { changeAutomationRuns } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../../api/api.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { JobDialog } from '../../../ui/job-dialog.tsx';
import { queryOf, type RunStatus } from './data.ts';
import styles from './runs.module.css';

/** Some runs, or all that the filter finds. */
export type RunSelection = { ids: readonly string[] } | { total: number };

interface RunsBulkBarProps {
  automationId: string;
  status: RunStatus | undefined;
  selection: RunSelection;
  total: string;
  /** Left out where all are selected, or no more exist. */
  onSelectAll: (() => void) | undefined;
  onClear: () => void;
}

type Action = 'cancel' | 'retry';

/** What can be done to the runs that are selected. */
export function RunsBulkBar({
  automationId,
  status,
  selection,
  total,
  onSelectAll,
  onClear,
}: RunsBulkBarProps) {
  const t = useText();
  const [isAsking, setIsAsking] = useState(false);
  const [job, setJob] = useState<{ id: string; action: Action }>();
  const change = useWrite(
    (type: Action) =>
      changeAutomationRuns(client, {
        body: {
          action: { type },
          ...('ids' in selection ? { ids: [...selection.ids] } : { query: queryOf(automationId, status) }),
        },
      }),
    {
      onSuccess: ({ id }, action) => {
        setIsAsking(false);
        setJob({ id, action });
      },
    },
  );
  return (
    <section className={styles.bulk} aria-label={t('runs.chooseAll')}>
      <span>
        {'ids' in selection
          ? t('runs.selected', { count: selection.ids.length })
          : t('runs.allSelected', { total })}
      </span>
      {onSelectAll && (
        <Button look="quiet" onClick={onSelectAll}>
          {t('runs.selectAll', { total })}
        </Button>
      )}
      <span className={styles.gap} />
      <Button isBusy={change.isPending} onClick={() => change.mutate('retry')}>
        {t('runs.retry')}
      </Button>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        {t('runs.cancel')}
      </Button>
      <Button look="quiet" onClick={onClear}>
        {t('runs.clear')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('runs.cancelTitle')}
          text={t('runs.cancelText')}
          action={t('runs.cancel')}
          write={{ mutate: () => change.mutate('cancel'), isPending: change.isPending, error: change.error }}
          onClose={() => setIsAsking(false)}
        />
      )}
      {job && (
        <JobDialog
          title={t(job.action === 'cancel' ? 'runs.jobCancel' : 'runs.jobRetry')}
          jobId={job.id}
          onEnd={() => {}}
          onClose={onClear}
        />
      )}
    </section>
  );
}
