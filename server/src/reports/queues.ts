import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { untilItSucceeds } from '../engine/retry.ts';

export interface DueMark extends QueueRow {
  from_at: Date;
  to_at: Date;
  has_replies: boolean;
}

/** Hours that are to be counted. One process counts one at a time, so that most of the database is for others. */
export const reportsQueue = declareQueue<DueMark>({
  name: 'report_marks',
  purpose: 'count what happened in an hour, again if something in it has changed',
  table: 'report_marks',
  orderingKey: 'tenant_id',
  listed: () => 'true',
  columns: 'q.from_at, q.to_at, q.has_replies',
  rowsPerCall: 500,
  callsPerKey: 1,
  callsPerProcess: 1,
  retry: untilItSucceeds,
});
