import { useMemo } from 'react';
import type { PlainKey } from '../../i18n/catalogue.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Chart, type Series } from './chart.tsx';
import { type ReportName, type ReportRow, useReport } from './data.ts';
import { useDuration, usePoints } from './format.ts';
import type { Period } from './period.ts';
import styles from './reports.module.css';

export interface Scope {
  period: Period;
  /** A filter by channel and team. */
  query: string | undefined;
  zone: string;
}

type Figure = Exclude<keyof ReportRow, 'at' | 'group'>;
interface Tile {
  report: ReportName;
  figure: Figure;
  title: PlainKey;
  help: PlainKey;
  isDuration?: true;
  /** Whether more of it is better; undefined if it is neither. */
  isGood?: boolean;
}

const TILES: readonly Tile[] = [
  { report: 'volumes', figure: 'received', title: 'reports.received', help: 'reports.receivedHelp' },
  { report: 'volumes', figure: 'sent', title: 'reports.sent', help: 'reports.sentHelp' },
  { report: 'volumes', figure: 'opened', title: 'reports.opened', help: 'reports.openedHelp' },
  { report: 'volumes', figure: 'reopened', title: 'reports.reopened', help: 'reports.reopenedHelp' },
  { report: 'volumes', figure: 'closed', title: 'reports.closed', help: 'reports.closedHelp' },
  {
    report: 'volumes',
    figure: 'failed',
    title: 'reports.failed',
    help: 'reports.failedHelp',
    isGood: false,
  },
  {
    report: 'response_times',
    figure: 'firstResponseMedianSeconds',
    title: 'reports.firstMedian',
    help: 'reports.firstHelp',
    isDuration: true,
    isGood: false,
  },
  {
    report: 'response_times',
    figure: 'laterResponseMedianSeconds',
    title: 'reports.laterMedian',
    help: 'reports.laterHelp',
    isDuration: true,
    isGood: false,
  },
];

const restOf = ({ query }: Scope) => (query === undefined ? {} : { query });

/** The figures of a whole period. */
function useTotals(scope: Scope, { from, to }: { from: string; to: string }) {
  const asked = { from, to, ...restOf(scope) };
  const volumes = useReport({ name: 'volumes', ...asked });
  const times = useReport({ name: 'response_times', ...asked });
  return {
    data:
      volumes.data && times.data
        ? { volumes: volumes.data[0] as ReportRow, response_times: times.data[0] as ReportRow }
        : undefined,
    error: volumes.error ?? times.error,
    refetch: () => Promise.all([volumes.refetch(), times.refetch()]),
  };
}

/** How much happened, and whether that is more than before. */
export function Overview({ scope }: { scope: Scope }) {
  const { t } = useTranslator();
  const now = useTotals(scope, scope.period);
  const before = useTotals(scope, scope.period.before);
  return (
    <Loaded query={now} lines={6}>
      {(totals) => {
        const { received, sent, opened, closed, failed } = totals.volumes;
        if ([received, sent, opened, closed, failed].every((count) => count === 0))
          return (
            <EmptyState icon="chart" title={t('reports.empty')}>
              {t('reports.emptyText')}
            </EmptyState>
          );
        return (
          <>
            <ul className={styles.tiles} aria-label={t('reports.overview')}>
              {TILES.map((tile) => (
                <TileCard
                  key={tile.figure}
                  tile={tile}
                  now={totals[tile.report as 'volumes'][tile.figure] ?? null}
                  before={before.data?.[tile.report as 'volumes'][tile.figure]}
                />
              ))}
            </ul>
            <Charts scope={scope} />
          </>
        );
      }}
    </Loaded>
  );
}

interface TileProps {
  tile: Tile;
  now: number | null;
  before: number | null | undefined;
}

