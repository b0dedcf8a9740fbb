import type { Message } from './schema.ts';

/**
 * How far each status is. A failure is less than a delivery: whoever got the message got it, whatever was said before.
 * So the furthest counts, in whichever order statuses are told.
 */
export const statusRank = {
  queued: 0,
  sent: 1,
  failed: 2,
  delivered: 3,
  read: 4,
} as const satisfies Record<Message['status'], number>;

/** The status of a message after it was told: it never moves back. */
export const statusAfter = (current: Message['status'], told: Message['status']): Message['status'] =>
  statusRank[told] > statusRank[current] ? told : current;

/** The status that a rank stands for. */
export const statusOfRank = (rank: number): Message['status'] =>
  (Object.keys(statusRank) as Message['status'][]).find((status) => statusRank[status] === rank) ?? 'queued';
