import type { Clock } from '../base/clock.ts';
import type { Principal } from '../http/permissions.ts';
import { lastDayBefore, type RetiringVersion, retiringVersion } from '../http/sunset.ts';

/** The day on which version 3 was published. */
const DEPRECATED_AT = new Date('2026-08-01T00:00:00Z');
const DAY_MS = 24 * 3600_000;

/** The moment at which the last day of service is over, from what `PARLEY_V2_SUNSET` says. */
const endOf = (sunset: string): Date | null =>
  sunset === 'never' ? null : new Date(Date.parse(`${sunset}T00:00:00Z`) + DAY_MS);

export interface V2VersionDeps {
  v2Sunset: string;
  clock: Clock;
  usage: { count(principal: Principal, operation: string): void };
}

export const v2Version = ({ v2Sunset, clock, usage }: V2VersionDeps): RetiringVersion =>
  retiringVersion({
    name: 'v2',
    deprecatedAt: DEPRECATED_AT,
    endsAt: endOf(v2Sunset),
    clock,
    count: usage.count,
  });

/** What has become of version 2, for the operator. */
export function v2State(sunset: string, now: Date): string {
  const end = endOf(sunset);
  if (end === null) return 'deprecated, served without an end (PARLEY_V2_SUNSET=never)';
  return now < end
    ? `deprecated, served until ${lastDayBefore(end)} (PARLEY_V2_SUNSET)`
    : `ended on ${lastDayBefore(end)}; /v2 answers 410 (PARLEY_V2_SUNSET=never brings it back)`;
}
