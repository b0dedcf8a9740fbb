import { useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { usePreference } from '../../app/preferences.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Table } from '../../ui/table.tsx';
import styles from './chart.module.css';

export interface Series {
  id: string;
  label: string;
  /** Which of the colours of charts. */
  look: 'first' | 'second';
  values: readonly (number | null)[];
}

interface ChartProps {
  title: string;
  /** What each point is called, in the order of the values: short below the axis, long beside a value. */
  points: readonly { id: string; short: string; long: string }[];
  series: readonly Series[];
  format: (value: number | null) => string;
  /** Between two lines of the axis, if not decimal: 60 for durations. */
  step?: number;
}

const HEIGHT = 200;

/** The colour of an element as the canvas needs it: both themes come from `light-dark()`, which only the browser resolves. */
const colourOf = (element: Element | null): string =>
  element ? getComputedStyle(element).color : 'currentcolor';

/** Changes when the system changes between light and dark. */
function useSystemTheme(): boolean {
  const [isDark, setIsDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const update = (): void => setIsDark(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, []);
  return isDark;
}

/** Lines over time, with the same figures as a table for those who do not see them. */
export function Chart({ title, points, series, format, step }: ChartProps) {
  const t = useText();
  const box = useRef<HTMLDivElement>(null);
  const colours = useRef<HTMLDivElement>(null);
  const [index, setIndex] = useState<number>();
  const theme = usePreference('theme');
  const isDark = useSystemTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a theme changes the colours, which are read from the page
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let plot: uPlot | undefined;
    let isGone = false;
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    void import('uplot').then(({ default: Plot }) => {
      if (isGone) return;
      const names = ['axis', 'grid', ...series.map(({ look }) => look)];
      const [axis = '', grid = '', ...lines] = names.map((name) =>
        colourOf(colours.current?.querySelector(`[data-colour="${name}"]`) ?? null),
      );
      plot = new Plot(
        optionsOf({ width: element.clientWidth, points, series, format, step, axis, grid, lines, setIndex }),
        [points.map((_, position) => position), ...series.map(({ values }) => [...values])],
        element,
      );
      resize.observe(element);
    });
    return () => {
      isGone = true;
      resize.disconnect();
      plot?.destroy();
    };
  }, [points, series, format, step, theme, isDark]);
  const shown = index === undefined ? undefined : points[index];
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <h3>{title}</h3>
        <span className={styles.legend} aria-hidden="true">
          {shown && <span className={styles.when}>{shown.long}</span>}
          {series.map(({ id, label, look, values }) => (
            <span key={id} className={styles.entry} data-look={look}>
              {label}
              {index !== undefined && <b>{format(values[index] ?? null)}</b>}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={colours} className={styles.colours} aria-hidden="true">
        {['axis', 'grid', 'first', 'second'].map((name) => (
          <span key={name} data-colour={name} />
        ))}
      </div>
      <div ref={box} className={styles.box} aria-hidden="true" />
      <details className={styles.table}>
        <summary>{t('reports.asTable', { title })}</summary>
        <Table
          label={title}
          rows={points.map((point, position) => ({ ...point, position }))}
          keyOf={({ id }) => id}
          columns={[
            { id: 'at', title: t('reports.when'), cell: ({ long }) => long },
            ...series.map(({ id, label, values }) => ({
              id,
              title: label,
              align: 'end' as const,
              cell: ({ position }: { position: number }) => format(values[position] ?? null),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

interface Look extends Pick<ChartProps, 'points' | 'series' | 'format'> {
  step: number | undefined;
  width: number;
  axis: string;
  grid: string;
  lines: readonly string[];
  setIndex: (index: number | undefined) => void;
}

/** Multiples of a minute, an hour and a day. */
const DURATIONS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800, 604_800];

function optionsOf({
  width,
  points,
  series,
  format,
  step,
  axis,
  grid,
  lines,
  setIndex,
}: Look): uPlot.Options {
  const font = '12px system-ui, sans-serif';
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false },
      y: { range: (_plot, _min, max) => [0, Math.max(max ?? 0, step ?? 4) * 1.1] },
    },
    axes: [
      {
        stroke: axis,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 28,
        space: 72,
        incrs: [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 72, 96, 168, 336],
        values: (_plot, splits) => splits.map((position) => points[position]?.short ?? ''),
      },
      {
        stroke: axis,
        font,
        size: step ? 64 : 48,
        grid: { stroke: grid, width: 1 },
        ticks: { show: false },
        incrs: step ? DURATIONS : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6, 1e7],
        values: (_plot, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...series.map(({ look }, position) => ({
        stroke: lines[position] ?? axis,
        width: 2,
        // Never by colour alone.
        ...(look === 'second' ? { dash: [6, 4] } : {}),
        points: { show: points.length < 32, size: 5 },
        spanGaps: true,
      })),
    ],
    hooks: { setCursor: [({ cursor }) => setIndex(cursor.idx ?? undefined)] },
  };
}
