import type { WebhookStats } from '@parley/sdk';
import { useState } from 'react';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { rateOf, sumOf, useStats } from './data.ts';
import styles from './webhooks.module.css';

type Interval = WebhookStats['intervals'][number];
/** From the bottom up. */
const PARTS = ['delivered', 'pending', 'failed'] as const;
const totalOf = ({ delivered, failed, pending }: Interval): number => delivered + failed + pending;

/** How tall the bars can be, and how wide each is with its gap. */
const HEIGHT = 40;
const STEP = 8;
const WIDTH = 6;

/** A bar for each hour or day. The numbers are also said in words. */
function StatBars({ stats, isSmall = false }: { stats: WebhookStats; isSmall?: boolean }) {
  const { t } = useTranslator();
  const nameOf = useIntervalName(stats.interval);
  const most = Math.max(1, ...stats.intervals.map(totalOf));
  return (
    <svg
      className={isSmall ? styles.smallBars : styles.bars}
      viewBox={`0 0 ${stats.intervals.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('webhooks.chart', sumOf(stats))}
    >
      {stats.intervals.map((one, index) => (
        <g key={one.start}>
          <title>{t('webhooks.bar', { ...pick(one), time: nameOf(one) })}</title>
          {PARTS.map((part, position) => {
            const below = PARTS.slice(0, position).reduce((sum, name) => sum + one[name], 0);
            return (
              one[part] > 0 && (
                <rect
                  key={part}
                  className={styles[part]}
                  x={index * STEP}
                  width={WIDTH}
                  y={HEIGHT - ((below + one[part]) / most) * HEIGHT}
                  height={(one[part] / most) * HEIGHT}
                />
              )
            );
          })}
          {totalOf(one) === 0 && (
            <rect className={styles.nothing} x={index * STEP} width={WIDTH} y={HEIGHT - 1} height={1} />
          )}
        </g>
      ))}
    </svg>
  );
}

const pick = ({ delivered, failed, pending }: Interval) => ({ delivered, failed, pending });

function useIntervalName(interval: WebhookStats['interval']): (one: Interval) => string {
  const { formatDate } = useTranslator();
  return ({ start }) => formatDate(new Date(start), interval === 'hour' ? 'time' : 'date');
}

/** The statistics of a webhook: bars, and the same as a table. */
export function Stats({ webhookId }: { webhookId: string }) {
  const { t, formatNumber } = useTranslator();
  const [interval, setInterval] = useState<WebhookStats['interval']>('hour');
  const query = useStats(webhookId, interval);
  const nameOf = useIntervalName(interval);
  return (
    <>
      <div className={styles.tabs}>
        <Tabs
          label={t('webhooks.stats')}
          tabs={(['hour', 'day'] as const).map((id) => ({ id, label: t(`webhooks.interval.${id}`) }))}
          chosen={interval}
          onChoose={setInterval}
        />
      </div>
      <Loaded query={query} lines={2}>
        {(stats) => (
          <>
            <StatBars stats={stats} />
            <p className={styles.muted}>{t('webhooks.chart', sumOf(stats))}</p>
            <details className={styles.wide}>
              <summary className={styles.summary}>{t('webhooks.asTable')}</summary>
              <Table<Interval>
                label={t('webhooks.stats')}
                rows={stats.intervals.filter((one) => totalOf(one) > 0)}
                keyOf={({ start }) => start}
                columns={[
                  { id: 'time', title: t('webhooks.time'), cell: nameOf },
                  ...(['delivered', 'failed', 'pending'] as const).map((part) => ({
                    id: part,
                    title: t(`webhooks.${part}`),
                    align: 'end' as const,
                    cell: (one: Interval) => formatNumber(one[part]),
                  })),
                  {
                    id: 'p95',
                    title: t('webhooks.most'),
                    align: 'end',
                    isExtra: true,
                    cell: ({ p95Ms }) => (p95Ms === null ? '–' : t('webhooks.ms', { ms: p95Ms })),
                  },
                ]}
              />
            </details>
          </>
        )}
      </Loaded>
    </>
  );
}

/** The success of a day in a few words and a picture. */
export function Health({ webhookId }: { webhookId: string }) {
  const t = useText();
  const rate = useRate();
  const { data } = useStats(webhookId);
  if (!data) return null;
  const sum = sumOf(data);
  return (
    <div className={styles.health}>
      <StatBars stats={data} isSmall />
      <div className={styles.muted}>
        {rateOf(sum) === undefined && sum.pending === 0
          ? t('webhooks.noDeliveries')
          : [
              ...(rateOf(sum) === undefined ? [] : [t('webhooks.rate', { rate: rate(sum) })]),
              ...(sum.pending > 0 ? [t('webhooks.waiting', { count: sum.pending })] : []),
            ].join(' · ')}
      </div>
    </div>
  );
}

/** A part of deliveries in percent, rounded down: what is not perfect is not called so. */
export function useRate(): (counts: Parameters<typeof rateOf>[0]) => string {
  const { formatPercent } = useTranslator();
  return (counts) => {
    const rate = rateOf(counts);
    return rate === undefined ? '–' : formatPercent(Math.floor(rate * 1000) / 1000, 1);
  };
}
