import { median } from './measure.ts';

export const formatCount = (value: number): string =>
  value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en');

export const formatMicros = (value: number): string =>
  value < 10_000 ? `${formatCount(value)} µs` : `${formatCount(value / 1000)} ms`;

/** The median of the rounds' ratios, with the lowest and highest in parentheses. */
export function formatSpread(ratios: number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  return `${median(ratios).toFixed(2)} (${sorted[0]?.toFixed(2)}–${sorted.at(-1)?.toFixed(2)})`;
}

/** Prints columns of equal width, the first one aligned to the left. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...rows])
    console.log(
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    );
}
