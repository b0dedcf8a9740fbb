import type { StoredTime } from '../http/schema.ts';

/** The hour of a time, as text. PostgreSQL's JSON has times in UTC, too. */
const hourOf = (time: StoredTime): string =>
  (typeof time === 'string' ? time : time.toISOString()).slice(0, 13);

/**
 * The fact of an event that says in which hour its subject counts, if that is another hour than that of the event: a message
 * may be read days after it was sent.
 */
export const countsAt = (time: StoredTime, now: StoredTime): { countsAt: string } | undefined => {
  if (time === now) return undefined;
  const hour = hourOf(time);
  return hour === hourOf(now) ? undefined : { countsAt: `${hour}:00:00Z` };
};
