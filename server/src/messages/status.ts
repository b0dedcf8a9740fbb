import type { Message } from './schema.ts';

type Status = Message['status'];

/**
 * How far along each status is. What is told later may be told first, so of two statuses the one that is further counts,
 * in whatever order they come: `failed` ends what was not delivered, and what was delivered did not fail.
 */
export const statusRank: Record<Status, number> = { queued: 0, sent: 1, failed: 2, delivered: 3, read: 4 };

/** The status of a message of which another is told. It never moves back. */
export const furthestStatus = (current: Status, told: Status): Status =>
  statusRank[told] > statusRank[current] ? told : current;
