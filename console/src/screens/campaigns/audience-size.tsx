import { useTranslator } from '../../i18n/i18n.tsx';
import { Warning } from '../../ui/notices.tsx';
import styles from './campaigns.module.css';
import { useAudienceSize } from './data.ts';

/** How many people a filter matches now. */
export function AudienceSize({ query }: { query: string | null }) {
  const { t, formatNumber } = useTranslator();
  const { data } = useAudienceSize(query);
  if (!data) return <p className={styles.meta} role="status" />;
  if (data.total === 0) return <Warning>{t('campaigns.nobodyMatches')}</Warning>;
  const shown = `${formatNumber(data.total)}${data.isCapped ? '+' : ''}`;
  return (
    <p className={styles.meta} role="status">
      {data.total === 1 ? t('campaigns.matchesOne') : t('campaigns.matches', { total: shown })}
    </p>
  );
}
