import { useTranslator } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import type { Counts, RecipientStatus } from './data.ts';
import styles from './progress.module.css';

/** In the order of the bar: what went best comes first. */
export const STATUSES: readonly RecipientStatus[] = [
  'read',
  'delivered',
  'sent',
  'failed',
  'skipped',
  'queued',
];

export const totalOf = (counts: Counts): number => STATUSES.reduce((sum, status) => sum + counts[status], 0);
/** How many are not waiting any more. */
export const doneOf = (counts: Counts): number => totalOf(counts) - counts.queued;

/** How far a campaign has got: one bar with a part for each status. */
export function ProgressBar({ counts, label }: { counts: Counts; label: string }) {
  const { t } = useTranslator();
  const total = totalOf(counts);
  const done = doneOf(counts);
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={t('campaigns.progress', { done, total })}
    >
      {STATUSES.filter((status) => status !== 'queued' && counts[status] > 0).map((status) => (
        <span
          key={status}
          className={classes(styles.part, styles[status])}
          style={{ flexGrow: counts[status] }}
        />
      ))}
      {counts.queued > 0 && <span className={styles.rest} style={{ flexGrow: counts.queued }} />}
    </div>
  );
}

interface ResultsProps {
  counts: Counts;
  chosen: RecipientStatus | undefined;
  onChoose: (status: RecipientStatus | undefined) => void;
}

/** The number in each status. Each is a button that shows only those. */
export function Results({ counts, chosen, onChoose }: ResultsProps) {
  const { t, formatNumber, formatPercent } = useTranslator();
  const total = totalOf(counts);
  return (
    <div className={styles.results}>
      {STATUSES.map((status) => (
        <button
          key={status}
          type="button"
          className={classes(styles.result, chosen === status && styles.chosen)}
          aria-pressed={chosen === status}
          onClick={() => onChoose(chosen === status ? undefined : status)}
        >
          <span className={styles.name}>
            <span className={classes(styles.dot, styles[status])} />
            {t(`campaigns.recipient.${status}`)}
          </span>
          <span className={styles.count}>{formatNumber(counts[status])}</span>
          <span className={styles.share}>
            {total === 0 ? '–' : formatPercent(shareOf(counts[status], total) / 100)}
          </span>
        </button>
      ))}
    </div>
  );
}

/** Whole per cent, but never 0 for some and never 100 for less than all. */
function shareOf(count: number, total: number): number {
  const share = Math.round((count * 100) / total);
  if (count > 0 && share === 0) return 1;
  return count < total && share === 100 ? 99 : share;
}
