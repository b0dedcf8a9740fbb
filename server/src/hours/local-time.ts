import { isTimezone, timezoneOf } from '../base/time-zones.ts';

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 3600_000;
/** No zone is further from UTC. */
const MAX_OFFSET_MS = 16 * 3600_000;

/** A time zone: what its clocks show, and when they show something. All times are in milliseconds. */
export interface LocalTime {
  readonly name: string;
  /** What the clocks show at a moment, as if it were UTC. */
  shownAt(moment: number): number;
  /**
   * The moments at which the clocks show a time. Where clocks are set some times are skipped, and others shown twice; for these
   * the moment of the change is one of them.
   */
  momentsOf(shown: number): number[];
}

/** The first of these names that is a time zone; UTC if none is. */
export function localTime(...names: readonly (string | null | undefined)[]): LocalTime {
  const name = names.find((one) => one != null && isTimezone(one)) ?? 'UTC';
  const zone = timezoneOf(name);
  const offsetAt = (moment: number): number => zone.offset(moment) * MINUTE_MS;

  /** The moment between two others at which the clocks are set. */
  const findChange = (before: number, after: number): number => {
    const offset = offsetAt(before);
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  };

  return {
    name,
    shownAt: (moment) => moment + offsetAt(moment),
    momentsOf(shown) {
      const [before, after] = [shown - MAX_OFFSET_MS, shown + MAX_OFFSET_MS];
      const [early, late] = [offsetAt(before), offsetAt(after)];
      if (early === late) return [shown - early];
      const exact = [shown - early, shown - late].filter((moment) => moment + offsetAt(moment) === shown);
      return exact.length === 1 ? exact : [...exact, findChange(before, after)].sort((a, b) => a - b);
    },
  };
}
