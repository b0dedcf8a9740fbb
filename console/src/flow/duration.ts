/** The units of a duration, as ISO 8601 writes them and as `Intl` names them. */
const UNITS = [
  ['year', 'P', 'Y'],
  ['month', 'P', 'M'],
  ['week', 'P', 'W'],
  ['day', 'P', 'D'],
  ['hour', 'T', 'H'],
  ['minute', 'T', 'M'],
  ['second', 'T', 'S'],
] as const;
export type DurationUnit = (typeof UNITS)[number][0];

export interface DurationPart {
  count: number;
  unit: DurationUnit;
}

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;

/** `P1DT2H` is a day and two hours. Undefined if it is no duration of whole numbers. */
export function readDuration(text: string): readonly DurationPart[] | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  const parts = UNITS.flatMap(([unit], index) =>
    match[index + 1] === undefined ? [] : [{ unit, count: Number(match[index + 1]) }],
  );
  return parts.length > 0 ? parts : undefined;
}

export function writeDuration({ count, unit }: DurationPart): string {
  const [, part, letter] = UNITS.find(([name]) => name === unit) as (typeof UNITS)[number];
  return `${part === 'T' ? 'PT' : 'P'}${count}${letter}`;
}

/** "1 day 2 hours", in the language of the person. */
export const describeDuration = (parts: readonly DurationPart[], language: string): string =>
  parts
    .map(({ count, unit }) =>
      new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    )
    .join(' ');
