import type { Message } from './schema.ts';

type Status = Message['status'];

/**
 * How far along each status is. Statuses arrive in any order, so of two the one with the higher rank counts: `failed`
 * ends what was not delivered, and what was delivered did not fail.
 */
export const statusRank: Record<Status, number> = { queued: 0, sent: 1, failed: 2, delivered: 3, read: 4 };

/** The status of a message after another one is reported. It never moves back. */
export const furthestStatus = (current: Status, reported: Status): Status =>
  statusRank[reported] > statusRank[current] ? reported : current;
