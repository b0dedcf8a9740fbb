import { useEffect, useEffectEvent, useState } from 'react';
import { useScope } from '../../api/session.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { useToast } from '../../ui/toast.tsx';
import { AssignPicker } from './assign-picker.tsx';
import {
  type BulkAction,
  type BulkChange,
  cancelBulkChange,
  forgetBulkChange,
  isRunning,
  startBulkChange,
  useBulkChange,
} from './bulk.ts';
import styles from './bulk-bar.module.css';
import { BulkLabelPicker } from './bulk-labels.tsx';
import type { Selection } from './selection.ts';
import { TimePicker } from './time-picker.tsx';

export type BulkDialog = 'assign' | 'snooze' | 'labels';

const SIMPLE: readonly { text: 'close' | 'open' | 'read' | 'unread'; icon: IconName; action: BulkAction }[] =
  [
    { text: 'close', icon: 'check', action: { type: 'status', status: 'closed' } },
    { text: 'open', icon: 'inbox', action: { type: 'status', status: 'open' } },
    { text: 'read', icon: 'openMail', action: { type: 'read' } },
    { text: 'unread', icon: 'mail', action: { type: 'unread' } },
  ];

interface BulkBarProps {
  selection: Selection;
  /** The filter of the view; undefined if it has none, so that not all of it can be chosen. */
  query: string | undefined;
  dialog: BulkDialog | undefined;
  onDialog: (dialog: BulkDialog | undefined) => void;
}

/** What can be done to the chosen chats, and how far what was asked for is. */
export function BulkBar(props: BulkBarProps) {
  const bulk = useBulkChange();
  const isEmpty = props.selection.ids.size === 0;
  const close = useEffectEvent(() => props.onDialog(undefined));
  // All chosen chats may leave the list while a dialog is open.
  useEffect(() => {
    if (isEmpty) close();
  }, [isEmpty]);
  return (
    <>
      {bulk && <Progress bulk={bulk} />}
      {!isEmpty && <Actions {...props} />}
    </>
  );
}

/** Starts an action for what is chosen, which is then no longer chosen. */
export function useBulkAction(selection: Selection, query: string | undefined): (action: BulkAction) => void {
  const { t } = useTranslator();
  const toast = useToast();
  return (action) => {
    const chats = selection.isAll && query !== undefined ? { query } : { ids: [...selection.ids] };
    if (startBulkChange(chats, action)) selection.clear();
    else toast({ text: t('bulk.busy'), look: 'bad' });
  };
}

function Actions({ selection, query, dialog, onDialog }: BulkBarProps) {
  const { t } = useTranslator();
  const canLabel = useScope('contacts:write');
  const isBusy = isRunning(useBulkChange());
  const start = useBulkAction(selection, query);
  const run = (action: BulkAction): void => {
    onDialog(undefined);
    start(action);
  };
  const close = (): void => onDialog(undefined);
  const { count } = selection;
  return (
    <section className={styles.bar} aria-label={t('bulk.label')}>
      <p className={styles.count} role="status">
        {count === undefined ? t('bulk.all') : t('bulk.selected', { count })}
      </p>
      {query !== undefined && !selection.isAll && (
        <Button look="quiet" onClick={selection.selectAll}>
          {t('bulk.selectAll')}
        </Button>
      )}
      <IconButton icon="close" label={t('bulk.clear')} onClick={selection.clear} />
      <div className={styles.actions}>
        <IconButton
          icon="assign"
          label={t('inbox.assign')}
          disabled={isBusy}
          onClick={() => onDialog('assign')}
        />
        <IconButton
          icon="clock"
          label={t('inbox.snooze')}
          disabled={isBusy}
          onClick={() => onDialog('snooze')}
        />
        {canLabel && (
          <IconButton
            icon="label"
            label={t('bulk.labels')}
            disabled={isBusy}
            onClick={() => onDialog('labels')}
          />
        )}
        {SIMPLE.map(({ text, icon, action }) => (
          <IconButton
            key={text}
            icon={icon}
            label={t(`bulk.${text}`)}
            disabled={isBusy}
            onClick={() => run(action)}
          />
        ))}
      </div>
      {dialog === 'assign' && (
        <AssignPicker onPick={(assignment) => run({ type: 'assign', ...assignment })} onClose={close} />
      )}
      {dialog === 'snooze' && (
        <TimePicker
          purpose="snooze"
          onPick={(until) => run({ type: 'status', status: 'snoozed', snoozedUntil: until.toISOString() })}
          onClose={close}
        />
      )}
      {dialog === 'labels' && <BulkLabelPicker onPick={run} onClose={close} />}
    </section>
  );
}

/** How far a change is. One without problems ends with a short message; otherwise it says what went wrong. */
function Progress({ bulk }: { bulk: BulkChange }) {
  const { t } = useTranslator();
  const toast = useToast();
  const { job, error } = bulk;
  const isDone = job?.status === 'completed' && job.failed === 0;
  const done = job?.done ?? 0;
  useEffect(() => {
    if (!isDone) return;
    toast({ text: t('bulk.done', { count: done }) });
    forgetBulkChange();
  }, [isDone, done, toast, t]);
  if (isDone) return null;
  const isBusy = isRunning(bulk);
  return (
    <section className={styles.progress} aria-label={t('bulk.progress')}>
      {error ? (
        <ErrorNotice error={error} />
      ) : isBusy ? (
        <>
          <p className={styles.count} role="status">
            {job?.total ? t('bulk.running', { done, total: job.total }) : t('bulk.starting')}
          </p>
          <progress className={styles.line} max={job?.total ?? 1} value={job?.total ? done : 0} />
        </>
      ) : (
        job && (
          <div className={styles.result} role="status">
            <p>
              {t(`bulk.${job.status as 'completed' | 'failed' | 'cancelled'}`, { done, failed: job.failed })}
            </p>
            {job.errors.map((reason) => (
              <p key={reason} className={styles.reason}>
                {reason}
              </p>
            ))}
          </div>
        )
      )}
      {isBusy && job ? (
        <CancelButton onCancel={() => cancelBulkChange(job)} />
      ) : (
        !isBusy && <IconButton icon="close" label={t('action.close')} onClick={forgetBulkChange} />
      )}
    </section>
  );
}

function CancelButton({ onCancel }: { onCancel: () => Promise<void> }) {
  const { t } = useTranslator();
  const [isBusy, setIsBusy] = useState(false);
  return (
    <Button
      look="quiet"
      isBusy={isBusy}
      onClick={() => {
        setIsBusy(true);
        void onCancel().finally(() => setIsBusy(false));
      }}
    >
      {t('action.cancel')}
    </Button>
  );
}
