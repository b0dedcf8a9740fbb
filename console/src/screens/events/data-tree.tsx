import { useTranslator } from '../../i18n/i18n.tsx';
import styles from './events.module.css';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
/** More of one list, or of one text, is in the JSON. */
const SHOWN_ENTRIES = 50;
const SHOWN_CHARACTERS = 2_000;
const MAX_DEPTH = 6;

/** The names and values of some data, one in the other. Long lists are closed at first. */
export function DataTree({ value, depth = 0 }: { value: object; depth?: number }) {
  const { t } = useTranslator();
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className={styles.muted}>{t('events.nothingIn')}</span>;
  return (
    <dl className={styles.data}>
      {entries.slice(0, SHOWN_ENTRIES).map(([name, inner]) => (
        <div key={name} className={styles.datum}>
          <dt>{name}</dt>
          <dd>
            <Value value={inner} depth={depth} />
          </dd>
        </div>
      ))}
      {entries.length > SHOWN_ENTRIES && (
        <div className={styles.datum}>
          <dt>…</dt>
          <dd className={styles.muted}>{t('events.entries', { count: entries.length })}</dd>
        </div>
      )}
    </dl>
  );
}

function Value({ value, depth }: { value: unknown; depth: number }) {
  const { t, formatDate, formatNumber } = useTranslator();
  if (value === null || value === undefined || value === '')
    return <span className={styles.muted}>{t('events.nothingIn')}</span>;
  if (typeof value === 'boolean') return t(value ? 'events.yes' : 'events.no');
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'object') {
    const count = Object.keys(value).length;
    if (count === 0 || depth >= MAX_DEPTH)
      return <span className={styles.muted}>{t('events.entries', { count })}</span>;
    return (
      <details open={depth < 1 && count < 12}>
        <summary>{t('events.entries', { count })}</summary>
        <DataTree value={value} depth={depth + 1} />
      </details>
    );
  }
  const text = String(value);
  const date = TIME.test(text) ? new Date(text) : undefined;
  if (date && !Number.isNaN(date.getTime()))
    return (
      <time dateTime={text} title={text}>
        {formatDate(date, 'full')}
      </time>
    );
  return <span dir="auto">{text.slice(0, SHOWN_CHARACTERS)}</span>;
}
