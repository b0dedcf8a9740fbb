import type { View } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import type { useCounts } from './data.ts';
import styles from './inbox.module.css';
import { BUILT_IN, titleKeyOf, VIEW_ICONS } from './views.ts';

interface ViewsProps {
  current: string;
  saved: readonly View[];
  counts: ReturnType<typeof useCounts>;
}

/** All views with how many chats they have. */
export function ViewsPane({ current, saved, counts }: ViewsProps) {
  const t = useText();
  const linkOf = (id: string, icon: (typeof VIEW_ICONS)['open'], title: string) => (
    <li key={id}>
      <Link
        to="/inbox"
        search={{ view: id } as never}
        className={classes(styles.view, current === id && styles.current)}
        aria-current={current === id ? 'true' : undefined}
      >
        <Icon name={icon} />
        <span className={styles.viewName} dir="auto">
          {title}
        </span>
        <Count count={counts.get(id)} />
      </Link>
    </li>
  );
  return (
    <nav className={styles.views} aria-label={t('inbox.views')}>
      <p className={styles.heading}>{t('inbox.title')}</p>
      <ul>{BUILT_IN.map((id) => linkOf(id, VIEW_ICONS[id], t(titleKeyOf(id))))}</ul>
      {saved.length > 0 && (
        <>
          <h2 className={styles.subheading}>{t('inbox.saved')}</h2>
          <ul>{saved.map(({ id, name }) => linkOf(id, 'filter', name))}</ul>
        </>
      )}
    </nav>
  );
}

function Count({ count }: { count: { total: number; totalIsCapped: boolean } | undefined }) {
  const { formatNumber } = useTranslator();
  if (!count || count.total === 0) return null;
  return (
    <span className={styles.viewCount}>
      {formatNumber(count.total)}
      {count.totalIsCapped && '+'}
    </span>
  );
}

/** The same in one line, where there is no place for a column. */
export function ViewSelect({
  current,
  saved,
  counts,
  onChoose,
}: ViewsProps & { onChoose: (id: string) => void }) {
  const { t, formatNumber } = useTranslator();
  const countOf = (id: string): string => {
    const total = counts.get(id)?.total;
    return total ? ` (${formatNumber(total)})` : '';
  };
  return (
    <select
      className={styles.select}
      aria-label={t('inbox.views')}
      value={current}
      onChange={(event) => onChoose(event.target.value)}
    >
      {BUILT_IN.map((id) => (
        <option key={id} value={id}>
          {t(titleKeyOf(id)) + countOf(id)}
        </option>
      ))}
      {saved.map(({ id, name }) => (
        <option key={id} value={id}>
          {name + countOf(id)}
        </option>
      ))}
    </select>
  );
}
