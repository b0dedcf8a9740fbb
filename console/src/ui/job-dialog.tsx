import { cancelJob, type Job } from '@parley/sdk';
import { useEffect, useEffectEvent } from 'react';
import { client, useWrite } from '../api/api.ts';
import { hasEnded, useJob } from '../api/jobs.ts';
import { useTranslator } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import styles from './job-dialog.module.css';
import { Loaded } from './notices.tsx';
import { ProgressBar } from './progress-bar.tsx';

interface JobDialogProps {
  /** What the job does. */
  title: string;
  jobId: string;
  /** Called once, when nothing more will change. */
  onEnd: () => void;
  onClose: () => void;
  /** Of the operator, whose jobs belong to any tenant and cannot be cancelled. */
  read?: Parameters<typeof useJob>[1];
}

/** A job while it is worked on. Closing the window does not end it. */
export function JobDialog({ title, jobId, onEnd, onClose, read }: JobDialogProps) {
  const { t } = useTranslator();
  const job = useJob(jobId, read);
  const cancel = useWrite(() => cancelJob(client, { path: { jobId } }), { invalidates: [['jobs', jobId]] });
  const isOver = job.data !== undefined && hasEnded(job.data);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (isOver) end();
  }, [isOver]);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          {!isOver && read === undefined && (
            <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
              {t('job.cancel')}
            </Button>
          )}
          <Button look={isOver ? 'primary' : 'normal'} onClick={onClose}>
            {t(isOver ? 'action.close' : 'job.background')}
          </Button>
        </>
      }
    >
      <Loaded query={job} lines={2}>
        {(data) => <Progress job={data} />}
      </Loaded>
    </Dialog>
  );
}

function Progress({ job: { status, done, failed, total, errors } }: { job: Job }) {
  const { t, translate, formatNumber } = useTranslator();
  const reached = done + failed;
  const isOver = status === 'completed';
  return (
    <>
      <ProgressBar
        label={t(`job.${status}`)}
        share={isOver ? 1 : total === null ? undefined : reached / (total || 1)}
      />
      <p role="status">
        {t(`job.${status}`)}{' '}
        <span className={styles.numbers}>
          {total === null
            ? formatNumber(done)
            : t('job.done', { done: formatNumber(done), total: formatNumber(total) })}
          {failed > 0 && ` · ${t('job.failedItems', { count: failed })}`}
        </span>
      </p>
      {errors.length > 0 && (
        <ul className={styles.errors}>
          {errors.map((error) => (
            <li key={error}>{translate(error)}</li>
          ))}
        </ul>
      )}
    </>
  );
}
