import type { Import, ImportIssue } from '@parley/sdk';
import { useCanExport } from '../../api/session.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Table } from '../../ui/table.tsx';
import { isRunning, useErrorsPath } from './data.ts';
import styles from './imports.module.css';

/** The reason of a row that repeats a phone number or an email address. */
const DUPLICATE = 'duplicate_in_file';
const COUNTS = ['created', 'updated', 'skipped', 'failed'] as const;

/** How many rows can be, or were, imported. */
export const usableRows = ({ created, updated }: Import): number => created + updated;

/** An import while it is worked on, and what came of it. */
export function ImportResult({ of }: { of: Import }) {
  const { t, translate, formatNumber } = useTranslator();
  const { status, total, error, dryRun } = of;
  const done = COUNTS.reduce((sum, name) => sum + of[name], 0);
  const share = total === null ? undefined : done / (total || 1);
  return (
    <>
      <div role="status">
        <p className={styles.state}>{useStateText(of)}</p>
        {isRunning(of) && (
          <ProgressBar label={t(dryRun ? 'imports.checking' : 'imports.importing')} share={share} />
        )}
        <p className={styles.muted}>
          {total === null || !isRunning(of)
            ? t('imports.rows', { count: done })
            : t('imports.progress', { done: formatNumber(done), total: formatNumber(total) })}
        </p>
      </div>
      {status === 'failed' && error !== null && (
        <p className={styles.bad} role="alert">
          {translate(error)}
        </p>
      )}
      <dl className={styles.counts}>
        {COUNTS.map((name) => (
          <div
            key={name}
            className={classes(styles.count, name === 'failed' && of.failed > 0 && styles.badCount)}
          >
            <dt>{t(name === 'failed' ? 'imports.issues' : `imports.${name}`)}</dt>
            <dd>{formatNumber(of[name])}</dd>
          </div>
        ))}
      </dl>
      {of.issues.length > 0 && <Issues of={of} />}
    </>
  );
}

function useStateText({ status, dryRun }: Import): string {
  const { t } = useTranslator();
  if (status === 'queued') return t('imports.waiting');
  if (status === 'running') return t(dryRun ? 'imports.checking' : 'imports.importing');
  if (status === 'completed') return t(dryRun ? 'imports.checked' : 'imports.done');
  if (status === 'cancelled') return t(dryRun ? 'imports.checkCancelled' : 'imports.cancelled');
  return t('imports.failed');
}

function Issues({ of: { id, issues, failed } }: { of: Import }) {
  const { t, translate, formatNumber } = useTranslator();
  const pathOf = useErrorsPath();
  const canExport = useCanExport();
  return (
    <section className={styles.issues} aria-label={t('imports.issues')}>
      <div className={styles.issuesHeader}>
        <p className={styles.muted}>
          {t(canExport ? 'imports.issuesText' : 'imports.issuesNoFile')}
          {failed > issues.length &&
            ` ${t(canExport ? 'imports.issuesMore' : 'imports.issuesAsk', { count: issues.length })}`}
        </p>
        {canExport && (
          <LinkButton icon="download" href={pathOf(id)} download>
            {t('imports.errorsFile')}
          </LinkButton>
        )}
      </div>
      <div className={styles.issuesTable}>
        <Table<ImportIssue>
          label={t('imports.issues')}
          rows={issues}
          keyOf={({ row, column, reason }) => `${row} ${column} ${reason}`}
          columns={[
            { id: 'row', title: t('imports.row'), align: 'end', cell: ({ row }) => formatNumber(row) },
            {
              id: 'column',
              title: t('imports.cell'),
              cell: ({ column }) => column ?? <span className={styles.muted}>{t('imports.wholeRow')}</span>,
            },
            {
              id: 'reason',
              title: t('imports.reason'),
              cell: ({ reason }) => (reason === DUPLICATE ? t('imports.duplicate') : translate(reason)),
            },
          ]}
        />
      </div>
    </section>
  );
}
