import { changeAutomationRuns } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../../api/api.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { JobDialog } from '../../../ui/job-dialog.tsx';
import { queryOf, type RunStatus } from './data.ts';
import styles from './runs.module.css';

interface RunsBulkBarProps {
  automationId: string;
  status: RunStatus | undefined;
  /** Some runs, or all that the filter finds. */
  ids: readonly string[] | 'all';
  total: string;
  /** Left out where all are selected, or no more exist. */
  onSelectAll: (() => void) | undefined;
  onClear: () => void;
}

type Action = 'cancel' | 'retry';

/** What can be done to the runs that are selected. */
export function RunsBulkBar({ automationId, status, ids, total, onSelectAll, onClear }: RunsBulkBarProps) {
  const t = useText();
  const [isAsking, setIsAsking] = useState(false);
  const [job, setJob] = useState<{ id: string; action: Action }>();
  const change = useWrite(
    (action: Action) =>
      changeAutomationRuns(client, {
        body: {
          action,
          ...(ids === 'all' ? { query: queryOf(automationId, status) } : { ids: [...ids] }),
        },
      }),
    {
      onSuccess: ({ jobId }, action) => {
        setIsAsking(false);
        setJob({ id: jobId, action });
      },
    },
  );
  return (
    <section className={styles.bulk} aria-label={t('runs.chooseAll')}>
      <span>
        {ids === 'all' ? t('runs.allSelected', { total }) : t('runs.selected', { count: ids.length })}
      </span>
      {onSelectAll && (
        <Button look="quiet" onClick={onSelectAll}>
          {t('runs.selectAll', { total })}
        </Button>
      )}
      <span className={styles.gap} />
      <Button isBusy={change.isPending} disabled={ids.length === 0} onClick={() => change.mutate('retry')}>
        {t('runs.retry')}
      </Button>
      <Button look="danger" disabled={ids.length === 0} onClick={() => setIsAsking(true)}>
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
