import type { Clock } from '../base/clock.ts';
import type { ExtraVariables } from '../base/config.ts';
import type { Settings } from '../http/api.ts';
import { lastDayBefore, type Retirement, type RetiringVersion, retiringVersion } from '../http/sunset.ts';

/** The day on which version 3 was published. */
const DEPRECATED_AT = new Date('2026-08-01T00:00:00Z');
const DAY_MS = 24 * 3600_000;
const NEVER = 'never';

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export const variables = {
  PARLEY_V2_SUNSET: {
    default: '2026-11-01',
    description:
      'The last day, in UTC, on which /v2 is served. After it /v2 answers 410. "never" serves it without an end.',
    parse(text) {
      const time = startOf(text);
      const isDay = !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
      if (text !== NEVER && !isDay) throw new Error('must be a day such as 2026-11-01, or "never"');
      return text;
    },
  },
} satisfies ExtraVariables;

/** The moment at which the last day of service ends; null if it never does. */
function endOf({ PARLEY_V2_SUNSET: lastDay = NEVER }: Settings): Date | null {
  return lastDay === NEVER ? null : new Date(startOf(lastDay) + DAY_MS);
}

export const v2Version = (
  settings: Settings,
  { clock, count }: { clock: Clock; count: Retirement['count'] },
): RetiringVersion =>
  retiringVersion({ name: 'v2', deprecatedAt: DEPRECATED_AT, endsAt: endOf(settings), clock, count });

/** Says until when version 2 is served. */
export function describeV2(settings: Settings, now: Date): string {
  const end = endOf(settings);
  if (end === null) return 'deprecated, served without an end (PARLEY_V2_SUNSET=never)';
  return now < end
    ? `deprecated, served until ${lastDayBefore(end)} (PARLEY_V2_SUNSET)`
    : `ended on ${lastDayBefore(end)}; /v2 answers 410 (PARLEY_V2_SUNSET=never brings it back)`;
}
