const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** A span of time in its largest unit, such as "1.4 sec". */
export function formatDuration(ms: number, language: string): string {
  const [size, unit] = UNITS.find(([size]) => ms >= size) ?? [1, 'millisecond'];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: ms >= 1_000 && ms / size < 10 ? 1 : 0,
  }).format(ms / size);
}
