import { occurrenceAfter, occurrenceUpTo, type Recurrence } from '../automations/definition/occurrences.ts';

/** The columns of a campaign that determine its occurrences. */
export interface Planned {
  recurrence_rules: string[] | null;
  scheduled_at: Date | null;
  started_at: Date | null;
  next_at: Date | null;
  occurrence_at: Date | null;
  timezone: string;
}

/** The recurrence in the zone of the campaign. Its first occurrence is the scheduled time, or else the start. */
const recurrenceOf = (
  { recurrence_rules, scheduled_at, started_at, timezone }: Planned,
  now: Date,
): Recurrence | null =>
  recurrence_rules === null || recurrence_rules.length === 0
    ? null
    : {
        rules: recurrence_rules,
        start: scheduled_at ?? started_at ?? now,
        startCounts: true,
        zone: timezone === 'UTC' ? 'utc' : timezone,
      };

/** The occurrence that is due now: the last one that was missed, or null. */
export function findDueOccurrence(campaign: Planned, now: Date): Date | null {
  const recurrence = recurrenceOf(campaign, now);
  if (recurrence === null) return campaign.next_at ?? now;
  const occurrence = occurrenceUpTo(recurrence, now);
  const { occurrence_at: last } = campaign;
  return occurrence === null || (last !== null && occurrence <= last) ? null : occurrence;
}

/** The occurrence after the last one that ran, or null. It may already be in the past. */
export function findNextOccurrence(campaign: Planned, now: Date): Date | null {
  const recurrence = recurrenceOf(campaign, now);
  return recurrence && occurrenceAfter(recurrence, campaign.occurrence_at ?? now);
}
