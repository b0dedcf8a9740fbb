import { occurrenceAfter, occurrenceUpTo, type Recurrence } from '../automations/definition/occurrences.ts';

/** What of a campaign says when it is to be. */
export interface Planned {
  recurrence_rules: string[] | null;
  scheduled_at: Date | null;
  started_at: Date | null;
  next_at: Date | null;
  occurrence_at: Date | null;
}

/** In UTC, from its time or else its start, which is the first. */
const recurrenceOf = (
  { recurrence_rules, scheduled_at, started_at }: Planned,
  now: Date,
): Recurrence | null =>
  recurrence_rules === null || recurrence_rules.length === 0
    ? null
    : { rules: recurrence_rules, start: scheduled_at ?? started_at ?? now, startCounts: true, zone: 'utc' };

/** The occurrence that a campaign which is due begins with: of those that were missed the last, null if none is. */
export function occurrenceNow(campaign: Planned, now: Date): Date | null {
  const recurrence = recurrenceOf(campaign, now);
  if (recurrence === null) return campaign.next_at ?? now;
  const occurrence = occurrenceUpTo(recurrence, now);
  const { occurrence_at: last } = campaign;
  return occurrence === null || (last !== null && occurrence <= last) ? null : occurrence;
}

/** The occurrence after the one that is over, null if that was the last. It may have been missed already. */
export function occurrenceNext(campaign: Planned, now: Date): Date | null {
  const recurrence = recurrenceOf(campaign, now);
  return recurrence && occurrenceAfter(recurrence, campaign.occurrence_at ?? now);
}