function TileCard({ tile: { title, help, isDuration, isGood }, now, before }: TileProps) {
  const { t, formatNumber } = useTranslator();
  const formatDuration = useDuration();
  const format = (value: number | null): string =>
    isDuration ? formatDuration(value) : formatNumber(value ?? 0);
  return (
    <li className={styles.tile}>
      <p className={styles.tileTitle} title={t(help)}>
        {t(title)}
      </p>
      <p className={styles.value}>{format(now)}</p>
      <p className={styles.before}>
        <Change now={now} before={before} isGood={isGood} />
        {before === null
          ? t('reports.noneBefore')
          : before !== undefined && t('reports.before', { value: format(before) })}
      </p>
    </li>
  );
}

/** By how much it has changed. Good and bad are said by the sign, too. */
function Change({
  now,
  before,
  isGood,
}: Pick<TileProps, 'now' | 'before'> & { isGood: boolean | undefined }) {
  const { language } = useTranslator();
  if (!now || !before || now === before) return null;
  const part = now / before - 1;
  const percent = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  }).format(part);
  const look = isGood === undefined ? undefined : part > 0 === isGood ? styles.better : styles.worse;
  return <span className={classes(styles.change, look)}>{percent} </span>;
}

interface ChartOf {
  id: string;
  report: ReportName;
  title: PlainKey;
  isDuration?: true;
  lines: readonly { figure: Figure; label: PlainKey }[];
}
const CHARTS: readonly ChartOf[] = [
  {
    id: 'messages',
    report: 'volumes',
    title: 'reports.messages',
    lines: [
      { figure: 'received', label: 'reports.received' },
      { figure: 'sent', label: 'reports.sent' },
    ],
  },
  {
    id: 'chats',
    report: 'volumes',
    title: 'reports.chats',
    lines: [
      { figure: 'opened', label: 'reports.opened' },
      { figure: 'closed', label: 'reports.closed' },
    ],
  },
  {
    id: 'responses',
    report: 'response_times',
    title: 'reports.responseTimes',
    isDuration: true,
    lines: [
      { figure: 'firstResponseMedianSeconds', label: 'reports.firstShort' },
      { figure: 'laterResponseMedianSeconds', label: 'reports.laterShort' },
    ],
  },
];

function Charts({ scope }: { scope: Scope }) {
  const { from, to, interval } = scope.period;
  const asked = { from, to, interval, timezone: scope.zone, ...restOf(scope) };
  const volumes = useReport({ name: 'volumes', ...asked });
  const times = useReport({ name: 'response_times', ...asked });
  const read = { volumes, response_times: times } as const;
  return (
    <div className={styles.charts}>
      {CHARTS.map((chart) => (
        <Loaded key={chart.id} query={read[chart.report as 'volumes']} lines={4}>
          {(rows) => <Lines chart={chart} rows={rows} scope={scope} />}
        </Loaded>
      ))}
    </div>
  );
}

function Lines({ chart, rows, scope }: { chart: ChartOf; rows: readonly ReportRow[]; scope: Scope }) {
  const { t, formatNumber } = useTranslator();
  const formatDuration = useDuration();
  // What is still to come is no zero.
  const past = useMemo(() => rows.filter(({ at }) => Date.parse(at) <= Date.now()), [rows]);
  const points = usePoints(
    past.map(({ at }) => at),
    scope.period.interval,
    scope.zone,
  );
  const series = useMemo<Series[]>(
    () =>
      chart.lines.map(({ figure, label }, index) => ({
        id: figure,
        label: t(label),
        look: index === 0 ? 'first' : 'second',
        values: past.map((row) => row[figure] ?? null),
      })),
    [chart, past, t],
  );
  const format = useMemo(
    () =>
      chart.isDuration
        ? formatDuration
        : (value: number | null) => (value === null ? '–' : formatNumber(value)),
    [chart, formatDuration, formatNumber],
  );
  return (
    <Chart
      title={t(chart.title)}
      points={points}
      series={series}
      format={format}
      {...(chart.isDuration ? { step: 60 } : {})}
    />
  );
}
